internal import DeviceCommandKit

/// A line that the user of `ancs advertise` types.
enum AdvertiseInput: Equatable, Sendable {
    case update(characteristic: String, value: [UInt8])
    /// The answer to a question of pairing: six digits, `yes` or `no`.
    case answer(String)
    case background(Bool)
    case start
    case stop

    private static let forms =
        "commands are 'update UUID VALUE', 'passkey N', 'confirm yes|no', 'background on|off', "
        + "'start' and 'stop'"

    /// Parses a line; returns `nil` for an empty one.
    static func parse(_ line: String) throws(PromptFault) -> AdvertiseInput? {
        let words = try PromptWords.split(line)
        guard let verb = words.first else { return nil }
        switch (verb, words.count) {
        case ("update", 3):
            return .update(characteristic: words[1], value: try TypedValue.octets(of: words[2]))
        case ("passkey", 2):
            guard words[1].utf8.count <= 6, UInt32(words[1]) != nil else {
                throw PromptFault(message: "a passkey has six digits")
            }
            return .answer(words[1])
        case ("confirm", 2):
            _ = try flag(words[1], "yes", "no")
            return .answer(words[1])
        case ("background", 2): return .background(try flag(words[1], "on", "off"))
        case ("start", 1): return .start
        case ("stop", 1): return .stop
        default: throw PromptFault(message: "not understood: \(line); \(forms)")
        }
    }

    private static func flag(
        _ word: String, _ yes: String, _ no: String
    ) throws(PromptFault) -> Bool {
        switch word {
        case yes: return true
        case no: return false
        default: throw PromptFault(message: "\(yes) or \(no), not \(word)")
        }
    }
}
