internal import Octets

// What a session knows, as long as it lasts (R52).
extension ConsumerSession {
    /// The optional characteristics that the provider has (R8).
    struct Service: Hashable, Sendable {
        let hasControlPoint: Bool
        var hasDataSource: Bool

        /// Whether attributes can be fetched: commands are written to the Control Point, answers arrive on
        /// the Data Source.
        var hasContent: Bool { hasControlPoint && hasDataSource }
    }

    /// What the provider announced, and what became of it. It does not report what an action did (R42), nor
    /// always the removal that an action caused (S19).
    struct KnownNotification: Sendable {
        let flags: EventFlags
        /// The actions that the provider has performed since it announced these flags.
        var performed: EventFlags = []
        /// Whether the provider has answered that it does not have the notification.
        var isGone = false

        /// Why an action cannot be performed; `nil` if it can. A second tap must not act on what the first
        /// one changed.
        func fault(of action: EventFlags) -> UsageError? {
            if !flags.contains(action) { return .actionUnavailable }
            if isGone { return .notificationGone }
            return performed.contains(action) ? .alreadyPerformed : nil
        }
    }

    struct CachedApp: Sendable {
        var outcome: RequestOutcome
        /// When the outcome is forgotten; `nil` to keep it for the whole session.
        var expiry: MonotonicInstant?
    }

    /// What a session learns about its notifications and apps.
    struct Knowledge: Sendable {
        var apps: RecentTable<AppIdentifier, CachedApp>
        var notifications: RecentTable<NotificationUID, KnownNotification>
        /// No notification has had a greater UID. Providers count upwards (S18), so most are greater than it.
        private var greatestUID: UInt32?
        /// The notification whose attributes were requested last and not answered.
        var unansweredUID: NotificationUID?

        init(_ configuration: Configuration) {
            apps = RecentTable(limit: configuration.maximumCachedApps)
            notifications = RecentTable(limit: configuration.maximumNotifications)
        }

        /// A notification was added or modified.
        mutating func learn(_ value: NotificationSourceValue) {
            let uid = value.notificationUID
            let isNew = greatestUID.map { uid.rawValue > $0 } ?? true
            if isNew { greatestUID = uid.rawValue }
            notifications.set(KnownNotification(flags: value.eventFlags), for: uid, isNew: isNew)
        }
    }
}

extension ConsumerSession.State {
    /// Whether the session accepts requests.
    var takesRequests: Bool {
        switch self {
        case .subscribing, .active: true
        case .idle, .renewing, .ended: false
        }
    }
}
