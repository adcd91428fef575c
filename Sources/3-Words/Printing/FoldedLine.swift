/// A line for people on a terminal that is narrower: it goes on below, between words or ideographs, a little further to
/// the right than it began.
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
            for (part, piece) in pieces(of: word).enumerated() {
                let space = index > 0 && part == 0 ? 1 : 0
                let columns = visibleWidth(of: piece)
                if hasWord, !piece.isEmpty, used + space + columns > width {
                    lines.append(withoutEnd(current))
                    current = start + piece
                    used = indentation + columns
                } else {
                    current += (space > 0 ? " " : "") + piece
                    used += space + columns
                }
                hasWord = hasWord || !piece.isEmpty
            }
        }
        return lines + [withoutEnd(current)]
    }

    /// A word in pieces between which a line may end: before and after an ideograph, but not before what closes, nor
    /// behind what opens (Unicode Standard Annex #14).
    private static func pieces(of word: Substring) -> [Substring] {
        var pieces: [Substring] = []
        var start = word.startIndex
        var last: Character?
        for index in word.indices {
            let character = word[index]
            if let last, last.isIdeograph || character.isIdeograph, !last.opens, !character.closes {
                pieces.append(word[start..<index])
                start = index
            }
            last = character
        }
        return pieces + [word[start...]]
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

extension Character {
    /// Whether a line may end beside it: it belongs to Chinese or Japanese, which have no spaces.
    fileprivate var isIdeograph: Bool {
        switch unicodeScalars.first?.value ?? 0 {
        case 0x2E80...0xA4CF, 0xF900...0xFAFF, 0xFE30...0xFE4F, 0xFF01...0xFF9F, 0x20000...0x3FFFD:
            true
        default: false
        }
    }

    fileprivate var opens: Bool {
        switch unicodeScalars.first?.properties.generalCategory {
        case .openPunctuation, .initialPunctuation: true
        // Unicode.GeneralCategory is open: it is the standard library's.
        default: false
        }
    }

    fileprivate var closes: Bool {
        switch unicodeScalars.first?.properties.generalCategory {
        case .closePunctuation, .finalPunctuation, .otherPunctuation, .modifierLetter: true
        // Unicode.GeneralCategory is open: it is the standard library's.
        default: "ぁぃぅぇぉっゃゅょゎァィゥェォッャュョヮ".contains(self)
        }
    }
}
