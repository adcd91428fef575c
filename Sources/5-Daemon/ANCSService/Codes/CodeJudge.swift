/// Decides from the words around a number whether it is a code.
struct CodeJudge {
    /// The cost of a code that stands alone below a title that announces it.
    static let announcedCost = 40

    /// The maximum distance in characters between a word and its number.
    private static let strongReach = 60
    private static let weakReach = 30
    private static let otherReach = 24
    /// The distance in characters within one sentence at which a strong word is enough.
    private static let closeReach = 8
    /// The additional cost of a weak word.
    private static let weakCost = 10

    /// The additional cost of a word that follows its number.
    private static let inversionCost = 1

    private static let ends: Set<Unicode.Scalar> = [".", "!", "?"]
    private static let wideEnds: Set<Unicode.Scalar> = ["。", "！", "？"]

    let folded: [Unicode.Scalar]
    let hints: [CodeHint]
    let isPromotion: Bool
    /// The first hint that may still be near enough: candidates are in order.
    private var start = 0

    init(folded: [Unicode.Scalar], hints: [CodeHint], isPromotion: Bool) {
        (self.folded, self.hints, self.isPromotion) = (folded, hints, isPromotion)
    }

    /// The cost of a candidate, lower is better; `nil` if it is not a code. The previous number ends at
    /// `previous`: words before that belong to that number.
    mutating func cost(of candidate: CodeCandidate, previous: Int) -> Int? {
        guard !candidate.isRefused else { return nil }
        let range = candidate.range
        while start < hints.count,
            hints[start].range.upperBound + Self.strongReach < range.lowerBound
        { start += 1 }
        var best: Int?
        var nearest = Int.max
        var other = Int.max
        for hint in hints[start...] {
            guard hint.range.lowerBound <= range.upperBound + Self.strongReach else { break }
            let isBefore = hint.range.upperBound <= range.lowerBound
            guard isBefore || hint.range.lowerBound >= range.upperBound else { continue }
            let gap =
                isBefore
                ? hint.range.upperBound..<range.lowerBound
                : range.upperBound..<hint.range.lowerBound
            let length = length(of: gap)
            switch hint.meaning {
            case .strong, .weak:
                let isStrong = hint.meaning == .strong
                guard isStrong || !isPromotion,
                    leads(gap, to: candidate, isStrong: isStrong, isBefore: isBefore)
                else { continue }
                nearest = min(nearest, length)
                // Between two numbers, a word belongs to the one after it.
                let distance =
                    isBefore ? isConnection(gap) ? 0 : length : length + Self.inversionCost
                best = min(best ?? .max, isStrong ? distance : distance + Self.weakCost)
            case .other where isBefore && hint.range.lowerBound >= previous:
                if length <= Self.otherReach { other = min(other, length) }
            case .unit where !isBefore && gap.count <= 1: return nil
            case .currency where gap.count <= 1: return nil
            case .other, .unit, .currency, .promotion: continue
            }
        }
        return nearest < other ? best : nil
    }

    /// Whether the text between a hint and a candidate connects them.
    private func leads(
        _ gap: Range<Int>, to candidate: CodeCandidate, isStrong: Bool, isBefore: Bool
    ) -> Bool {
        switch candidate.kind {
        case .number: return false
        case .letters(hasDigit: true):
            // Model numbers and names look the same, so the hint has to be next to it.
            return isConnection(gap) || isStrong && !isBefore && length(of: gap) <= 12
        case .letters(hasDigit: false):
            return isConnection(gap) && isStrong && folded[gap].contains(":")
        case .digits:
            guard !candidate.mayBeYear || isConnection(gap) else { return false }
            guard !isBefore || !isAddressee(gap) else { return false }
            return leadsToDigits(
                gap, candidate, reach: isStrong ? Self.strongReach : Self.weakReach,
                isBefore: isBefore)
        }
    }

    /// A hint leads to a nearby number. A number further away has to be introduced, for example by a colon;
    /// one with six digits, as most codes have, can be anywhere in the sentence.
    private func leadsToDigits(
        _ gap: Range<Int>, _ candidate: CodeCandidate, reach: Int, isBefore: Bool
    ) -> Bool {
        let length = length(of: gap)
        let isOneSentence = length == gap.count
        guard length <= reach else { return false }
        if isOneSentence, length <= Self.closeReach { return true }
        let hasSixDigits = candidate.text?.utf8.count == 6 && isOneSentence
        guard isBefore else { return hasSixDigits || isOneSentence && beginsWithConnection(gap) }
        return hasSixDigits || isIntroduced(candidate)
    }

    /// Matches "We sent a code to 555123".
    private func isAddressee(_ gap: Range<Int>) -> Bool {
        folded[gap].elementsEqual(" to ".unicodeScalars)
            && folded[..<gap.lowerBound].suffix(4).elementsEqual("code".unicodeScalars)
    }

    private func beginsWithConnection(_ gap: Range<Int>) -> Bool {
        let word = folded[gap].drop { !$0.isLetterOrDigit }.prefix { $0.isLetterOrDigit }
        return CodeWords.connections.contains(String(String.UnicodeScalarView(word)))
    }

    /// Whether it stands at the start of a line or a sentence, or after a colon, a comma or an "is".
    private func isIntroduced(_ candidate: CodeCandidate) -> Bool {
        let text = folded[..<candidate.range.lowerBound].suffix(Self.weakReach)
        let before = text.reversed().drop {
            !$0.isLetterOrDigit && !Self.introductions.contains($0)
        }
        guard let last = before.first, !Self.introductions.contains(last) else { return true }
        // Without spaces between words, there is no previous word to check.
        guard last.isLetterOfSpacedScript else { return !last.isASCII }
        let word = before.prefix { $0.isLetterOfSpacedScript }.reversed()
        return CodeWords.connections.contains(String(String.UnicodeScalarView(word)))
    }

    private static let introductions: Set<Unicode.Scalar> = [
        "\n", ":", "-", "=", ".", "!", "?", "。", "！", "？", ",", "，", "、", ";", ">",
    ]

    /// The length of a gap; the end of a sentence adds to it.
    private func length(of gap: Range<Int>) -> Int {
        guard gap.count <= Self.strongReach else { return gap.count }
        var length = gap.count
        for index in gap {
            let scalar = folded[index]
            let isEnd = index + 1 >= folded.count || folded[index + 1].isSpace
            if Self.ends.contains(scalar) && isEnd || Self.wideEnds.contains(scalar) {
                length += 20
            } else if scalar == "\n" {
                length += 8
            }
        }
        return length
    }

    /// Whether a gap means no more than "is": at most a short word and punctuation.
    private func isConnection(_ gap: Range<Int>) -> Bool {
        guard gap.count <= 16 else { return false }
        let words = folded[gap].split { !$0.isLetterOrDigit }
        return words.allSatisfy { word in
            CodeWords.connections.contains(String(String.UnicodeScalarView(word)))
        }
    }
}
