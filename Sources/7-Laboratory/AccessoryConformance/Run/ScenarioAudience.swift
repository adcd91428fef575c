package import ANCSKit

/// Receives the progress of a scenario.
package protocol ScenarioAudience: Sendable {
    /// The run begins: times in its result count from then.
    func runBegan(_ scenario: Scenario, at start: MonotonicInstant) async
    /// An event of the phone.
    func happened(_ event: ProviderEvent, at provider: NotificationProvider) async
    /// An event of an app of the phone that binds an accessory.
    func happened(_ event: BoundApps.Event) async
    /// The phone could not start, so there is no run.
    func couldNotStart(_ scenario: Scenario, because cause: String) async
    /// A step begins. `notifications` maps names in the scenario to the phone's notifications.
    func stepBegan(_ step: ScenarioStep, _ notifications: [String: NotificationID]) async
    /// A step has been waiting for a while.
    func stepWaits(_ step: ScenarioStep) async
    /// A step ended.
    func stepEnded(_ result: StepResult) async
    /// The run ended; later events of the phone belong to its shutdown.
    func runEnded(_ result: ScenarioResult) async
}
