@testable import BluetoothLE
import Octets
import OpenSSLSecurity
import VirtualBluetooth

/// Hosts of this package at the controllers of one radio, in virtual time.
final class RadioBench {
    /// A host and what it has told.
    final class Device {
        let address: DeviceAddress
        let controller: ControllerID
        var host: Host
        var outputs: [HostOutput] = []
        /// Events that the controller sent, besides what the host made of them.
        var events: [HCIEvent] = []

        init(
            address: DeviceAddress, controller: ControllerID, configuration: HostConfiguration,
            bonds: [BondRecord]
        ) {
            self.address = address
            self.controller = controller
            host = Host(configuration: configuration, toolbox: OpenSSLToolbox(), bonds: bonds)
        }
    }

    var radio: VirtualRadio
    var now = MonotonicInstant.zero
    private(set) var devices: [Device] = []
    var faults: [HostFault] = []

    init(_ configuration: RadioConfiguration = RadioConfiguration()) {
        radio = VirtualRadio(configuration: configuration, toolbox: OpenSSLToolbox())
    }

    /// A device with a host that is set up.
    func add(
        _ abilities: VirtualControllerAbilities = .bluetooth5_3, address: UInt64,
        bonds: [BondRecord] = [], security: SecurityConfiguration = SecurityConfiguration(),
        configure: (inout HostConfiguration) -> Void = { _ in }
    ) -> Device {
        let address = DeviceAddress(address, kind: .random)
        var configuration = HostConfiguration(
            deviceName: "Bench", identityAddress: address, security: security)
        configure(&configuration)
        let device = Device(
            address: address, controller: radio.addController(abilities),
            configuration: configuration, bonds: bonds)
        devices.append(device)
        device.host.start(at: now)
        settle()
        return device
    }

    /// Delivers until nothing is on its way at this time.
    func settle() {
        var isResting = false
        while !isResting {
            isResting = true
            for device in devices {
                while let output = device.host.pollOutput() {
                    isResting = false
                    if case .send(let packet) = output {
                        radio.receive(packet, at: device.controller, at: now)
                    } else {
                        device.outputs.append(output)
                    }
                }
            }
            while let output = radio.pollOutput() {
                isResting = false
                switch output {
                case .send(let packet, let controller): deliver(packet, from: controller)
                case .fault(let fault, _): faults.append(fault)
                }
            }
        }
    }

    private func deliver(_ packet: HCIPacket, from controller: ControllerID) {
        guard let device = devices.first(where: { $0.controller == controller }) else { return }
        if case .event(let body) = packet, let event = try? HCIEvent(decoding: body.span) {
            device.events.append(event)
        }
        device.host.receive(packet, at: now)
    }

    /// Time passes, and every deadline in it.
    func advance(by duration: Duration) { advance(by: duration) { false } }

    /// Time passes until a condition holds, at most so long. Returns whether it holds.
    @discardableResult
    func advance(by duration: Duration = .seconds(60), until condition: () -> Bool) -> Bool {
        let end = now + duration
        settle()
        while !condition() {
            var next = radio.nextDeadline
            for device in devices { next = .earliest(next, device.host.nextDeadline) }
            guard let next, next <= end else {
                now = end
                return condition()
            }
            now = max(now, next)
            radio.handleTimeout(at: now)
            for device in devices { device.host.handleTimeout(at: now) }
            settle()
        }
        return true
    }

    /// The host of a device gives its controller a command that it has no method for.
    func command(_ command: some HCICommand, at device: Device) {
        radio.receive(.command(HCICommandPacket(command).octets), at: device.controller, at: now)
        settle()
    }

    // MARK: Connecting

    static let parameters = ConnectionParameters(
        intervalMinimum: ConnectionInterval(rawValue: 12),
        intervalMaximum: ConnectionInterval(rawValue: 24), latency: 0,
        supervisionTimeout: SupervisionTimeout(rawValue: 200))

    /// What a Central's host tells its controller, with the commands that it has.
    func initiate(
        _ central: Device, to peer: DeviceAddress,
        ownAddressType: OwnAddressType = .random,
        parameters: ConnectionParameters = RadioBench.parameters, isExtended: Bool = true
    ) {
        let scan = AdvertisingInterval(rawValue: 0x10)
        if isExtended {
            command(
                HCI.LEExtendedCreateConnection(
                    filterPolicy: 0, ownAddressType: ownAddressType, peerAddress: peer,
                    entries: [
                        .init(
                            phy: .le1M, scanInterval: scan, scanWindow: scan,
                            parameters: parameters)
                    ]), at: central)
        } else {
            command(
                HCI.LECreateConnection(
                    scanInterval: scan, scanWindow: scan, filterPolicy: 0, peerAddress: peer,
                    ownAddressType: ownAddressType, parameters: parameters,
                    eventLengthMinimum: 0, eventLengthMaximum: 0), at: central)
        }
    }

    /// The Peripheral advertises and the Central connects; the handles at both.
    func connect(
        _ central: Device, to peripheral: Device, isExtended: Bool = true,
        parameters: ConnectionParameters = RadioBench.parameters
    ) throws -> (central: ConnectionHandle, peripheral: ConnectionHandle) {
        command(HCI.LESetRandomAddress(address: central.address), at: central)
        try peripheral.host.startAdvertising(
            Advertisement(data: AdvertisingData()), at: now)
        settle()
        initiate(
            central, to: peripheral.address, parameters: parameters, isExtended: isExtended)
        guard
            advance(until: {
                central.connections.count > 0 && peripheral.connections.count > 0
            }), let first = central.connections.last, let second = peripheral.connections.last
        else { throw BenchFailure.notConnected }
        return (first, second)
    }

    enum BenchFailure: Error { case notConnected }
}

extension RadioBench.Device {
    /// The links that the host was told of and that have not ended.
    var connections: [ConnectionHandle] {
        var open: [ConnectionHandle] = []
        for output in outputs {
            switch output {
            case .link(let handle, .connected): open.append(handle)
            case .link(let handle, .disconnected): open.removeAll { $0 == handle }
            default: break
            }
        }
        return open
    }

    /// Why links ended.
    var endings: [HCIStatus] {
        outputs.compactMap {
            if case .link(_, .disconnected(let reason)) = $0 { reason } else { nil }
        }
    }

    var isPaired: Bool {
        outputs.contains { if case .security(_, .paired) = $0 { true } else { false } }
    }

    /// Whether a link is encrypted now.
    func isEncrypted(_ handle: ConnectionHandle) -> Bool {
        host.security(of: handle)?.isEncrypted ?? false
    }

    /// Values that a server notified.
    var notifications: [[UInt8]] {
        outputs.compactMap {
            if case .attribute(_, .value(.notification(_, let value))) = $0 { value } else { nil }
        }
    }

    /// The answer to the last command of this kind.
    func answer(to opcode: HCIOpcode) -> [UInt8]? {
        for event in events.reversed() {
            switch event {
            case .commandComplete(let complete) where complete.opcode == opcode:
                return complete.returnParameters
            case .commandStatus(let status) where status.opcode == opcode:
                return [status.status.rawValue]
            default: break
            }
        }
        return nil
    }

    func forget() {
        outputs = []
        events = []
    }
}
