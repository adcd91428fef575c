/// A name as a person reads and types it. Names are equal if they look alike: case does not count, nor do
/// typographic quotation marks, what ``MatchingFold`` makes equal, and characters that are not displayed, such as
/// the mark with which the name of an app may begin.
package struct TypedName: Hashable, Sendable {
    /// The number of Unicode scalars that count: nobody types more, and a phone may send any number.
    private static let limit = 256

    private let folded: String

    package init(_ text: String) {
        var folded = String.UnicodeScalarView()
        let start = String(String.UnicodeScalarView(text.unicodeScalars.prefix(Self.limit)))
        for scalar in MatchingFold.text(start).unicodeScalars {
            switch scalar.value {
            case _ where scalar.properties.isWhitespace:
                if let last = folded.last, last != " " { folded.append(" ") }
            case _ where scalar.properties.isDefaultIgnorableCodePoint: break
            case 0x2018, 0x2019, 0x02BC: folded.append("'")
            case 0x201C, 0x201D: folded.append("\"")
            case 0x2010...0x2015: folded.append("-")
            default: folded.append(scalar)
            }
        }
        if folded.last == " " { folded.removeLast() }
        self.folded = String(folded).lowercased()
    }

    /// Whether nothing is left of it.
    package var isEmpty: Bool { folded.isEmpty }

    /// Whether a name was meant: it looks like this one, or is displayed on a terminal as the typed text.
    package static func matches(_ text: String, _ name: String) -> Bool {
        let typed = Self(text)
        if typed.isEmpty { return false }
        let isShort = name.utf8.count <= 4 * limit
        return typed == Self(name) || isShort && text == TerminalText.visible(name)
    }

    /// Whether this is a part of a name.
    package func isPart(of name: String) -> Bool {
        !folded.isEmpty && Self(name).folded.contains(folded)
    }
}
