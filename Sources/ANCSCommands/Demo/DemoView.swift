internal import ANCS
internal import ANCSKit
internal import Octets

/// How a demo is told: takes what happens, gives the lines that can be written now.
protocol DemoView: Sendable {
    /// The run begins.
    mutating func began(_ scenario: Scenario) -> [String]
    /// Something happened at the phone; `content` is the notification that it is about.
    mutating func phone(
        _ event: ProviderEvent, _ content: DemoNarrator.Content?, at time: MonotonicInstant
    ) -> [String]
    /// Something happened at the accessory.
    mutating func accessory(_ event: ConsumerEvent, at time: MonotonicInstant) -> [String]
    /// The user of the accessory presses a button.
    mutating func pressed(_ press: DemoPress, at time: MonotonicInstant) -> [String]
    /// A step of the scenario begins.
    mutating func stepBegan(_ step: ScenarioStep) -> [String]
    /// A step of the scenario ended.
    mutating func stepEnded(_ result: StepResult, at time: MonotonicInstant) -> [String]
    /// The run ended.
    mutating func ended(_ result: ScenarioResult, at time: MonotonicInstant) -> [String]
    /// What was held back to stand beside something that has not come.
    mutating func flush() -> [String]
    /// Whether anything is held back.
    var isWaiting: Bool { get }
}

/// A button that was pressed on the accessory.
struct DemoPress: Hashable, Sendable {
    var action: ActionID
    /// What is written on it.
    var label: String
    var uid: NotificationUID
    var notification: NotificationID
}
