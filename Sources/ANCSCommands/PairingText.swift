internal import ANCSService
internal import ANCSKit
internal import JSONText

extension PairingRequest {
    /// What is asked, or shown, for people; `peer` is what the other device is called.
    func message(peer: String) -> String {
        switch self {
        case .display(let display): "type \(display.passkey) on the \(peer)"
        case .compare(let comparison): "does the \(peer) show \(comparison.number)? yes or no:"
        case .enter: "type the six digits that the \(peer) shows:"
        case .consent: "may the \(peer) pair? yes or no:"
        }
    }

    /// What is asked, or shown, as the members of an event.
    var jsonMembers: [JSONValue.Member] {
        let members: [JSONValue.Member] =
            switch self {
            case .display(let display): [.init("display", .integer(Int(display.passkey.value)))]
            case .compare(let comparison):
                [.init("ask", "confirm"), .init("value", .integer(Int(comparison.number.value)))]
            case .enter: [.init("ask", "enterPasskey")]
            case .consent: [.init("ask", "confirm")]
            }
        return [.init("event", "pairing")] + members
    }

    /// Gives the answer that a user typed; whether it is one.
    func answer(_ text: String) -> Bool {
        if text == "cancel" {
            cancel()
            return true
        }
        switch self {
        case .display: return false
        case .enter(let entry):
            guard let passkey = SixDigits(text) else { return false }
            entry.enter(passkey)
        case .compare(let comparison):
            guard let isEqual = Self.decision(text) else { return false }
            if isEqual { comparison.confirm() } else { comparison.reject() }
        case .consent(let consent):
            guard let isAllowed = Self.decision(text) else { return false }
            if isAllowed { consent.allow() } else { consent.refuse() }
        }
        return true
    }

    /// Yes or no.
    private static func decision(_ text: String) -> Bool? {
        switch text.lowercased() {
        case "yes", "y": true
        case "no", "n": false
        default: nil
        }
    }
}

extension RequiredProtection {
    /// What `--require` takes.
    static let options = "authentication, secure-connections, key:OCTETS"

    /// The words of it that are whole as they stand, or an example.
    static let words = ["authentication", "secure-connections", "key:16"]

    /// The values of `--require`, checked against what `--io` says about the user.
    init(
        option list: String?, with ability: PairingAbility
    ) throws(CommandSyntax.UsageError) {
        var isAuthenticated = false
        var usesSecureConnections = false
        var keySize: Int?
        for word in list?.split(separator: ",", omittingEmptySubsequences: false) ?? [] {
            switch word {
            case "authentication": isAuthenticated = true
            case "secure-connections": usesSecureConnections = true
            case _ where word.hasPrefix("key:"):
                keySize = Int(word.dropFirst(4))
                guard let keySize, (7...16).contains(keySize) else {
                    throw .init(message: "--require key:OCTETS takes 7 to 16, not '\(word)'")
                }
            default: throw .init(message: "--require takes \(Self.options), not '\(word)'")
            }
        }
        self.init(
            isAuthenticated: isAuthenticated, usesSecureConnections: usesSecureConnections,
            minimumKeySize: keySize)
        if let fault = fault(with: ability) {
            throw .init(message: "--require cannot be met: \(fault); see --io")
        }
    }
}

extension PairingAbility {
    /// What `--io` takes.
    static let words = ["none", "display", "keyboard", "yesno", "keyboard-display"]

    /// The same, for a message.
    static var options: String { words.listed }

    /// The value of `--io`.
    init(option text: String) throws(CommandSyntax.UsageError) {
        switch text {
        case "none": self = .noInputNoOutput
        case "display": self = .display
        case "keyboard": self = .keyboard
        case "yesno": self = .yesNo
        case "keyboard-display": self = .keyboardDisplay
        default: throw .init(message: "--io takes \(Self.options), not '\(text)'")
        }
    }
}
