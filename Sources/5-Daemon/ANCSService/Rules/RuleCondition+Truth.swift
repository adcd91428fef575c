internal import Printing
internal import ANCS

/// Whether a condition holds for a record that is not completely known.
enum RuleTruth: Equatable, Sendable {
    case yes
    case no
    /// More must be known: how much before it can be `yes`, and how much before it can be `no`.
    case unknown(yes: NotificationFeed.Selection, no: NotificationFeed.Selection)

    init(_ isSo: Bool) { self = isSo ? .yes : .no }

    /// This much must be known before it can be either.
    static func unknown(_ knowledge: NotificationFeed.Selection) -> Self {
        .unknown(yes: knowledge, no: knowledge)
    }

    /// Whether it can still be `yes` with this much knowledge and no more.
    func canBeYes(knowing knowledge: NotificationFeed.Selection) -> Bool {
        switch self {
        case .yes: true
        case .no: false
        case .unknown(let yes, _): yes <= knowledge
        }
    }

    /// Whether it can still be `no` with this much knowledge and no more.
    func canBeNo(knowing knowledge: NotificationFeed.Selection) -> Bool {
        negated.canBeYes(knowing: knowledge)
    }

    var negated: Self {
        switch self {
        case .yes: .no
        case .no: .yes
        case .unknown(let yes, let no): .unknown(yes: no, no: yes)
        }
    }

    /// The conjunction: `yes` once both are, and `no` once either is.
    static func && (left: Self, right: Self) -> Self {
        switch (left, right) {
        case (.no, _), (_, .no): .no
        case (.yes, let other), (let other, .yes): other
        case (.unknown(let yes, let no), .unknown(let otherYes, let otherNo)):
            .unknown(yes: max(yes, otherYes), no: min(no, otherNo))
        }
    }
}

/// Pattern matching for one record, with a budget of matches that reach their limits.
struct PatternWork {
    /// How many patterns may reach a limit; later ones are not tried, and do not match.
    private static let maximumExhausted = 8

    private(set) var exhausted = 0
    /// How many reached a limit or were not tried.
    private(set) var undecided = 0
    /// The texts that were folded already.
    private var folds: [SearchedText.Part: String?] = [:]

    /// Whether one of the patterns matches a text as it came, or as ``MatchingFold`` has it.
    mutating func matches(
        _ patterns: [Pattern], _ part: SearchedText.Part, of texts: RuleSubject.Texts
    ) -> Bool {
        if matchesOne(of: patterns, texts[keyPath: part]) { return true }
        let folded = folds[part] ?? MatchingFold.folded(texts[keyPath: part])
        folds[part] = .some(folded)
        return folded.map { matchesOne(of: patterns, $0) } ?? false
    }

    private mutating func matchesOne(of patterns: [Pattern], _ text: String) -> Bool {
        for pattern in patterns {
            guard exhausted < Self.maximumExhausted else {
                undecided += 1
                continue
            }
            switch pattern.match(text) {
            case .matched: return true
            case .unmatched: continue
            case .exhausted:
                exhausted += 1
                undecided += 1
            }
        }
        return false
    }
}

extension [RuleCondition] {
    /// Whether all of the conditions hold.
    func truth(of subject: RuleSubject, _ work: inout PatternWork) -> RuleTruth {
        var truth = RuleTruth.yes
        for condition in self where truth != .no {
            truth = truth && condition.truth(of: subject, &work)
        }
        return truth
    }
}

extension RuleCondition {
    /// Whether the condition holds.
    func truth(of subject: RuleSubject, _ work: inout PatternWork) -> RuleTruth {
        switch self {
        case .phone(let globs): RuleTruth(subject.phone.isOne(of: globs))
        case .category(let categories): RuleTruth(categories.contains(subject.category))
        case .flags(let flags): RuleTruth(flags.contains { !$0.isDisjoint(with: subject.allFlags) })
        case .event(let events): RuleTruth(events.contains(subject.event))
        case .schedule(let schedule): RuleTruth(schedule.contains(subject.time))
        case .burst(let burst): RuleTruth(subject.recent[burst.window] > burst.count)
        case .app(let globs): Self.truth(of: subject.app, globs, subject, known: .app)
        case .appName(let globs): Self.truth(of: subject.appName, globs, subject, known: .appName)
        case .search(.caller, _) where !subject.isCall: .no
        case .search(let text, let patterns): Self.truth(patterns, text, subject, &work)
        case .number(let numbers):
            Self.truth(
                subject.number.map { number in numbers.contains { $0.isSame(as: number) } },
                subject, otherwise: false)
        case .seen(let wanted):
            Self.truth(subject.wasSeen.map { $0 == wanted }, subject, otherwise: !wanted)
        case .code(let wanted):
            Self.truth(subject.code.map { _ in wanted }, subject, otherwise: !wanted)
        case .not(let conditions): conditions.truth(of: subject, &work).negated
        }
    }

    private static func truth(
        of name: String?, _ globs: [Glob], _ subject: RuleSubject, known: NotificationFeed.Selection
    ) -> RuleTruth {
        guard let name else { return subject.texts == nil ? .unknown(known) : .no }
        return RuleTruth(globs.contains { $0.matches(name) })
    }

    private static func truth(
        _ patterns: [Pattern], _ text: SearchedText, _ subject: RuleSubject,
        _ work: inout PatternWork
    ) -> RuleTruth {
        guard let known = subject.texts else { return .unknown(.everything) }
        let isFound = text.parts.contains { work.matches(patterns, $0, of: known) }
        return RuleTruth(isFound)
    }

    private static func truth(
        _ known: Bool?, _ subject: RuleSubject, otherwise: Bool
    ) -> RuleTruth {
        if let known { return RuleTruth(known) }
        return subject.texts == nil ? .unknown(.everything) : RuleTruth(otherwise)
    }
}

extension PhoneName {
    func isOne(of globs: [Glob]) -> Bool {
        globs.contains { glob in glob.matches(digest) || name.map(glob.matches) ?? false }
    }
}
