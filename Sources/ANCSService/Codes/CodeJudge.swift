/// Says whether a number is a code, by the words around it.
struct CodeJudge {
    /// What a code costs that stands alone below a title that announces it.
    static let announcedCost = 40

    /// How far away, in characters, words may stand that say what a number is.
    private static let strongReach = 60
    private static let weakReach = 30
    private static let otherReach = 24
    /// Within how many characters of one sentence nothing else is needed.
    private static let closeReach = 8
    /// By how much a strong word that is further away is better than a weak one.
    private static let weakCost = 10

    private static let ends: Set<Unicode.Scalar> = [".", "!", "?"]
    private static let wideEnds: Set<Unicode.Scalar> = ["。", "！", "？"]

    let folded: [Unicode.Scalar]
    let hints: [CodeHint]
    let isPromotion: Bool
    /// The first hint that may still be near: candidates come in their order.
    private var start = 0

    init(folded: [Unicode.Scalar], hints: [CodeHint], isPromotion: Bool) {
        self.folded = folded
        self.hints = hints
        self.isPromotion = isPromotion
    }

    /// The less the better; `nil` for what is no code. The number before it ends at `previous`: what is said
    /// before that is said of that one.
    mutating func cost(of candidate: CodeCandidate, previous: Int) -> Int? {
        guard !candidate.isRefused else { return nil }
        let range = candidate.range
        while start < hints.count,
            hints[start].range.upperBound + Self.strongReach < range.lowerBound
        {
            start += 1
        }
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
                best = min(best ?? .max, isStrong ? length : length + Self.weakCost)
            case .other where isBefore && hint.range.lowerBound >= previous:
                if length <= Self.otherReach { other = min(other, length) }
            case .unit where !isBefore && gap.count <= 1: return nil
            case .currency where gap.count <= 1: return nil
            case .other, .unit, .currency, .promotion: continue
            }
        }
        return nearest < other ? best : nil
    }

    /// Whether what stands between a hint and a candidate lets the one speak of the other.
    private func leads(
        _ gap: Range<Int>, to candidate: CodeCandidate, isStrong: Bool, isBefore: Bool
    ) -> Bool {
        switch candidate.kind {
        case .number: return false
        case .letters(hasDigit: true):
            // Words and names look the same: the hint has to lead to them directly.
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

    /// Close by, a number is meant. Further away it has to be introduced, as by a colon; one of six digits, as most
    /// codes have, may also stand somewhere in the sentence.
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

    /// "We sent a code to 555123".
    private func isAddressee(_ gap: Range<Int>) -> Bool {
        folded[gap].elementsEqual(" to ".unicodeScalars)
            && folded[..<gap.lowerBound].suffix(4).elementsEqual("code".unicodeScalars)
    }

    private func beginsWithConnection(_ gap: Range<Int>) -> Bool {
        let word = folded[gap].drop { !$0.isLetterOrDigit }.prefix { $0.isLetterOrDigit }
        return CodeWords.connections.contains(String(String.UnicodeScalarView(word)))
    }

    /// Whether it stands at the beginning of a line or a sentence, or after a colon, a comma or an "is".
    private func isIntroduced(_ candidate: CodeCandidate) -> Bool {
        let text = folded[..<candidate.range.lowerBound].suffix(Self.weakReach)
        let before = text.reversed().drop {
            !$0.isLetterOrDigit && !Self.introductions.contains($0)
        }
        guard let last = before.first, !Self.introductions.contains(last) else { return true }
        // Without spaces between words no word can be looked at.
        guard last.isLetterOfSpacedScript else { return !last.isASCII }
        let word = before.prefix { $0.isLetterOfSpacedScript }.reversed()
        return CodeWords.connections.contains(String(String.UnicodeScalarView(word)))
    }

    private static let introductions: Set<Unicode.Scalar> = [
        "\n", ":", "-", "=", ".", "!", "?", "。", "！", "？", ",", "，", "、", ";", ">",
    ]

    /// How long a gap is; the end of a sentence is far.
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

    /// Whether a gap says no more than "is": at most a short word and signs.
    private func isConnection(_ gap: Range<Int>) -> Bool {
        guard gap.count <= 16 else { return false }
        let words = folded[gap].split { !$0.isLetterOrDigit }
        return words.allSatisfy { word in
            CodeWords.connections.contains(String(String.UnicodeScalarView(word)))
        }
    }
}
