internal import ANCS

extension RuleSet {
    /// The rules that may mute a call only when its text is known, whatever its app: until then, no call that
    /// comes to them can ring. It may miss one, but never names a wrong one.
    var holdingCalls: [Rule] {
        var found: [Rule] = []
        for rule in rules where !rule.conditions.contains(where: \.excludesRinging) {
            if rule.effects.mutes, rule.conditions.contains(where: \.needsText),
                !rule.conditions.contains(where: \.needsApp)
            {
                found.append(rule)
            }
            // No call comes to the rules after one that takes all of them.
            if !rule.continues, rule.conditions.areImplied(by: [.category([.incomingCall])]) {
                break
            }
        }
        return found
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
