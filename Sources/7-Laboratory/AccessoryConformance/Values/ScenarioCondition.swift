internal import Printing
public import ANCS

/// What a step waits for.
package enum ScenarioCondition: Equatable, Sendable {
    case milestone(Milestone)
    case expectation(Expectation)
    /// The phone has ended the link of the accessory.
    case linkEnded
    /// The phone is ready again.
    case restarted
    /// The services of the accessory were discovered.
    case servicesFound
    /// A time has passed.
    case time(Duration)
}

extension ScenarioCondition {
    /// The duration of a condition that is only a time.
    package var length: Duration? {
        switch self {
        case .time(let duration), .expectation(.absence(_, _, let duration)): duration
        case .expectation, .milestone, .linkEnded, .restarted, .servicesFound: nil
        }
    }

    /// The condition in words, with the time limit.
    package func text(within deadline: Duration) -> String {
        switch self {
        case .milestone(let milestone): "\(milestone.text) within \(deadline.text)"
        case .expectation(.absence(let kind, let name, let duration)):
            Expectation.absence(of: kind, about: name, for: duration).text
        case .expectation(let expectation): "\(expectation.text) within \(deadline.text)"
        case .linkEnded: "the link to end within \(deadline.text)"
        case .restarted: "the phone to be back within \(deadline.text)"
        case .servicesFound: "its services to be discovered within \(deadline.text)"
        case .time(let duration): "pause for \(duration.text)"
        }
    }

    /// The action that is awaited on the accessory; `nil` if none is.
    package var action: AwaitedAction? {
        switch self {
        case .milestone(.action): AwaitedAction()
        case .expectation(.action(let action, of: let name)):
            AwaitedAction(action: action, notification: name)
        case .expectation(.command(let pattern)):
            pattern.command == .performNotificationAction
                ? AwaitedAction(notification: pattern.notification) : nil
        case .milestone, .expectation, .linkEnded, .restarted, .servicesFound, .time: nil
        }
    }
}

/// An action that a step waits for: a test of an accessory presses the button.
public struct AwaitedAction: Hashable, Sendable {
    /// Which action; `nil` for any.
    public var action: ActionID?
    /// The name in the scenario of the notification that it is about; `nil` for any.
    public var notification: String?
}
