internal import ANCSEvents
internal import ANCSReceiver
package import ANCSService
package import JSONText

extension PairingQuestion {
    /// The question in words; `peer` is the name of the other device.
    package func message(peer: String) -> String {
        switch self {
        case .display(let digits): "type \(digits) on the \(peer)"
        case .compare(let digits): "does the \(peer) show \(digits)? yes or no:"
        case .enter: "type the six digits that the \(peer) shows:"
        case .consent: "may the \(peer) pair? yes or no:"
        }
    }

    /// The question as the members of an event `pairing`.
    package var jsonMembers: [JSONValue.Member] {
        switch self {
        case .display(let digits): [.init("display", .integer(Int(digits) ?? 0))]
        case .compare(let digits):
            [.init("ask", "confirm"), .init("value", .integer(Int(digits) ?? 0))]
        case .enter: [.init("ask", "enterPasskey")]
        case .consent: [.init("ask", "confirm")]
        }
    }

    /// That the question, which was shown, is not asked any more.
    package var withdrawal: String {
        switch self {
        case .display(let digits): "\(digits) is no longer valid"
        case .compare(let digits): "the question about \(digits) is withdrawn"
        case .enter: "the question for six digits is withdrawn"
        case .consent: "the question whether it may pair is withdrawn"
        }
    }
}

extension PairingRequest {
    /// What is asked.
    package var question: PairingQuestion { PairingQuestion(self) }

    /// Passes on a typed answer. Returns whether the text is a valid answer.
    package func answer(_ text: String) -> Bool {
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

extension ConsumerConfiguration.Face {
    /// What is said of it beside *pairing is open*.
    package var mention: String {
        switch self {
        case .solicitation: ""
        case .heartRate: ": the advertisement shows the UUID of a heart rate monitor"
        }
    }
}
