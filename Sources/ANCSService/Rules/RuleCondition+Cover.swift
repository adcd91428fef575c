internal import ANCS

// Which conditions imply others, to find rules that can never match. It may miss an implication, but never
// claims a wrong one.

extension [RuleCondition] {
    /// Whether all of these conditions hold whenever all of the others hold.
    func areImplied(by others: [RuleCondition]) -> Bool {
        allSatisfy { condition in others.contains { condition.covers($0) } }
    }
}

extension RuleCondition {
    /// Whether this condition holds whenever the other one holds.
    fileprivate func covers(_ other: Self) -> Bool {
        switch self {
        case .phone(let globs):
            if case .phone(let others) = other { globs.cover(others) } else { false }
        case .app(let globs):
            if case .app(let others) = other { globs.cover(others) } else { false }
        case .appName(let globs):
            if case .appName(let others) = other { globs.cover(others) } else { false }
        case .category(let categories):
            other.categories.map { $0.allSatisfy(categories.contains) } ?? false
        case .flags(let flags):
            if case .flags(let others) = other { others.allSatisfy(flags.contains) } else { false }
        case .event(let events):
            if case .event(let others) = other { others.allSatisfy(events.contains) } else { false }
        case .schedule(let schedule):
            if case .schedule(let inner) = other { schedule.covers(inner) } else { false }
        case .burst(let burst):
            if case .burst(let inner) = other {
                burst.count <= inner.count && burst.window >= inner.window
            } else {
                false
            }
        case .title, .subtitle, .message, .text, .caller: coversSearch(other)
        case .seen, .code: self == other
        case .not(let conditions):
            if case .not(let others) = other { others.areImplied(by: conditions) } else { false }
        }
    }

    /// The categories of the records that it can match, if it restricts them.
    private var categories: [CategoryID]? {
        switch self {
        case .category(let categories): categories
        case .caller: CategoryID.calls
        case .phone, .flags, .event, .schedule, .burst, .app, .appName, .title, .subtitle, .message,
            .text, .seen, .code, .not:
            nil
        }
    }

    private func coversSearch(_ other: Self) -> Bool {
        guard let (places, patterns) = search, let (inner, others) = other.search else {
            return false
        }
        return places.isSuperset(of: inner) && others.allSatisfy(patterns.contains)
    }

    /// The texts that it searches, and the patterns.
    private var search: (places: SearchedTexts, patterns: [Pattern])? {
        switch self {
        case .title(let patterns): ([.title, .titleOfCall], patterns)
        case .subtitle(let patterns): (.subtitle, patterns)
        case .message(let patterns): (.message, patterns)
        case .text(let patterns): ([.title, .titleOfCall, .subtitle, .message], patterns)
        case .caller(let patterns): (.titleOfCall, patterns)
        case .phone, .category, .flags, .event, .schedule, .burst, .app, .appName, .seen, .code,
            .not:
            nil
        }
    }
}

/// The texts that a condition searches.
private struct SearchedTexts: OptionSet {
    let rawValue: UInt8
    static let title = Self(rawValue: 1 << 0)
    static let titleOfCall = Self(rawValue: 1 << 1)
    static let subtitle = Self(rawValue: 1 << 2)
    static let message = Self(rawValue: 1 << 3)
}

extension [Glob] {
    /// Whether every name that matches one of the others also matches one of these.
    fileprivate func cover(_ others: [Glob]) -> Bool {
        others.allSatisfy { other in contains { $0.covers(other) } }
    }
}
