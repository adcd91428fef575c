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
        switch (self, other) {
        case (.phone(let globs), .phone(let others)), (.app(let globs), .app(let others)),
            (.appName(let globs), .appName(let others)):
            globs.cover(others)
        case (.category(let categories), _):
            other.categories.map { $0.allSatisfy(categories.contains) } ?? false
        case (.flags(let flags), .flags(let others)): others.allSatisfy(flags.contains)
        case (.event(let events), .event(let others)): others.allSatisfy(events.contains)
        case (.schedule(let schedule), .schedule(let inner)): schedule.covers(inner)
        case (.burst(let burst), .burst(let inner)):
            burst.count <= inner.count && burst.window >= inner.window
        case (.search(let text, let patterns), .search(let inner, let others)):
            text.covers(inner) && others.allSatisfy(patterns.contains)
        case (.number(let numbers), .number(let others)): others.allSatisfy(numbers.contains)
        case (.seen, _), (.code, _): self == other
        case (.not(let conditions), .not(let others)): others.areImplied(by: conditions)
        case (.phone, _), (.app, _), (.appName, _), (.flags, _), (.event, _), (.schedule, _),
            (.burst, _), (.search, _), (.number, _), (.not, _):
            false
        }
    }

    /// The categories of the records that it can match, if it restricts them.
    private var categories: [CategoryID]? {
        switch self {
        case .category(let categories): categories
        case .search(.caller, _): CategoryID.calls
        case .phone, .flags, .event, .schedule, .burst, .app, .appName, .search, .number, .seen,
            .code, .not:
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
