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
        var service: Service
        var apps: BoundedDictionary<AppIdentifier, CachedApp>
        var notifications: BoundedDictionary<NotificationUID, EventFlags>
        /// The notification whose attributes were asked for last and not answered.
        var unansweredUID: NotificationUID?

        init(service: Service, configuration: Configuration) {
            self.service = service
            apps = BoundedDictionary(limit: configuration.maximumCachedApps)
            notifications = BoundedDictionary(limit: configuration.maximumNotifications)
        }
    }
}

extension ConsumerSession.State {
    /// What is known, where requests are taken.
    var knowledge: ConsumerSession.Knowledge? {
        switch self {
        case .subscribing(_, let knowledge), .active(let knowledge): knowledge
        case .idle, .renewing, .ended: nil
        }
    }

    /// Changes what is known, in its place.
    mutating func know(_ body: (inout ConsumerSession.Knowledge) -> Void) {
        switch exchange(&self, with: .ended) {
        case .subscribing(let characteristic, var knowledge):
            body(&knowledge)
            self = .subscribing(characteristic, knowledge)
        case .active(var knowledge):
            body(&knowledge)
            self = .active(knowledge)
        case .idle: self = .idle
        case .renewing(let characteristic, let service): self = .renewing(characteristic, service)
        case .ended: break
        }
    }
}
