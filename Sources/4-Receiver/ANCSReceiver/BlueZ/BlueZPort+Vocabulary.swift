package import ANCSEvents
package import BlueZ
package import DBus

// Conversions between the types of the BlueZ machine and those of this module.

extension PhoneEvent.Answer {
    package init(_ answer: PairingReply.Answer) {
        switch answer {
        case .confirm(let isSame): self = .confirm(isSame)
        case .passkey(let passkey): self = .passkey(passkey)
        case .cancel: self = .cancel
        }
    }
}

extension BluetoothdFailure {
    package init(_ failure: BlueZEvent.Failure, adapter: AdapterName) {
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
        showsNameAlways = configuration.showsNameAlways
        maximumPhones = configuration.maximumProviders
        requiresAuthentication = (place.authentication ?? .standard(with: place.ability)) != .none
        allowsTextsOnBus = place.allowsTextsOnBus
        bonds = place.bonds ?? .any
        capability = BlueZAccessory.AgentCapability(place.ability)
        pairingWindow =
            switch place.window {
            case .open: .open
            case .untilPhoneIsBonded, nil: .untilPhoneIsPaired
            case .closed: .closed
            }
    }
}

extension BlueZAccessory.AgentCapability {
    package init(_ ability: PairingAbility) {
        self =
            switch ability {
            case .noInputNoOutput: .noInputNoOutput
            case .display: .displayOnly
            case .keyboard: .keyboardOnly
            case .yesNo: .displayYesNo
            case .keyboardDisplay: .keyboardDisplay
            }
    }
}

extension BusError {
    /// The message of the error for people or, without one, its name.
    package var text: String { message.isEmpty ? name : message }
}
