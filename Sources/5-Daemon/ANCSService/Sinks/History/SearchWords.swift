internal import Printing

/// Prepares text for the index and for queries, so that a search works in every script: the words of a text,
/// separated by spaces.
///
/// | text | becomes | why |
/// |---|---|---|
/// | 会議は三時 | 会 議 は 三 時 | Chinese, Japanese and Thai do not separate words: each character is one, and what is looked for is characters in a row |
/// | مَرْحَبًا | مرحبا | vowel signs of Arabic and Hebrew are written in some texts only |
/// | 👍🏽 | ⟨U+1F44D⟩ ⟨U+1F3FD⟩ | symbols are words too: a private-use letter and the number of the character, which FTS5 takes for a word |
/// | it's 5:30 | it s 5 30 | the rest of the punctuation separates words |
///
/// FTS5 handles upper case and the accents of Latin letters, see ``HistorySchema``, but no others.
enum SearchWords {
    /// Letters of Greek and Russian whose accents are often omitted.
    private static let withoutAccent: [Unicode.Scalar: Unicode.Scalar] = [
        "ά": "α", "έ": "ε", "ή": "η", "ί": "ι", "ό": "ο", "ύ": "υ", "ώ": "ω", "ϊ": "ι", "ϋ": "υ",
        "ΐ": "ι", "ΰ": "υ", "Ά": "Α", "Έ": "Ε", "Ή": "Η", "Ί": "Ι", "Ό": "Ο", "Ύ": "Υ", "Ώ": "Ω",
        "ё": "е", "Ё": "Е",
    ]

    private enum Kind { case letter, alone, symbol, dropped, separator }

    /// The words of a text for the index: those of the text as it came and, if they are others, those of the text as
    /// ``MatchingFold`` has it.
    static func indexed(_ text: String) -> String {
        let words = words(of: text)
        guard let folded = MatchingFold.folded(text).map({ Self.words(of: $0) }), folded != words
        else { return words }
        return words + " " + folded
    }

    /// The words of a text; empty if there are none.
    static func words(of text: some StringProtocol) -> String {
        var words = String.UnicodeScalarView()
        var isWithin = false
        for scalar in text.unicodeScalars {
            switch kind(of: scalar) {
            case .letter:
                words.append(withoutAccent[scalar] ?? scalar)
                isWithin = true
            case .dropped: break
            case .separator:
                if isWithin { words.append(" ") }
                isWithin = false
            case .alone, .symbol:
                if isWithin { words.append(" ") }
                words.append(contentsOf: word(of: scalar))
                words.append(" ")
                isWithin = false
            }
        }
        if words.last == " " { words.removeLast() }
        return String(words)
    }

    /// The FTS5 expression for texts with words that start with all words of a query; `nil` if there are
    /// none, as in "?!". Nothing in it can be an operator (FTS5, 3): every word is in quotation marks, and
    /// contains none.
    static func expression(for query: String) -> String? {
        let queries = [query, MatchingFold.folded(query)].compactMap { $0 }
        var expressions: [String] = []
        for case let expression? in queries.map(phrases) where !expressions.contains(expression) {
            expressions.append(expression)
        }
        guard expressions.count > 1 else { return expressions.first }
        return expressions.map { "(\($0))" }.joined(separator: " OR ")
    }

    private static func phrases(of query: String) -> String? {
        // By scalars: as characters, a vowel sign after a space would be part of the space, but here it
        // belongs to the word.
        let parts = query.unicodeScalars.split { $0.properties.isWhitespace }
        let phrases = parts.map { words(of: Substring($0)) }.filter { !$0.isEmpty }
        guard !phrases.isEmpty else { return nil }
        return phrases.map { "\"\($0)\"*" }.joined(separator: " AND ")
    }

    private static func word(of scalar: Unicode.Scalar) -> String.UnicodeScalarView {
        guard kind(of: scalar) == .symbol else { return String(scalar).unicodeScalars }
        return ("\u{E000}" + String(scalar.value, radix: 16)).unicodeScalars
    }

    private static func kind(of scalar: Unicode.Scalar) -> Kind {
        if scalar.isASCII {
            return UInt8(scalar.value).isASCIILetterOrDigit ? .letter : .separator
        }
        switch scalar.value {
        // Combining accents, and vowel signs of Hebrew and Arabic, including the stroke that lengthens a
        // line.
        case 0x0300...0x036F, 0x0591...0x05BD, 0x05BF, 0x05C1...0x05C2, 0x05C4...0x05C5, 0x05C7,
            0x0610...0x061A, 0x0640, 0x064B...0x065F, 0x0670, 0x06D6...0x06DC, 0x06DF...0x06E4:
            return .dropped
        // Variation selectors and joiners of symbols; joiners of letters, which are often omitted.
        case 0xFE00...0xFE0F, 0x200B...0x200F, 0x2060, 0xFEFF: return .dropped
        case 0xE000: return .separator
        // FTS5 only knows the characters of Unicode 6.1: those of later scripts become words of their own.
        case 0x10000...: return otherKind(of: scalar) ?? .symbol
        default: return otherKind(of: scalar) ?? (isSpaceless(scalar) ? .alone : .letter)
        }
    }

    /// Whether it belongs to a script without spaces between words, or to Korean, whose words have suffixes.
    private static func isSpaceless(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x0E01...0x0E3A, 0x0E40...0x0E4E, 0x0E80...0x0EFF: true  // Thai, Lao
        case 0x0F40...0x0FBC, 0x1000...0x109F, 0x1780...0x17D3: true  // Tibetan, Burmese, Khmer
        case 0x3005...0x3007, 0x3031...0x3035, 0x3041...0x309F, 0x30A1...0x30FA, 0x30FC...0x30FF:
            true
        case 0x3100...0x318F, 0x31A0...0x31BF, 0x31F0...0x31FF: true  // Bopomofo, Hangul
        case 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xA000...0xA48C, 0xF900...0xFAFF: true  // Han, Yi
        case 0x1100...0x11FF, 0xAC00...0xD7FB, 0xFF66...0xFFDC: true  // Hangul, narrow kana
        default: false
        }
    }

    /// The kind of a character that is not a letter, mark or digit; `nil` for those.
    private static func otherKind(of scalar: Unicode.Scalar) -> Kind? {
        switch scalar.properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
            .nonspacingMark, .spacingMark, .enclosingMark, .decimalNumber, .letterNumber,
            .otherNumber:
            nil
        case .mathSymbol, .currencySymbol, .modifierSymbol, .otherSymbol, .privateUse: .symbol
        case .connectorPunctuation, .dashPunctuation, .openPunctuation, .closePunctuation,
            .initialPunctuation, .finalPunctuation, .otherPunctuation, .spaceSeparator,
            .lineSeparator, .paragraphSeparator, .control, .format, .surrogate, .unassigned:
            .separator
        @unknown default: .separator
        }
    }
}
