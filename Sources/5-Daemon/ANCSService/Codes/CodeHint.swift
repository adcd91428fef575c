/// A word that indicates the meaning of a number.
struct CodeHint: Equatable, Sendable {
    /// The meaning of the word; its name is that of a list in `code-words.json`.
    enum Meaning: String, CaseIterable, Sendable {
        /// A one-time code.
        case strong
        /// Possibly one: a code, a PIN.
        case weak
        /// Another number, such as an order number or a phone number.
        case other
        /// A unit, which follows a number.
        case unit
        /// A currency, directly before or after a number.
        case currency
        /// The text is an advertisement.
        case promotion
    }

    var meaning: Meaning
    var range: Range<Int>
}

/// Finds the words of ``CodeWords`` in a folded text, in one pass.
struct CodeHintScanner {
    private(set) var hints: [CodeHint] = []

    init(_ text: [Unicode.Scalar]) {
        var index = 0
        while index < text.count {
            guard let hint = Self.longestHint(in: text, at: index) else {
                index += 1
                continue
            }
            hints.append(hint)
            index = hint.range.upperBound
        }
    }

    private static func longestHint(in text: [Unicode.Scalar], at start: Int) -> CodeHint? {
        guard let words = CodeWords.byFirst[text[start]] else { return nil }
        let isInside = start > 0 && text[start - 1].isLetterOfSpacedScript
        var best: CodeHint?
        for word in words where !isInside || word.isOpenBefore {
            guard let range = match(word, in: text, at: start),
                range.upperBound > best?.range.upperBound ?? 0
            else { continue }
            best = CodeHint(meaning: word.meaning, range: range)
        }
        return best
    }

    private static func match(
        _ word: CodeWords.Word, in text: [Unicode.Scalar], at start: Int
    ) -> Range<Int>? {
        var end = start
        for scalar in word.scalars {
            guard end < text.count, text[end] == scalar || scalar == " " && text[end].isSpace else {
                return nil
            }
            end += 1
        }
        guard end < text.count, text[end].isLetterOfSpacedScript else { return start..<end }
        guard word.isOpenAfter else { return nil }
        // A word's inflection adds only a few characters.
        let limit = min(text.count, end + 12)
        while end < limit, text[end].isLetterOfSpacedScript { end += 1 }
        return start..<end
    }
}
