internal import BlueZ
internal import BluetoothLE
package import DBus
package import LinuxIO
internal import OpenSSLSecurity

// Conversions between the types of the BlueZ machine and those of this module.

extension PhoneID {
    init(_ provider: ProviderID) { self.init(rawValue: provider.rawValue) }
}

extension ProviderID {
    init(_ phone: PhoneID) { self.init(rawValue: phone.rawValue) }
}

extension PhoneEvent.Answer {
    init(_ answer: PairingReply.Answer) {
        switch answer {
        case .confirm(let isSame): self = .confirm(isSame)
        case .passkey(let passkey): self = .passkey(passkey)
        case .cancel: self = .cancel
        }
    }
}

extension DisconnectReason {
    init(_ ending: PhoneEvent.Ending) {
        switch ending {
        case .linkEnded: self = .linkEnded
        case .hung: self = .bluetoothdHung
        case .earlyDiscovery: self = .discoveredEarly
        case .left: self = .left
        case .stackGone: self = .bluetoothGone
        }
    }
}

extension BluetoothdFailure {
    init(_ failure: BlueZEvent.Failure, adapter: AdapterName) {
        switch failure {
        case .noDaemon: self = .notRunning
        case .daemonEnded: self = .ended
        case .denied: self = .denied
        case .noAdapter: self = .noAdapter(adapter.description)
        case .adapterLost(let name): self = .adapterLost(adapter: name)
        case .off(let name):
            self = .off(adapter: name, isBlocked: RadioSwitch.all().contains { $0.blocks(name) })
        case .cannotAdvertise(let name): self = .cannotAdvertise(adapter: name)
        case .noAnswer: self = .noAnswer
        case .unreadable: self = .unreadable
        case .refused(let error): self = .refused(error.text)
        }
    }
}

extension BlueZAccessory.Configuration {
    init(_ configuration: ConsumerConfiguration, at place: BlueZConfiguration) {
        self.init(name: configuration.name, adapter: place.adapter)
        maximumPhones = configuration.maximumProviders
        requiresAuthentication = place.authentication != .none
        allowsTextsOnBus = place.allowsTextsOnBus
        capability =
            switch place.ability {
            case .noInputNoOutput: .noInputNoOutput
            case .display: .displayOnly
            case .keyboard: .keyboardOnly
            case .yesNo: .displayYesNo
            case .keyboardDisplay: .keyboardDisplay
            }
        pairingWindow =
            switch place.window {
            case .open: .open
            case .untilPhoneIsBonded: .untilPhoneIsPaired
            case .closed: .closed
            }
    }
}

extension BusError {
    /// The message of the error for people or, without one, its name.
    var text: String { message.isEmpty ? name : message }
}

extension NotificationConsumer {
    /// A consumer that uses bluetoothd on a given bus.
    init(
        _ configuration: ConsumerConfiguration, atBlueZ place: BlueZConfiguration,
        on shared: EventLoop?, bus: BusConnection.Bus = .system,
        digests: PhoneDigests = PhoneDigests(), root: String = ""
    ) throws(DeviceError) {
        // A loop that was made for nothing would keep its thread.
        try configuration.checkName()
        try configuration.checkFaceAtBluetoothd()
        let loop: EventLoop
        if let shared {
            loop = shared
        } else {
            do throws(IOError) { loop = try EventLoop() } catch { throw .transport(error) }
        }
        try self.init(configuration, atBlueZ: place, on: loop, digests: digests, root: root) {
            () throws(IOError) in
            try BusConnection(bus, on: loop)
        }
    }

    /// A consumer that uses what takes the place of bluetoothd on a bus in virtual time.
    package init(
        _ configuration: ConsumerConfiguration, on loop: EventLoop, window: PairingWindow,
        bus: any MessageBus
    ) throws(DeviceError) {
        try configuration.checkName()
        let place = BlueZConfiguration(
            adapter: .any, ability: .noInputNoOutput, window: window, authentication: .none)
        try self.init(
            configuration, atBlueZ: place, on: loop, digests: PhoneDigests(), root: ""
        ) { bus }
    }

    private init(
        _ configuration: ConsumerConfiguration, atBlueZ place: BlueZConfiguration,
        on loop: EventLoop, digests: PhoneDigests, root: String,
        makeBus: @escaping () throws(IOError) -> any MessageBus
    ) throws(DeviceError) {
        let memory = try configuration.remembered(OpenSSLToolbox())
        let port = BlueZPort(
            BlueZAccessory.Configuration(configuration, at: place), on: loop, digests: digests,
            linkParameters: configuration.linkParameters, memory: place.memory, root: root,
            makeBus: makeBus)
        self.init(configuration, port: port, memory, on: loop)
    }
}
