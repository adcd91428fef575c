/// Makes untrusted text safe in XML and HTML, as content and in quoted attributes.
package enum MarkupText {
    /// The text without markup. Characters that a terminal would not show are escaped as for one, which leaves none
    /// that XML 1.0 forbids (production 2, *Char*).
    package static func escaped(_ text: String) -> String {
        escaped(TerminalText.visible(text).unicodeScalars)
    }

    private static func escaped(_ text: String.UnicodeScalarView) -> String {
        var result = String.UnicodeScalarView()
        for scalar in text {
            switch scalar {
            case "&": result.append(contentsOf: "&amp;".unicodeScalars)
            case "<": result.append(contentsOf: "&lt;".unicodeScalars)
            case ">": result.append(contentsOf: "&gt;".unicodeScalars)
            case "\"": result.append(contentsOf: "&quot;".unicodeScalars)
            case "'": result.append(contentsOf: "&#39;".unicodeScalars)
            default: result.append(scalar)
            }
        }
        return String(result)
    }

    /// How many marks may stand on one letter; further ones would cover what is around it.
    private static let maximumMarks = 3

    /// The same of the beginning of a text, at most `limit` characters of Unicode and `…`, for a page that has to
    /// remain readable: heaps of combining marks are left out.
    package static func escaped(_ text: String, limit: Int) -> String {
        // The whole text is folded: what begins before the limit may end after it.
        let fold = DisplayFold(text)
        var shown = String.UnicodeScalarView()
        var marks = 0
        var count = 0
        for (place, scalar) in text.unicodeScalars.enumerated() where fold[place] != .dropped {
            marks = scalar.properties.canonicalCombiningClass == .notReordered ? 0 : marks + 1
            guard marks <= maximumMarks else { continue }
            guard count < limit else {
                shown.append("…")
                break
            }
            TerminalText.append(scalar, fold[place], to: &shown)
            count += 1
        }
        return escaped(shown)
    }
}
