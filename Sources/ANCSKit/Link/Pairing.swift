internal import BluetoothLE

/// What the user can be shown and asked while pairing. Core Vol 3, Part H, 2.3.2.
public enum PairingAbility: Hashable, Sendable {
    /// Nothing: pairing is by Just Works.
    case none
    /// Six digits can be shown.
    case display
    /// Six digits can be typed.
    case keyboard
    /// Six digits can be shown and agreed to.
    case yesNo
    /// All of that.
    case keyboardDisplay
}

/// How the link to a peer is protected.
public struct LinkProtection: Hashable, Sendable {
    /// It is encrypted.
    public var isEncrypted: Bool
    /// The key was made with protection against a man in the middle.
    public var isAuthenticated: Bool
    /// The key was made with LE Secure Connections.
    public var usesSecureConnections: Bool
}

/// What pairing asks the user.
public enum PairingQuestion: Hashable, Sendable {
    /// Show these six digits; nothing to answer.
    case display(UInt32)
    /// Does the other device show the same six digits?
    case compare(UInt32)
    /// Enter the six digits that the other device shows.
    case enterPasskey
    /// May the other device pair at all?
    case confirm
}

/// The answer to a ``PairingQuestion``.
public enum PairingAnswer: Hashable, Sendable {
    /// Yes, or no.
    case confirm(Bool)
    /// Six digits: 0 to 999,999.
    case passkey(UInt32)
    /// The user gave up.
    case cancel
}

extension SecurityConfiguration {
    /// Pairing with what the user can be shown and asked.
    init(ability: PairingAbility) {
        self.init()
        ioCapability =
            switch ability {
            case .none: .noInputNoOutput
            case .display: .displayOnly
            case .keyboard: .keyboardOnly
            case .yesNo: .displayYesNo
            case .keyboardDisplay: .keyboardDisplay
            }
        if ability != .none { authentication.insert(.mitmProtection) }
    }
}

extension LinkProtection {
    init(_ security: LinkSecurity) {
        isEncrypted = security.isEncrypted
        isAuthenticated = security.isAuthenticated
        usesSecureConnections = security.usesSecureConnections
    }
}

extension PairingQuestion {
    init(_ question: SecurityManager.Question) {
        switch question {
        case .enterPasskey, .choosePasskey: self = .enterPasskey
        case .displayPasskey(let passkey): self = .display(passkey)
        case .compare(let number): self = .compare(number)
        case .confirmPairing: self = .confirm
        }
    }
}
