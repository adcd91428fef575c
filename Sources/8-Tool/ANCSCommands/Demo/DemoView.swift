internal import AccessoryConformance
internal import Printing

/// How a demo is shown. Takes what is said and returns the lines that can be written so far. What happened is passed
/// too, for a view that says something else of it.
protocol DemoView: Sendable {
    /// Something is said of what happened on one side, or by the scenario.
    mutating func show(_ line: Line, of side: DemoSide, at time: MonotonicInstant) -> [String]
    /// Something happened on the phone.
    mutating func phone(_ event: ProviderEvent, _ line: Line, at time: MonotonicInstant) -> [String]
    /// Something happened on the accessory.
    mutating func accessory(
        _ event: ConsumerEvent, _ line: Line, at time: MonotonicInstant
    ) -> [String]
    /// The run begins.
    mutating func began(_ scenario: Scenario) -> [String]
    /// A step of the scenario begins.
    mutating func stepBegan(_ step: ScenarioStep) -> [String]
    /// A step of the scenario ended.
    mutating func stepEnded(_ result: StepResult, at time: MonotonicInstant) -> [String]
    /// The run ended.
    mutating func ended(_ result: ScenarioResult, at time: MonotonicInstant) -> [String]
    /// Returns the lines that were held back to be shown next to something that has not happened yet.
    mutating func flush() -> [String]
    /// Returns everything since the beginning for a window that now has this width; nothing if the width does not
    /// matter or is the same.
    mutating func redrawn(toWidth width: Int) -> [String]
    /// Whether any lines are held back.
    var isWaiting: Bool { get }
}

extension DemoView {
    mutating func phone(
        _ event: ProviderEvent, _ line: Line, at time: MonotonicInstant
    ) -> [String] { show(line, of: .phone, at: time) }

    mutating func accessory(
        _ event: ConsumerEvent, _ line: Line, at time: MonotonicInstant
    ) -> [String] { show(line, of: .accessory, at: time) }

    mutating func began(_ scenario: Scenario) -> [String] {
        show(ScenarioReport.line(of: scenario), of: .scenario, at: .zero)
    }

    mutating func stepBegan(_ step: ScenarioStep) -> [String] { [] }

    mutating func stepEnded(_ result: StepResult, at time: MonotonicInstant) -> [String] {
        show(ScenarioReport.line(of: result), of: .scenario, at: time)
    }

    mutating func ended(_ result: ScenarioResult, at time: MonotonicInstant) -> [String] {
        ScenarioReport.lines(ofEnd: result).flatMap { show($0, of: .scenario, at: time) }
    }

    func redrawn(toWidth width: Int) -> [String] { [] }
}
