public import ANCSKit

/// The progress of a run.
public enum ScenarioEvent: Sendable {
    /// An event of the phone. `DeviceEvent.missed` among them counts what was dropped for a slow reader.
    case phone(ProviderEvent)
    /// A step begins. A test that operates the accessory looks at its ``ScenarioStep/awaitedAction``.
    case stepBegan(ScenarioStep)
    /// A step has been waiting for two seconds.
    case stepWaits(ScenarioStep)
    /// A step ended.
    case stepEnded(StepResult)
    /// The run ended; the last event.
    case ended(ScenarioResult)
}

/// Puts the progress of a run into a channel.
struct ScenarioEvents: ScenarioAudience {
    let channel: EventChannel<ScenarioEvent, Never>

    init(limit: Int) { channel = EventChannel(limit: limit) { .phone(.device(.missed($0))) } }

    func runBegan(_ scenario: Scenario, at start: MonotonicInstant) {}

    func happened(_ event: ProviderEvent, at provider: NotificationProvider) {
        channel.send(.phone(event))
    }

    func happened(_ event: BoundApps.Event) {}

    func couldNotStart(_ scenario: Scenario, because cause: String) { channel.finish() }

    func stepBegan(_ step: ScenarioStep, _ notifications: [String: NotificationID]) {
        channel.send(.stepBegan(step))
    }

    func stepWaits(_ step: ScenarioStep) { channel.send(.stepWaits(step)) }

    func stepEnded(_ result: StepResult) { channel.send(.stepEnded(result)) }

    func runEnded(_ result: ScenarioResult) {
        channel.send(.ended(result))
        channel.finish()
    }
}
