package import ANCSKit
internal import LinuxIO

/// The virtual phone, in the form that verbs use: a user operates it at the prompt, or a scenario does.
package final class OperatedPhone {
    package let provider: NotificationProvider
    package let apps: BoundApps
    /// Its current behavior.
    package var behavior: ProviderBehavior
    /// The notifications by the names that verbs gave them.
    package var names: [String: NotificationID] = [:]
    /// The notification that was added last, if nothing else happened to notifications since.
    private var added: NotificationID?

    package init(_ provider: NotificationProvider, _ apps: BoundApps, behavior: ProviderBehavior) {
        (self.provider, self.apps, self.behavior) = (provider, apps, behavior)
    }

    /// Names what an accessory leaves behind that answers or declines a call, which was added just before.
    package func follow(_ event: ProviderEvent) {
        if case .notification(let change, let id) = event { added = change == .added ? id : nil }
        guard case .session(_, .action(let request, performed: true)) = event, let added,
            let name = names.first(where: { $0.value == request.notificationID })?.key
        else { return }
        names[name + request.actionID.remainder] = added
    }

    // MARK: What is meant

    /// A notification by its name, or by its number on the phone.
    package func id(of name: String) async throws(PhoneObstacle) -> NotificationID {
        if let id = names[name] { return id }
        let all = await provider.notifications
        guard let id = all.first(where: { $0.rawValue.description == name }) else {
            throw PhoneObstacle(reason: "no notification \(name)")
        }
        return id
    }

    /// The same, or every one if the name is `all` and none has this name.
    package func ids(of name: String) async throws(PhoneObstacle) -> [NotificationID] {
        if name == "all", names[name] == nil { return await provider.notifications }
        return [try await id(of: name)]
    }

    /// A call by its name or number; if that is empty, the newest of `calls`.
    package func call(
        _ name: String, among calls: [NotificationID]
    ) async throws(PhoneObstacle) -> NotificationID {
        guard name.isEmpty else { return try await id(of: name) }
        guard let newest = calls.last else { throw PhoneObstacle(reason: "no such call") }
        return newest
    }

    /// The accessories with a number, name or address; by default, those that are connected.
    package func accessories(_ name: String?) async throws(PhoneObstacle) -> [AccessoryID] {
        let all = await provider.accessories
        let meant = all.filter { accessory in
            guard let name else { return accessory.isConnected }
            let description = accessory.description
            return name == String(accessory.id.rawValue) || name == description.name
                || [description.address, description.identity].contains(name.uppercased())
        }
        guard meant.isEmpty else { return meant.map(\.id) }
        throw PhoneObstacle(
            reason: name.map { "unknown accessory '\($0)'; 'accessories' lists the known ones" }
                ?? "no accessory is connected; name one of those that 'accessories' lists")
    }

    // MARK: What can fail

    package func attempt<Result: Sendable>(
        _ deed: (NotificationProvider) async throws -> Result
    ) async throws(PhoneObstacle) -> Result {
        do { return try await deed(provider) } catch let error as StoreError {
            throw PhoneObstacle(reason: error.text)
        } catch let error as BoundApps.Fault { throw PhoneObstacle(reason: error.message) } catch {
            throw PhoneObstacle(reason: "the phone does not accept this app identifier")
        }
    }

    // MARK: What is there from the start

    /// Installs apps, by identifier.
    package func install(_ names: [String: String]) async throws(PhoneObstacle) {
        for (identifier, name) in names.sorted(byText: \.key) {
            try await attempt { provider in
                try await provider.install(try AppIdentifier(identifier), displayName: name)
            }
        }
    }
}

/// Why the phone cannot carry out a verb.
package struct PhoneObstacle: Error {
    package var reason: String

    package init(reason: String) { self.reason = reason }
}

extension StoreError {
    /// The reason, for users.
    package var text: String {
        switch self {
        case .tooManyNotifications(let limit): "the phone holds at most \(limit) notifications"
        case .tooManyApps(let limit): "the phone holds at most \(limit) apps"
        case .textTooLong(let octets, let limit):
            "a text of \(octets) octets is too long; the limit is \(limit)"
        case .unknownNotification(let id): "no notification \(id.rawValue)"
        case .unknownApp(let app): "\(app) is not installed"
        }
    }
}
