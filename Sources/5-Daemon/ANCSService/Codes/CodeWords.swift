internal import CTables
internal import JSONText

/// The words that indicate codes, and those that indicate other numbers, in the most common languages of
/// phones: `code-words.json`. They are compared without case and accents.
///
/// A star matches letters before or after the word: compounds, endings, and the articles and prepositions
/// that Arabic and Hebrew attach to a word.
enum CodeWords {
    /// A word or a phrase.
    struct Word: Sendable {
        var meaning: CodeHint.Meaning
        var scalars: [Unicode.Scalar]
        var isOpenBefore: Bool
        var isOpenAfter: Bool

        init(_ text: String, _ meaning: CodeHint.Meaning) {
            self.meaning = meaning
            isOpenBefore = text.hasPrefix("*")
            isOpenAfter = text.hasSuffix("*")
            scalars = text.unicodeScalars.filter { $0 != "*" }.map(\.foldedForCodes)
        }
    }

    /// The words by their first character, and the words that can be between a hint and its code.
    static let (byFirst, connections): ([Unicode.Scalar: [Word]], Set<String>) = {
        guard let table = try? JSONValue(parsing: String(cString: ctables_code_words())) else {
            preconditionFailure("code-words.json is not JSON")
        }
        var words: [Unicode.Scalar: [Word]] = [:]
        for meaning in CodeHint.Meaning.allCases {
            for text in texts(in: table[meaning.rawValue]) {
                let word = Word(text, meaning)
                if let first = word.scalars.first { words[first, default: []].append(word) }
            }
        }
        return (words, Set(texts(in: table["connection"])))
    }()

    /// The texts of a list, or of all lists of an object.
    private static func texts(in value: JSONValue?) -> [String] {
        switch value {
        case .string(let text): [text]
        case .array(let elements): elements.flatMap(texts)
        case .object(let members): members.flatMap { texts(in: $0.value) }
        case .null, .boolean, .integer, .number, nil: []
        }
    }
}
