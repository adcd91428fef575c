/// Text from the air, made fit for a popup: what would turn the writing direction, hide or be obeyed is shown
/// as an escape such as `\u{202E}`, and nothing is longer than a limit.
enum PopupText {
    /// What of the text stays as it is.
    enum Shape {
        /// One line of plain text.
        case line
        /// Lines of plain text.
        case lines
        /// Lines in which `&`, `<` and `>` are escaped, for a server that reads markup.
        case markup
    }

    private static let ellipsis = "…"

    /// The text in at most `limit` octets of UTF-8. What does not fit is cut off at a character, and never
    /// within an escape.
    static func shown(_ text: String, as shape: Shape, limit: Int) -> String {
        var shown = ""
        /// How many octets leave room for the ellipsis.
        var fitting = 0
        // A character has an octet at least.
        for character in text.prefix(limit + 1) {
            append(character, to: &shown, as: shape)
            let count = shown.utf8.count
            guard count <= limit else {
                return String(decoding: shown.utf8.prefix(fitting), as: UTF8.self) + ellipsis
            }
            if count <= limit - ellipsis.utf8.count { fitting = count }
        }
        return shown
    }

    private static func append(_ character: Character, to text: inout String, as shape: Shape) {
        switch character {
        // The last two are the separators of lines and of paragraphs.
        case "\n", "\r\n", "\r", "\u{2028}", "\u{2029}": text += shape == .line ? " " : "\n"
        case _:
            for scalar in character.unicodeScalars { append(scalar, to: &text, as: shape) }
        }
    }

    private static func append(_ scalar: Unicode.Scalar, to text: inout String, as shape: Shape) {
        switch (scalar, shape) {
        case ("\t", _): text += " "
        case ("&", .markup): text += "&amp;"
        case ("<", .markup): text += "&lt;"
        case (">", .markup): text += "&gt;"
        // The bus passes no text on with a noncharacter in it.
        case _ where TerminalText.isHidden(scalar) || scalar.properties.isNoncharacterCodePoint:
            text += "\\u{" + String(scalar.value, radix: 16, uppercase: true) + "}"
        case _: text.unicodeScalars.append(scalar)
        }
    }
}
