internal import Printing

/// The width of characters on a terminal.
enum TerminalColumns {
    /// One character as displayed, and its width in columns.
    struct Cell: Equatable {
        package var text: String
        package var width: Int
    }

    /// The character, or an escape if a terminal would interpret or hide it.
    static func cell(_ character: Character) -> Cell {
        let plain = String(character)
        guard character != "\\" else { return Cell(text: plain, width: 1) }
        let visible = TerminalText.visible(plain)
        return visible == plain
            ? Cell(text: plain, width: width(of: character))
            : Cell(text: visible, width: visible.count)
    }

    /// 0 for combining marks, 2 for East Asian wide characters and emoji (Unicode Standard Annex #11), 1 for
    /// everything else. A joined emoji is as wide as its first part.
    private static func width(of character: Character) -> Int {
        guard let first = character.unicodeScalars.first else { return 0 }
        if character.unicodeScalars.contains("\u{FE0F}") { return 2 }
        let properties = first.properties
        if properties.isEmojiPresentation || isWide(first.value) { return 2 }
        switch properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format: return 0
        // Unicode.GeneralCategory is open: it is the standard library's.
        default: return 1
        }
    }

    private static func isWide(_ value: UInt32) -> Bool {
        switch value {
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF: true
        case 0x4E00...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF: true
        case 0xFE30...0xFE6F, 0xFF01...0xFF60, 0xFFE0...0xFFE6, 0x20000...0x3FFFD: true
        default: false
        }
    }
}
