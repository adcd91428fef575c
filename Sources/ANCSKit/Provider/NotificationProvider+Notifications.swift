public import ANCS

// The phone's notifications and apps.
extension NotificationProvider {
    /// The notifications that the phone shows, oldest first.
    public var notifications: [NotificationID] { store.ids }

    /// A notification; `nil` if it is gone.
    public func notification(_ id: NotificationID) -> ProviderNotification? { store[id] }

    /// The installed apps, in no order.
    public var apps: [AppIdentifier] { store.apps }

    /// The display name of an installed app; `nil` if it is not installed.
    public func displayName(of app: AppIdentifier) -> String? {
        store.displayName(of: app).map { String(decoding: $0, as: UTF8.self) }
    }

    /// Installs an app, or gives it another name; accessories may ask for it (R38).
    public func install(_ app: AppIdentifier, displayName: String) throws(StoreError) {
        try store.install(app, displayName: displayName)
    }

    /// Uninstalls an app; its notifications stay.
    public func uninstall(_ app: AppIdentifier) throws(StoreError) { try store.uninstall(app) }

    /// Posts a notification; every accessory with a session is told. The labels of `actions` take the
    /// place of those of the notification.
    @discardableResult
    public func post(
        _ notification: ProviderNotification, actions: Actions = Actions()
    ) throws(StoreError) -> NotificationID {
        var notification = notification
        if let label = actions.positive?.label {
            notification.positiveActionLabel = Array(label.utf8)
        }
        if let label = actions.negative?.label {
            notification.negativeActionLabel = Array(label.utf8)
        }
        let change = try store.post(notification)
        self.actions[change.id] = actions
        changed(change)
        return change.id
    }

    /// Changes a notification; accessories are told that it was modified, not what changed (S22).
    public func modify(
        _ id: NotificationID, _ change: @Sendable (inout ProviderNotification) -> Void
    ) throws(StoreError) {
        changed(try store.modify(id, change))
    }

    /// Removes a notification.
    public func remove(_ id: NotificationID) throws(StoreError) {
        changed(try store.remove(id))
    }

    /// What iOS does where an accessory asks for an action that has no closure.
    func performByItself(_ action: ActionID, on id: NotificationID) -> Bool {
        do throws(StoreError) {
            switch (calls[id], action) {
            case (.ringing, .positive): try answer(id)
            case (.ringing, _): try decline(id)
            case (.active, _): try hangUp(id)
            case (nil, _): try remove(id)
            }
            return true
        } catch { return false }
    }
}

// Calls.
extension NotificationProvider {
    /// What became of a call so far.
    enum Call {
        case ringing(IncomingCall)
        case active(IncomingCall)
    }

    /// A call comes in. It rings until it is answered, declined or stops.
    @discardableResult
    public func ring(_ call: IncomingCall) throws(StoreError) -> NotificationID {
        let id = try post(call.ringing(at: localTime))
        calls[id] = .ringing(call)
        return id
    }

    /// The user answers a ringing call: the notification is removed, and one of an active call takes
    /// its place (S15), whose identifier is returned.
    @discardableResult
    public func answer(_ id: NotificationID) throws(StoreError) -> NotificationID {
        let call = try ringingCall(id)
        try remove(id)
        let active = try post(call.active(at: localTime))
        calls[active] = .active(call)
        return active
    }

    /// The user declines a ringing call: the notification is removed, and one of a missed call added
    /// (S19), whose identifier is returned.
    @discardableResult
    public func decline(_ id: NotificationID) throws(StoreError) -> NotificationID {
        let call = try ringingCall(id)
        try remove(id)
        return try post(call.missed(at: localTime))
    }

    /// The caller gives up: as with ``decline(_:)``, the call is a missed one then.
    @discardableResult
    public func stopRinging(_ id: NotificationID) throws(StoreError) -> NotificationID {
        try decline(id)
    }

    /// An active call ends: its notification is removed.
    public func hangUp(_ id: NotificationID) throws(StoreError) {
        guard case .active = calls[id] else { throw .unknownNotification(id) }
        try remove(id)
    }

    /// The calls that ring, oldest first.
    public var ringingCalls: [NotificationID] {
        calls.filter { if case .ringing = $0.value { true } else { false } }.keys.sorted()
    }

    /// The calls that were answered and have not ended, oldest first.
    public var activeCalls: [NotificationID] {
        calls.filter { if case .active = $0.value { true } else { false } }.keys.sorted()
    }

    private func ringingCall(_ id: NotificationID) throws(StoreError) -> IncomingCall {
        guard case .ringing(let call) = calls[id] else { throw .unknownNotification(id) }
        return call
    }
}
