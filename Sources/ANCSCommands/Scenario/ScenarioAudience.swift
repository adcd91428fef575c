internal import ANCS
internal import ANCSKit

/// Who is told how a scenario goes, while it goes.
protocol ScenarioAudience: Sendable {
    /// The run begins.
    func runBegan(_ scenario: Scenario) async
    /// Something happened at the phone.
    func happened(_ event: ProviderEvent, at provider: NotificationProvider) async
    /// Something happened to an app of the phone that binds an accessory.
    func happened(_ event: BoundApps.Event) async
    /// The phone could not start, so that there is no run.
    func couldNotStart(_ scenario: Scenario, because cause: String) async
    /// A step begins. `notifications` are those of the phone, by their names in the scenario.
    func stepBegan(_ step: ScenarioStep, _ notifications: [String: NotificationID]) async
    /// A step has been waiting for a while.
    func stepWaits(_ step: ScenarioStep) async
    /// A step ended.
    func stepEnded(_ result: StepResult) async
    /// The run ended; what happens at the phone from now on is its end.
    func runEnded(_ result: ScenarioResult) async
}
