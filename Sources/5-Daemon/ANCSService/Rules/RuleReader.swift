internal import Printing
internal import ANCS

/// Reads the rules of a configuration.
enum RuleReader {
    /// The maximum number of rules.
    static let maximumCount = 256

    static func rules(in value: TOMLValue, _ complaints: inout ConfigurationComplaints) -> [Rule] {
        guard case .array(let elements) = value.content else {
            complaints.complain(value, expected: "rules, each starting with [[rule]]")
            return []
        }
        guard elements.count <= maximumCount else {
            complaints.complain(
                at: value.place,
                "there are \(elements.count) rules; the limit is \(maximumCount)")
            return []
        }
        let rules = elements.enumerated().compactMap { index, element in
            rule(in: element, number: index + 1, &complaints)
        }
        complainOfNames(rules, &complaints)
        complainOfShadows(rules, &complaints)
        return rules
    }

    // MARK: One rule

    private static func rule(
        in value: TOMLValue, number: Int, _ complaints: inout ConfigurationComplaints
    ) -> Rule? {
        guard case .table(let members) = value.content else {
            complaints.complain(value, expected: "a rule, starting with [[rule]]")
            return nil
        }
        let count = complaints.count
        let earlierPrograms = complaints.programs.count
        var rule = Rule(name: "rule \(number)", place: value.place)
        let matchKeys = RuleSchema.keys.map(\.name)
        for member in members {
            if matchKeys.contains(member.key) {
                complaints.complain(
                    at: member.place,
                    "the key \"\(member.key)\" is outside match: expected it as in "
                        + "match = { \(member.key) = … }")
            } else {
                ConfigurationKey.read(
                    [member], as: "key of a rule", RuleSchema.rule, into: &rule, &complaints)
            }
        }
        if !members.contains(where: { $0.key == "do" }) {
            complaints.complain(
                at: value.place,
                "the rule \"\(rule.name)\" has no actions: expected do = [\"show\"], [\"mute\"] or "
                    + "other actions")
        }
        for index in earlierPrograms..<complaints.programs.count {
            complaints.programs[index].rule = rule.name
        }
        complainOfCalls(rule, &complaints)
        return complaints.count == count ? rule : nil
    }

    /// The conditions of `match` or of `not`.
    static func conditions(
        in value: TOMLValue, _ complaints: inout ConfigurationComplaints
    ) -> [RuleCondition]? {
        guard case .table(let members) = value.content else {
            complaints.complain(value, expected: "a table such as { category = [\"email\"] }")
            return nil
        }
        var conditions: [RuleCondition] = []
        var schedule = Schedule()
        for member in members {
            guard let key = RuleSchema.keys.first(where: { $0.name == member.key }) else {
                complaints.complain(
                    at: member.place, unknown: "key of match", member.key,
                    among: RuleSchema.keys.map(\.name))
                continue
            }
            switch key.read(member.value, &complaints) {
            // Days and times are one condition.
            case .schedule(let part)?:
                schedule.days = part.days ?? schedule.days
                schedule.times = part.times ?? schedule.times
            case .not(let inner)? where inner.isEmpty:
                complaints.complain(
                    at: member.value.place,
                    "not = {} never holds, so the rule could never match: expected a key in it")
            case let condition?: conditions.append(condition)
            case nil: break
            }
        }
        if schedule != Schedule() { conditions.append(.schedule(schedule)) }
        complainOfContradictions(conditions, at: value.place, &complaints)
        return conditions
    }

    // MARK: What cannot be meant

    private static func complainOfContradictions(
        _ conditions: [RuleCondition], at place: TextPlace,
        _ complaints: inout ConfigurationComplaints
    ) {
        for case .not(let inner) in conditions where inner.areImplied(by: conditions) {
            complaints.complain(
                at: place,
                "this can never match: the keys in not hold whenever the other keys hold")
        }
        let hasCaller = conditions.contains {
            if case .search(.caller, _) = $0 { true } else { false }
        }
        for case .category(let categories) in conditions
        where hasCaller && !categories.contains(where: CategoryID.calls.contains) {
            let names = CategoryID.calls.map { "\"\($0)\"" }
            complaints.complain(
                at: place,
                "this can never match: caller is the title of a call, and category has none of "
                    + names.listed)
        }
    }

    /// A rule may decline calls only if it is restricted to ringing calls.
    private static func complainOfCalls(_ rule: Rule, _ complaints: inout ConfigurationComplaints) {
        guard rule.effects.performsNegative, !rule.isForCallsOnly else { return }
        for case .category(let categories) in rule.conditions
        where categories.contains(.incomingCall) || categories.contains(.activeCall) {
            complaints.complain(
                at: rule.place,
                "the rule \"\(rule.name)\" would hang up: expected category = [\"incomingCall\"] alone, "
                    + "to perform an action on calls")
        }
    }

    private static func complainOfNames(
        _ rules: [Rule], _ complaints: inout ConfigurationComplaints
    ) {
        var lines: [String: Int] = [:]
        for rule in rules {
            if let line = lines[rule.name] {
                complaints.complain(
                    at: rule.place,
                    "two rules are named \"\(rule.name)\": expected another name than that of the rule "
                        + "at line \(line)")
            } else {
                lines[rule.name] = rule.place.line
            }
        }
    }

    private static func complainOfShadows(
        _ rules: [Rule], _ complaints: inout ConfigurationComplaints
    ) {
        for (index, rule) in rules.enumerated() {
            let earlier = rules[..<index].first { earlier in
                !earlier.continues && earlier.conditions.areImplied(by: rule.conditions)
            }
            guard let earlier else { continue }
            complaints.complain(
                at: rule.place,
                "the rule \"\(rule.name)\" can never match: \"\(earlier.name)\" at line "
                    + "\(earlier.place.line) matches all of its records; move it before that one, or give "
                    + "that one continue = true")
        }
    }
}
