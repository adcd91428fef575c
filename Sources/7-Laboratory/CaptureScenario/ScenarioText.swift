internal import JSONText
internal import LinuxIO

/// A scenario that was made of a capture.
public struct ScenarioText: Sendable {
    /// The file: JSON, a step a line, as `Documentation/Scenarios.md` describes it.
    public let text: String
    /// What the capture has and the scenario does not say, in words.
    public let remarks: [String]
    /// How many steps it has.
    public let stepCount: Int

    init(
        members: [JSONValue.Member], old: [[JSONValue.Member]], beginning: [JSONValue],
        steps: [ScenarioStep], end: CaptureTime?, notifications: [SeenNotification],
        remarks: [String]
    ) {
        var lines = beginning
        var last = steps.first?.time
        for step in steps {
            if step.isOfPhone, !step.isTogether, let last,
                let pause = Self.pause(from: last, to: step.time)
            {
                lines.append(pause)
            }
            let gap = last.map { step.time - $0 } ?? .zero
            last = step.time
            lines += step.preceding.map { .object($0) }
            if case .pass = step.deed { continue }
            lines.append(step.members(notifications, after: gap))
        }
        if let last, let end, let pause = Self.pause(from: last, to: end + .milliseconds(200)) {
            lines.append(pause)
        }
        let head = [.init("title", "From a capture")] + members
        self.remarks = remarks
        stepCount = lines.count
        text = Self.document(head, ["notifications": old.map { .object($0) }, "steps": lines])
    }

    /// The time between two steps, if a person or a slow phone would notice it.
    private static func pause(from earlier: CaptureTime, to later: CaptureTime) -> JSONValue? {
        let milliseconds = ((later - earlier) / .milliseconds(1)).rounded()
        guard milliseconds >= 20 else { return nil }
        return .object([.init("pause", .number(min(milliseconds / 1000, 86_400)))])
    }

    /// A member a line, and an element a line of its lists.
    private static func document(
        _ head: [JSONValue.Member], _ lists: KeyValuePairs<String, [JSONValue]>
    ) -> String {
        var parts = head.map { "  \(JSONValue.string($0.name).text): \($0.value.text)" }
        for (name, elements) in lists where !elements.isEmpty {
            let lines = elements.map { "    " + $0.text }.joined(separator: ",\n")
            parts.append("  \"\(name)\": [\n\(lines)\n  ]")
        }
        return "{\n" + parts.joined(separator: ",\n") + "\n}\n"
    }
}

extension ScenarioStep {
    /// The step as a scenario has it.
    fileprivate func members(
        _ notifications: [SeenNotification], after gap: Duration
    ) -> JSONValue {
        switch deed {
        case .post(let index): .object([.init("post", .object(notifications[index].members))])
        case .ring(let index): .object([.init("ring", .object(notifications[index].callMembers))])
        case .modify(let index, let version):
            .object([
                .init(
                    "modify",
                    .object(
                        [.init("of", .string(notifications[index].name))]
                            + notifications[index].versions[version].members(
                                since: notifications[index].versions[version - 1])))
            ])
        case .wait(let state):
            // An accessory may take twice as long another time.
            [
                "wait": .string(state),
                "within": .integer(max(60, Int(2 * min(gap / .seconds(1), 3600)))),
            ]
        case .pass: ["pause": true]
        case .verb(let verb, let index): .object([.init(verb, .string(notifications[index].name))])
        case .other(let members), .end(let members): .object(members)
        case .expect(let members, let index):
            .object([
                .init(
                    "expect",
                    .object(
                        members
                            + (notifications[index].hasStep
                                ? [.init("of", .string(notifications[index].name))] : []))),
                .init("within", 30),
            ])
        }
    }
}
