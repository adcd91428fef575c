/// The width of text on a terminal: most East Asian characters and emoji take two columns, combining
/// characters none.
extension TerminalText {
    /// The width in columns of a text without line breaks and control characters; see ``visible(_:)``.
    package static func width(of text: String) -> Int { text.reduce(0) { $0 + width(of: $1) } }

    /// The width in columns of a user-perceived character.
    package static func width(of character: Character) -> Int {
        let scalars = character.unicodeScalars
        // Emoji with joiners and modifiers are shown as one picture.
        let isPicture = scalars.contains { $0.properties.isEmojiPresentation || $0 == "\u{FE0F}" }
        if isPicture { return 2 }
        return scalars.reduce(0) { $0 + width(of: $1) }
    }

    private static func width(of scalar: Unicode.Scalar) -> Int {
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format: return 0
        // Unicode.GeneralCategory is open: it is the standard library's.
        default: break
        }
        switch scalar.value {
        case 0x1160...0x11FF: return 0  // the vowels and finals of composed Hangul
        case _ where isWide(scalar.value): return 2
        default: return 1
        }
    }

    /// East_Asian_Width W and F, in blocks. Unicode Standard Annex #11.
    private static func isWide(_ value: UInt32) -> Bool {
        switch value {
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x4DBF, 0x4E00...0xA4CF: true
        case 0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE19: true
        case 0xFE30...0xFE6F, 0xFF01...0xFF60, 0xFFE0...0xFFE6: true
        case 0x16FE0...0x18CFF, 0x1AFF0...0x1B2FF, 0x1F200...0x1F265, 0x20000...0x3FFFD: true
        default: false
        }
    }

    /// The text, padded with spaces to `width` columns unless it is longer.
    package static func padded(_ text: String, to width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - self.width(of: text)))
    }

    /// The text, cut at a word to fit into `width` columns, with an ellipsis.
    package static func cut(_ text: String, to width: Int) -> String {
        wrapped(text, to: width, limit: 1).first ?? ""
    }

    /// The text, cut at a character to fit into `width` columns, with an ellipsis.
    package static func clipped(_ text: String, to width: Int) -> String {
        guard self.width(of: text) > width else { return text }
        var clipped = ""
        var room = width - 1
        for character in text {
            room -= self.width(of: character)
            guard room >= 0 else { break }
            clipped.append(character)
        }
        return width > 0 ? clipped + "…" : ""
    }

    /// The text in lines of at most `width` columns, broken at spaces or between wide characters if possible.
    /// After `limit` lines, the rest is replaced by an ellipsis.
    package static func wrapped(_ text: String, to width: Int, limit: Int) -> [String] {
        var lines = LineBreaker(width: max(width, 2))
        for character in text {
            lines.append(character)
            if lines.complete.count > limit { break }
        }
        var all = lines.all
        guard all.count > limit, limit > 0 else { return all }
        all.removeSubrange(limit...)
        var last = Array(all[limit - 1])
        while Self.width(of: String(last)) > max(width, 2) - 1 { last.removeLast() }
        while last.last == " " { last.removeLast() }
        all[limit - 1] = String(last) + "…"
        return all
    }

    private struct LineBreaker {
        let width: Int
        private(set) var complete: [String] = []
        private var line: [Character] = []
        private var used = 0

        init(width: Int) { self.width = width }

        var all: [String] { line.isEmpty ? complete : complete + [String(line)] }

        mutating func append(_ character: Character) {
            var character = character
            var columns = TerminalText.width(of: character)
            if columns > width {
                // A wide character does not fit on any line, and cutting it would shift everything that
                // follows.
                character = "\u{FFFD}"
                columns = 1
            }
            if used + columns > width { breakLine(before: character, columns) }
            // A continued line does not begin with the space at which the line was broken.
            if character == " ", line.isEmpty, !complete.isEmpty { return }
            line.append(character)
            used += columns
        }

        private mutating func breakLine(before character: Character, _ columns: Int) {
            var rest: [Character] = []
            if character != " ", columns < 2, let space = line.lastIndex(of: " "), space > 0 {
                rest = Array(line[(space + 1)...])
                line.removeSubrange(space...)
            }
            complete.append(String(line))
            line = rest
            used = rest.reduce(0) { $0 + TerminalText.width(of: $1) }
        }
    }
}
