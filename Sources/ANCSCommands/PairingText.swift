internal import Terminal
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

    /// The request as the members of an event `pairing`.
    var jsonMembers: [JSONValue.Member] {
        switch self {
        case .display(let display): [.init("display", .integer(Int(display.passkey.value)))]
        case .compare(let comparison):
            [.init("ask", "confirm"), .init("value", .integer(Int(comparison.number.value)))]
        case .enter: [.init("ask", "enterPasskey")]
        case .consent: [.init("ask", "confirm")]
        }
    }

    /// That the request, which was shown, is not asked any more.
    var withdrawal: String {
        switch self {
        case .display(let display): "\(display.passkey) is no longer valid"
        case .compare(let comparison): "the question about \(comparison.number) is withdrawn"
        case .enter: "the question for six digits is withdrawn"
        case .consent: "the question whether it may pair is withdrawn"
        }
    }

    /// Passes on a typed answer. Returns whether the text is a valid answer.
    func answer(_ text: String) -> Bool {
        guard let pass = decision(text) else { return false }
        pass()
        return true
    }

    /// What passes on a typed answer; `nil` if the text is not an answer.
    func decision(_ text: String) -> (() -> Void)? {
        if text == "cancel" { return cancel }
        switch self {
        case .display: return nil
        case .enter(let entry):
            guard let passkey = SixDigits(text) else { return nil }
            return { entry.enter(passkey) }
        case .compare(let comparison):
            guard let isEqual = Self.yesOrNo(text) else { return nil }
            return isEqual ? { comparison.confirm() } : { comparison.reject() }
        case .consent(let consent):
            guard let isAllowed = Self.yesOrNo(text) else { return nil }
            return isAllowed ? { consent.allow() } : { consent.refuse() }
        }
    }

    /// Parses yes or no.
    private static func yesOrNo(_ text: String) -> Bool? {
        switch text.lowercased() {
        case "yes", "y": true
        case "no", "n": false
        default: nil
        }
    }
}

extension RequiredProtection {
    /// The values of `--require`, for a message.
    static let options = "none, authentication, secure-connections, key:OCTETS"

    /// The values of `--require`, with an example where one takes a parameter.
    static let words = ["none", "authentication", "secure-connections", "key:16"]

    /// Parses the values of `--require`, and checks them against the abilities given with `--io`.
    init(
        option list: String?, with ability: PairingAbility
    ) throws(CommandSyntax.UsageError) {
        var authentication: Authentication?
        var usesSecureConnections = false
        var keySize: Int?
        for word in list?.split(separator: ",", omittingEmptySubsequences: false) ?? [] {
            switch word {
            case "none" where authentication != .always: authentication = Authentication.none
            case "authentication" where authentication != Authentication.none:
                authentication = .always
            case "none", "authentication":
                throw .init(message: "--require takes either none or authentication, not both")
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
            authentication: authentication, usesSecureConnections: usesSecureConnections,
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

extension ConsumerConfiguration.Face {
    /// The values of `--face`.
    static let words = allCases.map(\.rawValue)

    /// What is said of it beside *pairing is open*.
    var mention: String {
        switch self {
        case .solicitation: ""
        case .heartRate: ": the advertisement shows the UUID of a heart rate monitor"
        }
    }
}
