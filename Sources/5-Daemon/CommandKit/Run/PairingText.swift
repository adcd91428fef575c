package import ANCSEvents

extension PairingRequest {
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
