internal import Printing
internal import ANCS

/// Why a rule matched a record, or did not.
package struct RuleExplanation: Equatable, Sendable {
    /// The outcome of a rule.
    package enum Outcome: Equatable, Sendable {
        /// It matches, and decides.
        case decides
        /// It matches, and evaluation continues.
        case continues
        /// It does not match.
        case refuses([Mismatch])
        /// It is undecided, because not enough of the record is known.
        case open([Mismatch])
        /// An earlier rule has decided.
        case notAsked
    }

    /// A key that does not hold, or is undecided.
    package struct Mismatch: Equatable, Sendable {
        /// The key of `match`.
        package var key: String
        /// The value in the rule.
        package var wanted: String
        /// The value of the record; `nil` if unknown.
        package var found: String?
        /// Whether the search of a text for a pattern ran into its limit, which counts as no match.
        package var ranIntoLimit = false

        /// The mismatch as a clause, such as `app is "x"; it wants "y"`. That of `not` names the keys in it.
        package var message: String {
            let isNot = key == RuleCondition.notKey
            guard !ranIntoLimit else {
                return
                    "the search of \(isNot ? "what is in not" : key) ran into its limit, which counts as no "
                    + "match; it wants \(wanted)"
            }
            guard let found else {
                return "\(isNot ? "what is in not" : key) is not known; it wants \(wanted)"
            }
            return (isNot ? found : "\(key) is \(found)") + "; it wants \(wanted)"
        }
    }

    /// The name of the rule.
    package var rule: String
    package var outcome: Outcome
    /// Whether the search of a text ran into its limit.
    package var ranIntoLimit = false

    /// One sentence, without the name of the rule.
    package var message: String {
        switch outcome {
        case .decides: "matches" + note
        case .continues: "matches, and later rules are tried too" + note
        case .refuses(let reasons) where reasons.allSatisfy(\.ranIntoLimit):
            "counts as not matching: " + Self.list(reasons)
        case .refuses(let reasons): "does not match: " + Self.list(reasons)
        case .open(let reasons): "may match: " + Self.list(reasons)
        case .notAsked: "is not tried: an earlier rule decided"
        }
    }

    private var note: String {
        ranIntoLimit ? " (the search of a text ran into its limit, which counts as no match)" : ""
    }

    private static func list(_ reasons: [Mismatch]) -> String {
        reasons.map(\.message).joined(separator: "; ")
    }
}

extension RuleSet {
    /// Explains the outcome of each rule for a record.
    ///
    /// - Parameters:
    ///   - subject: The record.
    ///   - isQuoting: Whether texts of the record may be repeated: only to a user that has them already.
    /// - Returns: An explanation for each rule, in their order.
    package func explain(
        _ subject: RuleSubject, quotingTexts isQuoting: Bool = false
    ) -> [RuleExplanation] {
        var hasDecided = false
        var work = PatternWork()
        return rules.map { rule in
            guard !hasDecided else { return RuleExplanation(rule: rule.name, outcome: .notAsked) }
            let before = work.undecided
            let outcome = rule.outcome(of: subject, quotingTexts: isQuoting, &work)
            hasDecided = outcome == .decides
            return RuleExplanation(
                rule: rule.name, outcome: outcome, ranIntoLimit: work.undecided > before)
        }
    }
}

extension Rule {
    fileprivate func outcome(
        of subject: RuleSubject, quotingTexts isQuoting: Bool, _ work: inout PatternWork
    ) -> RuleExplanation.Outcome {
        var failed: [RuleExplanation.Mismatch] = []
        var open: [RuleExplanation.Mismatch] = []
        for condition in conditions {
            let before = work.undecided
            let truth = condition.truth(of: subject, &work)
            guard truth != .yes else { continue }
            var mismatch = condition.mismatch(of: subject, quotingTexts: isQuoting)
            if truth == .no {
                mismatch.ranIntoLimit = work.undecided > before
                failed.append(mismatch)
            } else {
                mismatch.found = nil
                open.append(mismatch)
            }
        }
        if !failed.isEmpty { return .refuses(failed) }
        if !open.isEmpty { return .open(open) }
        return continues ? .continues : .decides
    }
}

