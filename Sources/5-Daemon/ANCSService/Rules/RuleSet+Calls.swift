internal import ANCS

extension RuleSet {
    /// The rules that may mute a call only when its text is known, whatever its app: until then, no call that
    /// comes to them can ring. It may miss one, but never names a wrong one.
    var holdingCalls: [Rule] {
        reachedByCalls.filter { rule in
            rule.effects.mutes && rule.conditions.contains(where: \.needsText)
                && !rule.conditions.contains(where: \.needsApp)
        }
    }

    /// The rules that mute calls with everything else, each with the first rule for calls that comes too late.
    var mutingCalls: [(rule: Rule, before: Rule)] {
        let reached = reachedByCalls
        return reached.enumerated().compactMap { index, rule in
            guard rule.effects.mutes,
                !rule.conditions.contains(where: { $0.isOfCalls || $0.needsText || $0.needsApp }),
                let late = reached[(index + 1)...].first(where: { other in
                    !other.effects.mutes && other.conditions.contains(where: \.isOfCalls)
                })
            else { return nil }
            return (rule, late)
        }
    }

    /// The rules that may match the announcement of a call.
    private var reachedByCalls: [Rule] {
        let taking = rules.firstIndex { rule in
            !rule.continues && rule.conditions.areImplied(by: [.category([.incomingCall])])
        }
        return rules.prefix(taking.map { $0 + 1 } ?? rules.count)
            .filter { !$0.conditions.contains(where: \.excludesRinging) }
    }
}

extension RuleCondition {
    /// Whether it certainly does not hold for the announcement of a call.
    fileprivate var excludesRinging: Bool {
        switch self {
        case .category(let categories): !categories.contains(.incomingCall)
        case .event(let events): !events.contains(.added)
        case .not(let conditions): conditions.allSatisfy(\.includesRinging)
        case .phone, .flags, .schedule, .burst, .app, .appName, .search, .number, .seen, .code:
            false
        }
    }

    /// Whether it certainly holds for the announcement of a call.
    private var includesRinging: Bool {
        switch self {
        case .category(let categories): categories.contains(.incomingCall)
        case .event(let events): events.contains(.added)
        case .not(let conditions): conditions.contains(where: \.excludesRinging)
        case .phone, .flags, .schedule, .burst, .app, .appName, .search, .number, .seen, .code:
            false
        }
    }

    /// Whether it names calls.
    fileprivate var isOfCalls: Bool {
        guard case .category(let categories) = self else { return false }
        return categories.contains(.incomingCall)
    }

    /// Whether its truth, or that of a condition in it, depends on the texts or on the app.
    private func needs(_ knowledge: NotificationFeed.Selection) -> Bool {
        switch self {
        case .search, .number, .seen, .code: knowledge == .everything
        case .app, .appName: knowledge == .app
        case .not(let conditions): conditions.contains { $0.needs(knowledge) }
        case .phone, .category, .flags, .event, .schedule, .burst: false
        }
    }

    fileprivate var needsText: Bool { needs(.everything) }
    fileprivate var needsApp: Bool { needs(.app) }
}
