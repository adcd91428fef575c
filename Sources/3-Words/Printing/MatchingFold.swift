@_spi(_Unicode) internal import Swift

/// Untrusted text as a person would type it, to compare it with what a person typed: without marks and variation
/// selectors, with one plain space for all spaces in a row, the fullwidth digits and letters of ASCII as ASCII, and
/// letters composed with their accents (NFC, Unicode Standard Annex #15). The joiners U+200C and U+200D stay, because
/// words differ by them.
///
/// What matched the text as it came still has to match: try both.
package enum MatchingFold {
    /// The folded text; `nil` if it is the text itself.
    package static func folded(_ text: String) -> String? {
        guard mayChange(text.utf8.span) else { return nil }
        var view = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar.value {
            case 0x0A, 0x0D, 0x200C, 0x200D: view.append(scalar)
            case 0xFF10...0xFF19, 0xFF21...0xFF3A, 0xFF41...0xFF5A:
                view.append(Unicode.Scalar(UInt8(scalar.value - 0xFEE0)))
            case 0x09, 0x20: appendSpace(to: &view)
            case 0..<0x7F: view.append(scalar)
            case _ where scalar.properties.isWhitespace: appendSpace(to: &view)
            case _ where scalar.properties.isDefaultIgnorableCodePoint: break
            default: view.append(scalar)
            }
        }
        var composed = String.UnicodeScalarView()
        for scalar in String(view)._nfc { composed.append(scalar) }
        return composed.elementsEqual(text.unicodeScalars) ? nil : String(composed)
    }

    /// The folded text, which may be the text itself.
    package static func text(_ text: String) -> String { folded(text) ?? text }

    private static func appendSpace(to view: inout String.UnicodeScalarView) {
        if view.last != " " { view.append(" ") }
    }

    /// Whether a text is more than ASCII with single spaces.
    private static func mayChange(_ text: Span<UInt8>) -> Bool {
        var last: UInt8 = 0
        for index in text.indices {
            let octet = text[index]
            if octet >= 0x80 || octet == 0x09 || octet == 0x20 && last == 0x20 { return true }
            last = octet
        }
        return false
    }
}
