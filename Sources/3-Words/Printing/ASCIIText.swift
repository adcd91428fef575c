/// Text for a terminal without UTF-8: the signs of this program become characters of ASCII, and others question
/// marks. Each is as wide as before, so that columns stay where they are.
enum ASCIIText {
    /// The signs that this program writes.
    private static let signs: [Character: Character] = [
        "✓": "+", "✗": "x", "●": "*", "•": "*", "·": "-", "–": "-", "…": "~", "→": ">", "▶": ">",
        "◀": "<", "─": "-", "“": "\"", "”": "\"", "’": "'", "≤": "<", "×": "x", "☎": "#", "♪": "^",
    ]

    /// The text in ASCII.
    package static func shown(_ text: String) -> String {
        guard !text.utf8.allSatisfy({ $0 < 0x80 }) else { return text }
        var shown = ""
        for character in text {
            if character.isASCII {
                shown.append(character)
            } else if let sign = signs[character] {
                shown.append(sign)
            } else {
                shown += String(repeating: "?", count: TerminalText.width(of: character))
            }
        }
        return shown
    }
}

extension UInt8 {
    /// Whether it is a letter or a digit of ASCII.
    package var isASCIILetterOrDigit: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: false
        }
    }
}

extension StringProtocol {
    /// Whether it has nothing but letters and digits of ASCII and these characters of it.
    package func isASCIIWord(with others: StaticString = "") -> Bool {
        utf8.allSatisfy { octet in octet.isASCIILetterOrDigit || "\(others)".utf8.contains(octet) }
    }
}
