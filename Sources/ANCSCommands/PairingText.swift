internal import ANCSKit
internal import JSONText

extension PairingQuestion {
    /// What is asked, or shown, for people; `peer` is what the other device is called.
    func text(peer: String) -> String {
        switch self {
        case .display(let passkey): "type \(Self.digits(passkey)) on the \(peer)"
        case .compare(let number):
            "does the \(peer) show \(Self.digits(number))? yes or no:"
        case .enterPasskey: "type the six digits that the \(peer) shows:"
        case .confirm: "may the \(peer) pair? yes or no:"
        }
    }

    private static func digits(_ value: UInt32) -> String {
        let text = String(value)
        return String(repeating: "0", count: max(0, 6 - text.count)) + text
    }

    /// What is asked, or shown, as the members of an event.
    var jsonMembers: [JSONValue.Member] {
        let members: [JSONValue.Member] =
            switch self {
            case .display(let passkey): [.init("display", .integer(Int(passkey)))]
            case .compare(let number):
                [.init("ask", "confirm"), .init("value", .integer(Int(number)))]
            case .enterPasskey: [.init("ask", "enterPasskey")]
            case .confirm: [.init("ask", "confirm")]
            }
        return [.init("event", "pairing")] + members
    }
}

extension PairingAnswer {
    /// What a user typed, if it answers the question.
    init?(_ text: String, to question: PairingQuestion) {
        if text == "cancel" {
            self = .cancel
            return
        }
        switch question {
        case .display: return nil
        case .enterPasskey:
            guard let passkey = UInt32(text), passkey < 1_000_000, text.utf8.count <= 6 else {
                return nil
            }
            self = .passkey(passkey)
        case .compare, .confirm:
            switch text.lowercased() {
            case "yes", "y": self = .confirm(true)
            case "no", "n": self = .confirm(false)
            default: return nil
            }
        }
    }
}

extension RequiredProtection {
    /// What `--require` takes.
    static let options = "authentication, secure-connections, key:OCTETS"

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
    static let options = "none, display, keyboard, yesno or keyboard-display"

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
