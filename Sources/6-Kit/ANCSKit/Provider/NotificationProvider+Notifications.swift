public import ANCSProvider
internal import LinuxIO

// Notifications and apps.
extension NotificationProvider {
    /// The notifications, oldest first.
    public var notifications: [NotificationID] { store.ids }

    /// A notification; `nil` if it does not exist, or no longer does.
    public func notification(_ id: NotificationID) -> ProviderNotification? { store[id] }

    /// The installed apps, in no order.
    public var apps: [AppIdentifier] { store.apps }

    /// The display name of an installed app; `nil` if it is not installed.
    public func displayName(of app: AppIdentifier) -> String? {
        store.displayName(of: app).map { String(decoding: $0, as: UTF8.self) }
    }

    /// Installs an app, or changes its name, which accessories can fetch (R38).
    public func install(_ app: AppIdentifier, displayName: String) throws(StoreError) {
        try store.install(app, displayName: displayName)
    }

    /// Uninstalls an app; its notifications stay.
    public func uninstall(_ app: AppIdentifier) throws(StoreError) { try store.uninstall(app) }

    /// Posts a notification, and announces it to every accessory with a session. Labels in `actions` replace
    /// those of the notification.
    @discardableResult public func post(
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
        if actions.positive != nil || actions.negative != nil { self.actions[change.id] = actions }
        changed(change)
        return change.id
    }

    /// Changes a notification; accessories are informed that it was modified, but not of what changed (S22).
    public func modify(
        _ id: NotificationID, _ change: @Sendable (inout ProviderNotification) -> Void
    ) throws(StoreError) { changed(try store.modify(id, change)) }

    /// Removes a notification.
    public func remove(_ id: NotificationID) throws(StoreError) { changed(try store.remove(id)) }

    /// Performs an action without a closure, as iOS does.
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
    /// The state of a call.
    enum Call {
        case ringing(IncomingCall)
        case active(IncomingCall)
    }

    /// Starts a call. It rings until it is answered, declined or stopped.
    @discardableResult public func ring(_ call: IncomingCall) throws(StoreError) -> NotificationID {
        let id = try post(call.ringing(at: localTime))
        calls[id] = .ringing(call)
        return id
    }

    /// Answers a ringing call: its notification is removed, and one of an active call is posted (S15), whose
    /// identifier is returned.
    @discardableResult
    public func answer(_ id: NotificationID) throws(StoreError) -> NotificationID {
        let call = try ringingCall(id)
        try remove(id)
        let active = try post(call.active(at: localTime))
        calls[active] = .active(call)
        return active
    }

    /// Declines a ringing call: its notification is removed, and one of a missed call is posted (S19), whose
    /// identifier is returned.
    @discardableResult
    public func decline(_ id: NotificationID) throws(StoreError) -> NotificationID {
        let call = try ringingCall(id)
        try remove(id)
        return try post(call.missed(at: localTime))
    }

    /// The caller hangs up: the call becomes a missed one, as with ``decline(_:)``.
    @discardableResult
    public func stopRinging(_ id: NotificationID) throws(StoreError) -> NotificationID {
        try decline(id)
    }

    /// Ends an active call: its notification is removed.
    public func hangUp(_ id: NotificationID) throws(StoreError) {
        guard case .active = calls[id] else { throw .unknownNotification(id) }
        try remove(id)
    }

    /// The ringing calls, oldest first.
    public var ringingCalls: [NotificationID] {
        calls.filter { if case .ringing = $0.value { true } else { false } }.keys
            .sorted(byNumber: \.rawValue)
    }

    /// The active calls, oldest first.
    public var activeCalls: [NotificationID] {
        calls.filter { if case .active = $0.value { true } else { false } }.keys
            .sorted(byNumber: \.rawValue)
    }

    private func ringingCall(_ id: NotificationID) throws(StoreError) -> IncomingCall {
        guard case .ringing(let call) = calls[id] else { throw .unknownNotification(id) }
        return call
    }
}
