internal import AccessoryConformance
internal import ANCS
internal import ANCSKit
internal import Octets

/// How a demo is shown. Takes events and returns the lines that can be written so far.
protocol DemoView: Sendable {
    /// The run begins.
    mutating func began(_ scenario: Scenario) -> [String]
    /// Something happened on the phone; `content` is that of the notification concerned.
    mutating func phone(
        _ event: ProviderEvent, _ content: PostedNotification?, at time: MonotonicInstant
    ) -> [String]
    /// Something happened on the accessory.
    mutating func accessory(_ event: ConsumerEvent, at time: MonotonicInstant) -> [String]
    /// The user of the accessory presses a button.
    mutating func pressed(_ press: DemoPress, at time: MonotonicInstant) -> [String]
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
    func redrawn(toWidth width: Int) -> [String] { [] }
}

/// A button pressed on the accessory.
struct DemoPress: Equatable, Sendable {
    var action: ActionID
    /// The label of the button.
    var label: String
    var uid: NotificationUID
    var notification: NotificationID
}
