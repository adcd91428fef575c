/// A name with `*` for any characters and `?` for one. Large and small letters are the same.
package struct Glob: Equatable, Sendable {
    /// Characters of a name after this many are ignored; names of apps are far shorter.
    private static let maximumNameCount = 1024
    /// A longer one is refused, in octets.
    package static let maximumCount = 256

    /// What the user wrote.
    package let source: String
    private let letters: [Unicode.Scalar]

    /// `nil` for an empty text, one that is too long, and one with control characters.
    package init?(_ source: String) {
        guard (1...Self.maximumCount).contains(source.utf8.count),
            !source.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F })
        else { return nil }
        self.source = source
        letters = Array(source.lowercased().unicodeScalars)
    }

    /// Whether it is a plain name.
    package var isLiteral: Bool { !letters.contains("*") && !letters.contains("?") }

    /// Whether a name is one of those that are meant.
    package func matches(_ name: String) -> Bool {
        let name = Array(name.lowercased().unicodeScalars.prefix(Self.maximumNameCount))
        var (position, letter) = (0, 0)
        // Where to go on if what follows the last star does not fit: the star takes one character more.
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

    /// Whether everything that another one means is meant by this one, as far as that is easy to see.
    package func covers(_ other: Self) -> Bool {
        letters == other.letters || letters == ["*"] || other.isLiteral && matches(other.source)
    }
}
