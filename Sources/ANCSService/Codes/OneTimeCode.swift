package import ANCS

/// Finds one-time codes in the texts of notifications.
///
/// A code is a short run of digits or of digits and letters near words that say so, in the languages of
/// ``CodeWords``. Numbers that other words or their own shape explain are none: prices, dates, times, phone
/// numbers, orders. Where it is not clear there is no code: a wrong one on the clipboard is worse than none.
///
/// The texts are a stranger's: each is gone through a fixed number of times, whatever is in it.
package enum OneTimeCode {
    /// What is beyond this many characters of a text is not looked at: a message with a code is short, and a
    /// stranger's long one must not hold the daemon up.
    static let maximumCount = 4096

    /// The code as it is to be typed: digits without the separator or the prefix that some services put there
    /// (`123-456`, `G-123456`), codes with letters as they stand. `nil` where there is none.
    package static func find(
        title: String, subtitle: String, message: String, category: CategoryID
    ) -> String? {
        guard !RuleCondition.calls.contains(category), category != .voicemail else { return nil }
        let texts = [message, subtitle, title].map { CodeText($0) }
        // The last line of a message may name the site that the code is for; that is meant for machines.
        if let bound = texts.lazy.compactMap({ $0.domainBoundCode }).first { return bound }
        // What a title says holds for what is below it, not the other way round: a title may be the number of
        // the sender.
        for index in texts.indices {
            let above = texts[(index + 1)...]
            let isAnnounced = above.contains { $0.announcesCode }
            if let code = texts[index].code(isAnnounced: isAnnounced) { return code }
        }
        return nil
    }
}

/// A text in which a code is looked for.
private struct CodeText {
    let scalars: [Unicode.Scalar]
    /// The same, folded: small letters without marks, digits of any width as ASCII.
    let folded: [Unicode.Scalar]
    let hints: [CodeHint]
    let candidates: [CodeCandidate]

    init(_ text: String) {
        scalars = Array(text.unicodeScalars.prefix(OneTimeCode.maximumCount))
        folded = scalars.map(\.foldedForCodes)
        hints = CodeHintScanner(folded).hints
        candidates = CodeCandidateScanner(scalars, folded).candidates
    }

    /// Whether it says that a code comes, as a title may.
    var announcesCode: Bool { hints.contains { $0.meaning == .strong } && !isPromotion }

    private var isPromotion: Bool { hints.contains { $0.meaning == .promotion } }

    /// `@example.com #123456` in a last line: the format of domain-bound codes (WICG "Origin-bound one-time
    /// codes delivered via SMS").
    var domainBoundCode: String? {
        let line = scalars.split(separator: "\n").last ?? []
        let words = line.split(whereSeparator: { $0 == " " || $0 == "\r" })
        guard words.count >= 2, let host = words[0].first, host == "@", words[0].contains("."),
            words[1].first == "#"
        else { return nil }
        let code = words[1].dropFirst()
        guard (4...10).contains(code.count), code.allSatisfy({ $0.isASCII && $0.isLetterOrDigit })
        else { return nil }
        return String(String.UnicodeScalarView(code))
    }

    /// The code that fits best.
    ///
    /// `isAnnounced`: whether a text above it says that a code comes.
    func code(isAnnounced: Bool) -> String? {
        var judge = CodeJudge(folded: folded, hints: hints, isPromotion: isPromotion)
        var best: (cost: Int, code: String)?
        var previous = 0
        for candidate in candidates {
            var cost = judge.cost(of: candidate, previous: previous)
            if candidate.hasDigit { previous = candidate.range.upperBound }
            if cost == nil, isAnnounced, isAlone(candidate) { cost = CodeJudge.announcedCost }
            guard let cost, let text = candidate.text, cost < best?.cost ?? .max else { continue }
            best = (cost, text)
        }
        return best?.code
    }

    /// Whether a text holds nothing but the candidate and what is around it: `482913`, `» 482913 «`.
    private func isAlone(_ candidate: CodeCandidate) -> Bool {
        guard candidate.kind == .digits, !candidate.isRefused, scalars.count < 64 else {
            return false
        }
        return !scalars.indices.contains { index in
            !candidate.range.contains(index) && folded[index].isLetterOrDigit
        }
    }
}
