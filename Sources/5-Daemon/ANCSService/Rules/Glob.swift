internal import Printing

/// A pattern for names, in which `*` stands for any characters and `?` for one. Case is ignored. It matches a name as
/// it came, or both as ``MatchingFold`` has them.
package struct Glob: Equatable, Sendable {
    /// How many characters of a name are compared; names of apps are far shorter.
    private static let maximumNameCount = 1024
    /// The maximum length of a pattern in octets.
    package static let maximumCount = 256

    /// The pattern as written.
    package let source: String
    private let letters: [Unicode.Scalar]
    private let foldedLetters: [Unicode.Scalar]

    /// A pattern; `nil` if it is empty, too long or has control characters.
    package init?(_ source: String) {
        guard (1...Self.maximumCount).contains(source.utf8.count),
            !source.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F })
        else { return nil }
        self.source = source
        letters = Self.letters(of: source)
        foldedLetters = Self.letters(of: MatchingFold.text(source))
    }

    /// Whether it has no wildcards.
    package var isLiteral: Bool { !letters.contains("*") && !letters.contains("?") }

    private static func letters(of name: String) -> [Unicode.Scalar] {
        Array(name.lowercased().unicodeScalars.prefix(maximumNameCount))
    }

    /// Whether a name matches.
    package func matches(_ name: String) -> Bool {
        Self.matches(letters, Self.letters(of: name))
            || Self.matches(foldedLetters, Self.letters(of: MatchingFold.text(name)))
    }

    private static func matches(_ letters: [Unicode.Scalar], _ name: [Unicode.Scalar]) -> Bool {
        var (position, letter) = (0, 0)
        // Where to continue if the text after the last star does not match: the star then matches one more
        // character.
        var retry: (position: Int, letter: Int)?
        while position < name.count {
            if letter < letters.count, letters[letter] == "*" {
                retry = (position, letter)
                letter += 1
            } else if letter < letters.count,
                letters[letter] == name[position] || letters[letter] == "?"
            {
                position += 1
                letter += 1
            } else if let last = retry {
                retry = (last.position + 1, last.letter)
                position = last.position + 1
                letter = last.letter + 1
            } else {
                return false
            }
        }
        return letters[letter...].allSatisfy { $0 == "*" }
    }

    /// Whether it matches every name that another pattern matches, as far as that is easy to determine.
    package func covers(_ other: Self) -> Bool {
        letters == other.letters || letters == ["*"] || other.isLiteral && matches(other.source)
    }
}
