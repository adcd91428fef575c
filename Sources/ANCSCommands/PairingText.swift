internal import ANCSService
internal import ANCSKit
internal import JSONText

extension PairingRequest {
    /// The request in words; `peer` is the name of the other device.
    func message(peer: String) -> String {
        switch self {
        case .display(let display): "type \(display.passkey) on the \(peer)"
        case .compare(let comparison): "does the \(peer) show \(comparison.number)? yes or no:"
        case .enter: "type the six digits that the \(peer) shows:"
        case .consent: "may the \(peer) pair? yes or no:"
        }
    }

    /// The request as members of an event.
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

    /// Passes on a typed answer. Returns whether the text is a valid answer.
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

    /// Parses yes or no.
    private static func decision(_ text: String) -> Bool? {
        switch text.lowercased() {
        case "yes", "y": true
        case "no", "n": false
        default: nil
        }
    }
}

extension RequiredProtection {
    /// The values of `--require`, for a message.
    static let options = "authentication, secure-connections, key:OCTETS"

    /// The values of `--require`, with an example where one takes a parameter.
    static let words = ["authentication", "secure-connections", "key:16"]

    /// Parses the values of `--require`, and checks them against the abilities given with `--io`.
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
    /// The values of `--io`.
    static let words = ["none", "display", "keyboard", "yesno", "keyboard-display"]

    /// The values of `--io`, for a message.
    static var options: String { words.listed }

    /// Parses the value of `--io`.
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
