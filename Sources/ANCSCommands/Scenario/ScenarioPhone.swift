internal import ANCS
internal import ANCSKit

/// The phone, in the form that the steps of a scenario use.
final class ScenarioPhone {
    let provider: NotificationProvider
    let apps: BoundApps
    /// Its current behavior.
    var behavior: ProviderBehavior
    /// The notifications by their names in the scenario.
    var names: [String: NotificationID] = [:]

    init(_ provider: NotificationProvider, _ apps: BoundApps, behavior: ProviderBehavior) {
        self.provider = provider
        self.apps = apps
        self.behavior = behavior
    }

    func id(of name: String) throws(ScenarioObstacle) -> NotificationID {
        guard let id = names[name] else {
            throw ScenarioObstacle(reason: "the phone never announced \"\(name)\"")
        }
        return id
    }

    func post(_ content: NotificationContent) async throws(ScenarioObstacle) -> NotificationID {
        try await attempt { provider in try await provider.post(content.notification()) }
    }

    func attempt<Result: Sendable>(
        _ deed: (NotificationProvider) async throws -> Result
    ) async throws(ScenarioObstacle) -> Result {
        do { return try await deed(provider) } catch let error as StoreError {
            throw ScenarioObstacle(reason: error.text)
        } catch {
            throw ScenarioObstacle(reason: "the phone does not accept this app identifier")
        }
    }
}

/// Why the phone cannot carry out a step.
struct ScenarioObstacle: Error {
    var reason: String
}
