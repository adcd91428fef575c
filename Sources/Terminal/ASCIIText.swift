/// Text for a terminal without UTF-8: the signs of this program become characters of ASCII, and others question
/// marks. Each is as wide as before, so that columns stay where they are.
enum ASCIIText {
    /// The signs that this program writes.
    private static let signs: [Character: Character] = [
        "✓": "+", "✗": "x", "●": "*", "•": "*", "·": "-", "–": "-", "…": "~",
        "→": ">", "▶": ">", "◀": "<", "─": "-", "“": "\"", "”": "\"", "’": "'", "≤": "<", "×": "x",
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
