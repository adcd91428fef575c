internal import AccessoryConformance
internal import ANCS
internal import ANCSKit
internal import JSONText
internal import Octets

/// Shows a demo as JSON Lines: the objects of `ancs phone` and `ancs receive`, each with `side` (`phone`,
/// `accessory` or `scenario`) and `time`, in seconds since the start.
struct DemoJSON: DemoView {
    /// The name of the accessory, which what its user can do may mention.
    let accessory: String

    func began(_ scenario: Scenario) -> [String] {
        line("scenario", .zero, ScenarioReport.json(of: scenario))
    }

    func phone(
        _ event: ProviderEvent, _ content: PostedNotification?, at time: MonotonicInstant
    ) -> [String] {
        line("phone", time, event.line(for: Reporter(side: .phone, name: ""), content).json)
    }

    func accessory(_ event: ConsumerEvent, at time: MonotonicInstant) -> [String] {
        line("accessory", time, event.line(for: Reporter(side: .accessory, name: accessory)).json)
    }

    func pressed(_ press: DemoPress, at time: MonotonicInstant) -> [String] {
        line(
            "accessory", time,
            [
                "event": "pressed", "uid": .integer(Int(press.uid.rawValue)),
                "action": .string(press.action.description), "label": .string(press.label),
            ])
    }

    func stepBegan(_ step: ScenarioStep) -> [String] { [] }

    func stepEnded(_ result: StepResult, at time: MonotonicInstant) -> [String] {
        line("scenario", time, ScenarioReport.json(of: result))
    }

    func ended(_ result: ScenarioResult, at time: MonotonicInstant) -> [String] {
        ScenarioReport.json(ofEnd: result).flatMap { line("scenario", time, $0) }
    }

    func flush() -> [String] { [] }

    var isWaiting: Bool { false }

    private func line(_ side: String, _ time: MonotonicInstant, _ value: JSONValue?) -> [String] {
        guard case .object(let members) = value else { return [] }
        let milliseconds = time.nanoseconds / 1_000_000
        return [
            JSONValue.object(
                [
                    .init("side", .string(side)),
                    .init("time", .number(Double(milliseconds) / 1000)),
                ] + members
            ).text
        ]
    }
}
