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
        case .search(let text, let patterns):
            if case .search(let inner, let others) = other {
                text.covers(inner) && others.allSatisfy(patterns.contains)
            } else {
                false
            }
        case .seen, .code: self == other
        case .not(let conditions):
            if case .not(let others) = other { others.areImplied(by: conditions) } else { false }
        }
    }

    /// The categories of the records that it can match, if it restricts them.
    private var categories: [CategoryID]? {
        switch self {
        case .category(let categories): categories
        case .search(.caller, _): CategoryID.calls
        case .phone, .flags, .event, .schedule, .burst, .app, .appName, .search, .seen, .code, .not:
            nil
        }
    }
}

extension [Glob] {
    /// Whether every name that matches one of the others also matches one of these.
    fileprivate func cover(_ others: [Glob]) -> Bool {
        others.allSatisfy { other in contains { $0.covers(other) } }
    }
}
