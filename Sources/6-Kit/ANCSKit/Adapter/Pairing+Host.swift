internal import BluetoothLE

extension SecurityConfiguration {
    /// The Security Manager's configuration for these abilities and requirements.
    init(ability: PairingAbility, required: RequiredProtection = RequiredProtection()) {
        self.init()
        requiredAuthentication =
            switch required.authentication {
            case nil, .some(.none): .none
            case .inPairing: .inPairing
            case .always: .always
            }
        requiresSecureConnections = required.usesSecureConnections
        minimumKeySize = required.minimumKeySize
        ioCapability =
            switch ability {
            case .noInputNoOutput: .noInputNoOutput
            case .display: .displayOnly
            case .keyboard: .keyboardOnly
            case .yesNo: .displayYesNo
            case .keyboardDisplay: .keyboardDisplay
            }
        if ability != .noInputNoOutput { authentication.insert(.mitmProtection) }
    }
}
