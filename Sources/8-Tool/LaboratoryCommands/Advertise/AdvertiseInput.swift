internal import DeviceCommandKit

/// A line that the user of `ancs advertise` types.
enum AdvertiseInput: Equatable, Sendable {
    case update(characteristic: String, value: [UInt8])
    /// The answer to a question of pairing: six digits, `yes` or `no`.
    case answer(String)
    case background(Bool)
    case start
    case stop

    /// Why a line is not a command.
    struct Misunderstanding: Error { var message: String }

    private static let forms =
        "commands are 'update UUID VALUE', 'passkey N', 'confirm yes|no', 'background on|off', "
        + "'start' and 'stop'"

    /// Parses a line; returns `nil` for an empty one.
    static func parse(_ line: String) throws(Misunderstanding) -> AdvertiseInput? {
        let words: [String]
        do throws(PromptWords.OpenQuote) { words = try PromptWords.split(line) } catch {
            throw Misunderstanding(message: PromptWords.OpenQuote.message)
        }
        guard let verb = words.first else { return nil }
        switch (verb, words.count) {
        case ("update", 3): return .update(characteristic: words[1], value: try value(words[2]))
        case ("passkey", 2):
            guard words[1].utf8.count <= 6, UInt32(words[1]) != nil else {
                throw Misunderstanding(message: "a passkey has six digits")
            }
            return .answer(words[1])
        case ("confirm", 2):
            _ = try flag(words[1], "yes", "no")
            return .answer(words[1])
        case ("background", 2): return .background(try flag(words[1], "on", "off"))
        case ("start", 1): return .start
        case ("stop", 1): return .stop
        default: throw Misunderstanding(message: "not understood: \(line); \(forms)")
        }
    }

    private static func value(_ word: String) throws(Misunderstanding) -> [UInt8] {
        guard let value = TypedValue.octets(of: word) else {
            throw Misunderstanding(message: TypedValue.fault)
        }
        return value
    }

    private static func flag(
        _ word: String, _ yes: String, _ no: String
    ) throws(Misunderstanding) -> Bool {
        switch word {
        case yes: return true
        case no: return false
        default: throw Misunderstanding(message: "\(yes) or \(no), not \(word)")
        }
    }
}
