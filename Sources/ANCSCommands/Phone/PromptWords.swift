/// The words of a typed line: separated by blanks, with quotes around those that have blanks in them,
/// and with `\"`, `\\`, `\n` and `\t` in quotes or outside.
enum PromptWords {
    /// A quote that does not end.
    struct OpenQuote: Error {}

    static func split(_ line: some StringProtocol) throws(OpenQuote) -> [String] {
        var words: [String] = []
        var word: String?
        var quote: Character?
        var characters = line.makeIterator()
        while let character = characters.next() {
            switch character {
            case "\\":
                guard let escaped = characters.next() else { break }
                word = (word ?? "") + String(meaning(of: escaped))
            case quote: quote = nil
            case "\"" where quote == nil, "'" where quote == nil:
                quote = character
                word = word ?? ""
            case _ where quote == nil && character.isWhitespace:
                if let ended = word { words.append(ended) }
                word = nil
            default: word = (word ?? "") + String(character)
            }
        }
        guard quote == nil else { throw OpenQuote() }
        if let word { words.append(word) }
        return words
    }

    /// The word as it has to be typed.
    static func quoted(_ word: String) -> String {
        let isPlain = !word.isEmpty && !word.contains { $0.isWhitespace || "\"'\\".contains($0) }
        guard !isPlain else { return word }
        var text = "\""
        for character in word {
            if "\"\\".contains(character) { text.append("\\") }
            text.append(character)
        }
        return text + "\""
    }

    private static func meaning(of escaped: Character) -> Character {
        switch escaped {
        case "n": "\n"
        case "t": "\t"
        default: escaped
        }
    }
}
