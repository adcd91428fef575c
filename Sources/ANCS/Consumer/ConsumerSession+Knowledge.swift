internal import Octets

// What a session knows, as long as it lasts (R52).
extension ConsumerSession {
    /// Which of the optional characteristics there are (R8).
    struct Service: Hashable, Sendable {
        let hasControlPoint: Bool
        var hasDataSource: Bool

        /// Whether a question has an answer: written here, and received there.
        var hasContent: Bool { hasControlPoint && hasDataSource }
    }

    struct CachedApp: Sendable {
        var outcome: RequestOutcome
        /// `nil` if the outcome stands for the session.
        var expiry: MonotonicInstant?
    }

    /// What is learnt in a session.
    struct Knowledge: Sendable {
        var apps: RecentTable<AppIdentifier, CachedApp>
        var notifications: RecentTable<NotificationUID, EventFlags>
        /// The notification whose attributes were asked for last and not answered.
        var unansweredUID: NotificationUID?

        init(_ configuration: Configuration) {
            apps = RecentTable(limit: configuration.maximumCachedApps)
            notifications = RecentTable(limit: configuration.maximumNotifications)
        }
    }
}

extension ConsumerSession.State {
    /// Whether requests are taken.
    var takesRequests: Bool {
        switch self {
        case .subscribing, .active: true
        case .idle, .renewing, .ended: false
        }
    }
}
