internal import Printing
package import ANCS

/// Finds one-time codes in the texts of notifications.
///
/// A code is a short run of digits, or of digits and letters, near words that indicate a code, in the
/// languages of ``CodeWords``. Numbers whose form or context gives them another meaning are not codes:
/// prices, dates, times, phone numbers, order numbers. When in doubt, it reports none: a wrong code on the
/// clipboard is worse than no code.
///
/// The texts are untrusted: each is scanned a fixed number of times, whatever it contains.
package enum OneTimeCode {
    /// How many characters of a text are scanned: messages with codes are short, and a long untrusted text
    /// must not delay the daemon.
    static let maximumCount = 4096

    /// The code to enter: digits without the separator or prefix that some services add (`123-456`,
    /// `G-123456`), codes with letters unchanged. `nil` if there is none.
    package static func find(
        title: String, subtitle: String, message: String, category: CategoryID
    ) -> String? {
        guard !CategoryID.calls.contains(category), category != .voicemail else { return nil }
        let texts = [message, subtitle, title]
        if let code = find(in: texts.map { CodeText($0) }) { return code }
        let folded = texts.map { text in
            MatchingFold.folded(
                String(String.UnicodeScalarView(text.unicodeScalars.prefix(maximumCount))))
        }
        guard folded.contains(where: { $0 != nil }) else { return nil }
        return find(in: zip(folded, texts).map { CodeText($0 ?? $1) })
    }

    /// The code in the message, the subtitle and the title.
    private static func find(in texts: [CodeText]) -> String? {
        // The last line of a message may name the site that the code is for, in a machine-readable form.
        if let bound = texts.lazy.compactMap({ $0.domainBoundCode }).first { return bound }
        // A title is context for the text below it, but not vice versa: a title may be the sender's phone
        // number.
        for index in texts.indices {
            let above = texts[(index + 1)...]
            let isAnnounced = above.contains { $0.announcesCode }
            if let code = texts[index].code(isAnnounced: isAnnounced) { return code }
        }
        return nil
    }
}

/// A text that may contain a code.
private struct CodeText {
    let scalars: [Unicode.Scalar]
    /// The same text, folded: lower case without accents, digits of any width as ASCII.
    let folded: [Unicode.Scalar]
    let hints: [CodeHint]
    let candidates: [CodeCandidate]

    init(_ text: String) {
        scalars = Array(text.unicodeScalars.prefix(OneTimeCode.maximumCount))
        folded = scalars.map(\.foldedForCodes)
        hints = CodeHintScanner(folded).hints
        candidates = CodeCandidateScanner(scalars, folded).candidates
    }

    /// Whether it announces a code, as a title may.
    var announcesCode: Bool { hints.contains { $0.meaning == .strong } && !isPromotion }

    private var isPromotion: Bool { hints.contains { $0.meaning == .promotion } }

    /// `@example.com #123456` in a last line: the format of domain-bound codes (WICG "Origin-bound one-time
    /// codes delivered via SMS").
    var domainBoundCode: String? {
        let line = scalars.split(whereSeparator: { Character($0).isNewline }).last ?? []
        let words = line.split(separator: " ")
        guard words.count >= 2, let host = words[0].first, host == "@", words[0].contains("."),
            words[1].first == "#"
        else { return nil }
        let code = words[1].dropFirst()
        guard (4...10).contains(code.count), code.allSatisfy({ $0.isASCII && $0.isLetterOrDigit })
        else { return nil }
        return String(String.UnicodeScalarView(code))
    }

    /// The best candidate.
    ///
    /// `isAnnounced`: whether a text above it announces a code.
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

    /// Whether the text consists of the candidate and punctuation: `482913`, `» 482913 «`.
    private func isAlone(_ candidate: CodeCandidate) -> Bool {
        guard candidate.kind == .digits, !candidate.isRefused, scalars.count < 64 else {
            return false
        }
        return !scalars.indices.contains { index in
            !candidate.range.contains(index) && folded[index].isLetterOrDigit
        }
    }
}
