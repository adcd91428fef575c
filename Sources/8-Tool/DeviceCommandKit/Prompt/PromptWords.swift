/// Splits a typed line into words. Words are separated by blanks, may be quoted, and may contain the escapes
/// `\"`, `\\`, `\n` and `\t` inside or outside quotes.
package enum PromptWords {
    /// The words of a line of a prompt; `nil` for an empty one or a comment.
    package static func command(in line: String) throws(PromptFault) -> [String]? {
        let words = try split(line)
        guard let word = words.first, !word.hasPrefix("#") else { return nil }
        return words
    }

    // By scalar, because a quote followed by a combining mark would not compare equal to a quote.
    package static func split(_ line: some StringProtocol) throws(PromptFault) -> [String] {
        var words: [String] = []
        var word: String.UnicodeScalarView?
        var quote: Unicode.Scalar?
        var scalars = line.unicodeScalars.makeIterator()
        while let scalar = scalars.next() {
            switch scalar {
            case "\\":
                guard let escaped = scalars.next() else { break }
                word = (word ?? .init()) + [meaning(of: escaped)]
            case quote: quote = nil
            case "\"" where quote == nil, "'" where quote == nil:
                quote = scalar
                word = word ?? .init()
            case _ where quote == nil && scalar.properties.isWhitespace:
                if let ended = word { words.append(String(ended)) }
                word = nil
            default: word = (word ?? .init()) + [scalar]
            }
        }
        guard quote == nil else { throw PromptFault(message: "a closing quote is missing") }
        if let word { words.append(String(word)) }
        return words
    }

    /// The word, quoted if necessary, as it has to be typed.
    package static func quoted(_ word: String) -> String {
        let isPlain =
            !word.isEmpty
            && !word.unicodeScalars.contains { scalar in
                scalar.properties.isWhitespace || scalar == "\"" || scalar == "'" || scalar == "\\"
            }
        guard !isPlain else { return word }
        var text: String.UnicodeScalarView = .init()
        text.append("\"")
        for scalar in word.unicodeScalars {
            if scalar == "\"" || scalar == "\\" { text.append("\\") }
            text.append(scalar)
        }
        text.append("\"")
        return String(text)
    }

    private static func meaning(of escaped: Unicode.Scalar) -> Unicode.Scalar {
        switch escaped {
        case "n": "\n"
        case "t": "\t"
        default: escaped
        }
    }
}
