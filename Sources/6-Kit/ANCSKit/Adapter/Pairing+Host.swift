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

extension PairingRequest {
    init(_ question: SecurityManager.Question, reply: PairingReply) {
        switch question {
        case .enterPasskey, .choosePasskey: self = .enter(PasskeyEntry(reply: reply))
        case .displayPasskey(let passkey):
            self = .display(PasskeyDisplay(SixDigits(modulo: passkey), reply: reply))
        case .compare(let number):
            self = .compare(NumericComparison(SixDigits(modulo: number), reply: reply))
        case .confirmPairing: self = .consent(PairingConsent(reply: reply))
        }
    }
}

extension SixDigits {
    /// The six least significant digits of the result of g2. Core Vol 3, Part H, 2.2.9.
    fileprivate init(modulo value: UInt32) { self.init(integerLiteral: value % 1_000_000) }
}