extension RuleCondition {
    /// The condition, and the record's value for it.
    fileprivate func mismatch(
        of subject: RuleSubject, quotingTexts isQuoting: Bool
    ) -> RuleExplanation.Mismatch {
        let texts = subject.texts ?? RuleSubject.Texts()
        func mismatch(_ wanted: [String], _ found: String) -> RuleExplanation.Mismatch {
            RuleExplanation.Mismatch(key: key, wanted: wanted.listed, found: found)
        }
        func text(_ patterns: [Pattern], _ texts: [String]) -> RuleExplanation.Mismatch {
            found(
                patterns.map { "'\($0.source)'" },
                texts.filter { !$0.isEmpty }.map { "\"\($0.shortened)\"" })
        }
        func found(_ wanted: [String], _ quoted: [String]) -> RuleExplanation.Mismatch {
            let found = isQuoting ? quoted.joined(separator: ", ") : "another text"
            return mismatch(wanted, quoted.isEmpty ? "empty" : found)
        }
        return switch self {
        case .phone(let globs): mismatch(globs.quoted, subject.phone.text)
        case .category(let categories):
            mismatch(categories.map(\.description), subject.category.description)
        case .flags(let flags):
            mismatch(
                flags.flatMap(\.names),
                subject.allFlags.isEmpty
                    ? "none" : subject.allFlags.names.joined(separator: ", "))
        case .event(let events): mismatch(events.map(\.description), subject.event.description)
        case .schedule(let schedule): mismatch([schedule.text], subject.time.description)
        case .burst(let burst):
            mismatch(
                ["more than \(burst.count) within \(DurationWord.text(burst.window))"],
                "\(subject.recent[burst.window])")
        case .app(let globs): mismatch(globs.quoted, subject.app.quoted)
        case .appName(let globs): mismatch(globs.quoted, subject.appName.quoted)
        case .search(.caller, let patterns) where !subject.isCall:
            mismatch(patterns.map { "'\($0.source)'" }, "not there: this is not a call")
        case .search(let place, let patterns):
            text(patterns, place.parts.map { texts[keyPath: $0] })
        case .number(let numbers):
            found(
                numbers.map { "\"\($0.source)\"" },
                texts.title.isEmpty ? [] : ["\"\(texts.title.shortened)\""])
        case .seen(let wanted): mismatch(["\(wanted)"], "\(subject.wasSeen ?? false)")
        case .code(let wanted): mismatch(["\(wanted)"], "\(subject.code != nil)")
        case .not(let conditions):
            Self.mismatchOfNot(conditions.map { $0.mismatch(of: subject, quotingTexts: isQuoting) })
        }
    }

    /// `not` holds unless everything in it does.
    private static func mismatchOfNot(
        _ inner: [RuleExplanation.Mismatch]
    ) -> RuleExplanation.Mismatch {
        let found = inner.map { mismatch in
            mismatch.key == notKey
                ? mismatch.found ?? "" : "\(mismatch.key) is \(mismatch.found ?? "")"
        }
        return RuleExplanation.Mismatch(
            key: notKey,
            wanted: inner.map { "\($0.key) other than \($0.wanted)" }.joined(separator: ", or "),
            found: found.joined(separator: " and "))
    }

    fileprivate static let notKey = "not"

    /// The key of `match`.
    private var key: String {
        switch self {
        case .phone: "phone"
        case .category: "category"
        case .flags: "flags"
        case .event: "event"
        case .schedule(let schedule):
            [schedule.days.map { _ in "days" }, schedule.times.map { _ in "time" }]
                .compactMap { $0 }.joined(separator: " and ")
        case .burst: "burst"
        case .app: "app"
        case .appName: "app-name"
        case .search(let text, _): text.rawValue
        case .number: "number"
        case .seen: "seen"
        case .code: "code"
        case .not: Self.notKey
        }
    }
}

extension Schedule {
    fileprivate var text: String {
        [days.map { _ in daysText }, times.map { _ in timesText }].compactMap { $0 }
            .joined(separator: " at ")
    }
}

extension [Glob] { fileprivate var quoted: [String] { map { "\"\($0.source)\"" } } }

extension String? { fileprivate var quoted: String { map { "\"\($0.shortened)\"" } ?? "empty" } }

extension PhoneName {
    fileprivate var text: String { name.map { "\"\($0.shortened)\" (\(digest))" } ?? digest }
}
