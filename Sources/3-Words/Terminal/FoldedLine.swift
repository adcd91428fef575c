/// A line for people on a terminal that is narrower: it goes on below, between words, a little further to the
/// right than it began.
package enum FoldedLine {
    /// How much further to the right, in columns.
    private static let hanging = 2

    /// The lines, none wider than `width` columns unless a single word is. A line of JSON is for programs, and is
    /// not broken.
    package static func lines(of line: String, width: Int) -> [String] {
        // No character has more columns than octets in UTF-8, which are counted at once.
        guard line.utf8.count > width, visibleWidth(of: line) > width, !line.hasPrefix("{") else {
            return [line]
        }
        let indentation = min(line.prefix { $0 == " " }.count + hanging, width / 2)
        let start = String(repeating: " ", count: indentation)
        var lines: [String] = []
        var current = ""
        var used = 0
        var hasWord = false
        for (index, word) in line.split(separator: " ", omittingEmptySubsequences: false)
            .enumerated()
        {
            let columns = visibleWidth(of: word)
            if hasWord, !word.isEmpty, used + 1 + columns > width {
                lines.append(withoutEnd(current))
                current = start + word
                used = indentation + columns
            } else {
                current += (index > 0 ? " " : "") + word
                used += (index > 0 ? 1 : 0) + columns
            }
            hasWord = hasWord || !word.isEmpty
        }
        return lines + [withoutEnd(current)]
    }

    /// The width in columns, without the sequences that change colors.
    private static func visibleWidth(of text: some StringProtocol) -> Int {
        var width = 0
        var isInSequence = false
        for character in text {
            if isInSequence {
                isInSequence = !character.isLetter
            } else if character == "\u{1B}" {
                isInSequence = true
            } else {
                width += TerminalText.width(of: character)
            }
        }
        return width
    }

    private static func withoutEnd(_ line: String) -> String {
        var line = line
        while line.last == " " { line.removeLast() }
        return line
    }
}
