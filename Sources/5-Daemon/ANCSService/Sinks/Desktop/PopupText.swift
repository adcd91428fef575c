internal import Terminal

/// Makes untrusted text safe for a popup: control characters, invisible ones and those that change the
/// direction of text are shown as escapes such as `\u{202E}`, and the length is limited.
enum PopupText {
    /// The format of a text.
    enum Shape {
        /// One line of plain text.
        case line
        /// Lines of plain text.
        case lines
        /// Lines in which `&`, `<` and `>` are escaped, for a server that reads markup.
        case markup
    }

    private static let ellipsis = "…"

    /// The text in at most `limit` octets of UTF-8. It is cut between characters, and never within an escape.
    static func shown(_ text: String, as shape: Shape, limit: Int) -> String {
        var shown = ""
        /// The length in octets up to which the text still leaves room for the ellipsis.
        var fitting = 0
        // A character has at least one octet.
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
        // U+2028 and U+2029 are the line separator and the paragraph separator.
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
        // D-Bus does not accept text with noncharacters.
        case _ where TerminalText.isHidden(scalar) || scalar.properties.isNoncharacterCodePoint:
            text += "\\u{" + String(scalar.value, radix: 16, uppercase: true) + "}"
        case _: text.unicodeScalars.append(scalar)
        }
    }
}
