internal import BluetoothLE

/// What the user can be shown and asked while pairing. Core Vol 3, Part H, 2.3.2.
public enum PairingAbility: Hashable, Sendable {
    /// Nothing: pairing is by Just Works.
    case noInputNoOutput
    /// Six digits can be shown.
    case display
    /// Six digits can be typed.
    case keyboard
    /// Six digits can be shown and agreed to.
    case yesNo
    /// All of that.
    case keyboardDisplay
}

/// How well keys have to protect a link: those that pairing makes, and those of a bond. What is less is
/// refused.
public struct RequiredProtection: Hashable, Sendable {
    /// The keys have to be made with protection against a man in the middle: by a comparison or a passkey.
    public var isAuthenticated: Bool
    /// The keys have to be made with LE Secure Connections. Core Vol 3, Part C, 10.2.4.
    public var usesSecureConnections: Bool
    /// The size that they have to have, in octets: 7 to 16. Core Vol 3, Part H, 2.3.4.
    public var minimumKeySize: Int

    /// What is required; nothing, unless said otherwise. Where Secure Connections are, the keys have to
    /// have 16 octets unless said otherwise.
    public init(
        isAuthenticated: Bool = false, usesSecureConnections: Bool = false,
        minimumKeySize: Int? = nil
    ) {
        self.isAuthenticated = isAuthenticated
        self.usesSecureConnections = usesSecureConnections
        self.minimumKeySize = minimumKeySize ?? (usesSecureConnections ? 16 : 7)
    }

    /// Why no pairing can ever meet it with what the user can be shown and asked; `nil` where one can.
    public func fault(with ability: PairingAbility) -> String? {
        if !(7...16).contains(minimumKeySize) {
            return "the size of a key must be from 7 to 16 octets"
        }
        if isAuthenticated, ability == .noInputNoOutput {
            return "authentication needs a user who can be shown or asked something while pairing"
        }
        return nil
    }
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

extension SecurityConfiguration {
    /// Pairing with what the user can be shown and asked.
    init(ability: PairingAbility, required: RequiredProtection = RequiredProtection()) {
        self.init()
        requiresAuthentication = required.isAuthenticated
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

extension LinkProtection {
    init(_ security: LinkSecurity) {
        isEncrypted = security.isEncrypted
        isAuthenticated = security.isAuthenticated
        usesSecureConnections = security.usesSecureConnections
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
    /// The least significant digits of a number: what g2 makes of it. Core Vol 3, Part H, 2.2.9.
    fileprivate init(modulo value: UInt32) { self.init(integerLiteral: value % 1_000_000) }
}
