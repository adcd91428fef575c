internal import Printing

/// Makes untrusted text safe for a popup: as ``DisplayFold`` has it, with what is visible as `\u{202E}`. D-Bus does not
/// accept text with noncharacters, which are visible too. The length is limited.
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
        let fold = DisplayFold(text)
        var place = 0
        for character in text {
            // Every line break of Unicode, such as U+0085 and U+2028.
            if character.isNewline {
                shown += shape == .line ? " " : "\n"
                place += character.unicodeScalars.count
            } else {
                for scalar in character.unicodeScalars {
                    append(scalar, fold[place], to: &shown, as: shape)
                    place += 1
                }
            }
            let count = shown.utf8.count
            guard count <= limit else {
                return String(decoding: shown.utf8.prefix(fitting), as: UTF8.self) + ellipsis
            }
            if count <= limit - ellipsis.utf8.count { fitting = count }
        }
        return shown
    }

    private static func append(
        _ scalar: Unicode.Scalar, _ treatment: DisplayFold.Treatment, to text: inout String,
        as shape: Shape
    ) {
        switch (scalar, treatment, shape) {
        case ("\t", _, _): text += " "
        case ("&", _, .markup): text += "&amp;"
        case ("<", _, .markup): text += "&lt;"
        case (">", _, .markup): text += "&gt;"
        case (_, .visible, _): text += DisplayFold.visible(scalar)
        case (_, .dropped, _): break
        case (_, .kept, _): text.unicodeScalars.append(scalar)
        }
    }
}
