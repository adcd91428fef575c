/// Makes untrusted text safe for a terminal: characters that would move the cursor, change colors or show a text
/// backwards are shown as escapes, which are visible and have no effect.
package enum TerminalText {
    /// The text as ``DisplayFold`` has it, with what is visible as `\n`, `\t` or `\u{202E}`. A backslash is doubled, so
    /// that an escape cannot be faked.
    package static func visible(_ text: String) -> String {
        // Most texts are plain, but for signs of this program.
        guard mayHide(text.utf8.span) else { return text }
        let fold = DisplayFold(text)
        if fold.isPlain, !text.utf8.contains(UInt8(ascii: "\\")) { return text }
        var shown = String.UnicodeScalarView()
        for (place, scalar) in text.unicodeScalars.enumerated() {
            append(scalar, fold[place], to: &shown)
        }
        return String(shown)
    }

    /// Appends what a terminal shows of a character.
    static func append(
        _ scalar: Unicode.Scalar, _ treatment: DisplayFold.Treatment,
        to shown: inout String.UnicodeScalarView
    ) {
        switch (scalar, treatment) {
        case (_, .dropped): break
        case ("\\", _): shown.append(contentsOf: #"\\"#.unicodeScalars)
        case ("\n", _): shown.append(contentsOf: #"\n"#.unicodeScalars)
        case ("\r", _): shown.append(contentsOf: #"\r"#.unicodeScalars)
        case ("\t", _): shown.append(contentsOf: #"\t"#.unicodeScalars)
        case (_, .visible): shown.append(contentsOf: DisplayFold.visible(scalar).unicodeScalars)
        case (_, .kept): shown.append(scalar)
        }
    }

    /// Whether a text may have something to escape: by the octets with which the UTF-8 of special characters begins,
    /// and by those that follow in `·`, `✓` and the like.
    private static func mayHide(_ text: Span<UInt8>) -> Bool {
        var last: UInt8 = 0
        for index in text.indices {
            let octet = text[index]
            switch (last, octet) {
            case (_, 0x00...0x1F), (_, 0x7F), (_, UInt8(ascii: "\\")): return true
            // U+0080 to U+009F, and U+00AD.
            case (0xC2, 0x80...0x9F), (0xC2, 0xAD): return true
            // U+2000 to U+206F.
            case (0xE2, 0x80...0x81): return true
            case (_, 0xCD), (_, 0xD8), (_, 0xE1), (_, 0xE3), (_, 0xEF...0xF4): return true
            default: last = octet
            }
        }
        return false
    }

    /// Whether a terminal would interpret the character or show nothing for it. The joiners U+200C and
    /// U+200D are not among them, because scripts and emoji need them.
    package static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x00...0x1F, 0x7F...0x9F: true  // C0, DEL, C1
        case 0x061C, 0x200E...0x200F, 0x202A...0x202E, 0x2066...0x2069: true  // direction
        case 0x2028...0x2029: true  // line and paragraph separators
        case 0x00AD, 0x034F, 0x115F...0x1160, 0x17B4...0x17B5, 0x180B...0x180F, 0x200B: true
        case 0x2060...0x2065, 0x206A...0x206F, 0x3164, 0xFEFF, 0xFFA0, 0xFFF0...0xFFFB: true
        case 0x1BCA0...0x1BCA3, 0x1D173...0x1D17A, 0xE0000...0xE0FFF: true
        default: false
        }
    }
}
