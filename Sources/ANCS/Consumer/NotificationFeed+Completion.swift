internal import Octets

// What a delivered notification lacked is asked for again, when it can be had and nothing else waits.
extension NotificationFeed {
    /// A delivered notification, and what it waits for.
    struct Incomplete: Sendable {
        enum Lack: Hashable, Sendable {
            /// Its content, which the provider refused: until it does not.
            case consent
            /// Its content, which the provider did not tell: once more, when it answers.
            case answer
            /// The name of its app.
            case displayName
        }

        var delivery: Delivery
        var lack: Lack
    }

    /// Whether the provider tells names of apps. One that did not in time is asked behind everything
    /// else, and each time after twice as long: names hold nothing up.
    struct Names: Sendable {
        private enum State: Sendable {
            case told
            case waiting(askAt: MonotonicInstant)
            case due
        }

        /// After so long without a name nobody is asked any more, but for a new notification.
        private static var intervalLimit: Duration { .seconds(15 * 60) }

        private let firstInterval: Duration
        private var interval: Duration
        private var state = State.told

        init(interval: Duration) {
            firstInterval = interval
            self.interval = interval
        }

        /// Whether they come with the notification.
        var areTold: Bool { if case .told = state { true } else { false } }
        /// Whether those that are lacking may be asked for.
        var canBeAskedFor: Bool { if case .waiting = state { false } else { true } }

        /// Whether it was asked so often that there is no more use in it.
        var areGivenUp: Bool { interval > Self.intervalLimit }

        var askAt: MonotonicInstant? {
            guard case .waiting(let askAt) = state else { return nil }
            return askAt
        }

        mutating func told() {
            state = .told
            interval = firstInterval
        }

        mutating func notTold(at now: MonotonicInstant) {
            state = .waiting(askAt: now + interval)
            if !areGivenUp { interval = interval * 2 }
        }

        mutating func handleTimeout(at now: MonotonicInstant) {
            if case .waiting(let askAt) = state, askAt <= now { state = .due }
        }
    }

    /// Keeps what was delivered and lacks something that may come.
    mutating func remember(_ delivery: Delivery) {
        let uid = delivery.source.notificationUID
        incomplete.removeAll { $0.delivery.source.notificationUID == uid }
        // What was announced since is fetched anyway.
        guard waiting[uid] == nil, let lack = Self.lack(of: delivery) else { return }
        let limit = configuration.maximumIncompleteNotifications
        incomplete.removeFirst(max(0, min(incomplete.count, incomplete.count + 1 - limit)))
        if limit > 0 { incomplete.append(Incomplete(delivery: delivery, lack: lack)) }
    }

    var lacksDisplayNames: Bool { incomplete.contains { $0.lack == .displayName } }

    private static func lack(of delivery: Delivery) -> Incomplete.Lack? {
        guard delivery.source.eventID != .removed else { return nil }
        switch delivery.failure {
        case .refused(let error): return error.isAuthorization ? .consent : nil
        case .timedOut: return .answer
        case .removed, .sessionEnded, .evicted, .responseTooLong, .contentUnavailable: return nil
        case nil: break
        }
        switch delivery.displayNameFailure {
        case .refused(let error): return error.isAuthorization ? .displayName : nil
        case .timedOut: return .displayName
        case .removed, .sessionEnded, .evicted, .responseTooLong, .contentUnavailable, nil:
            return nil
        }
    }

    /// Asks for what the first notification lacks that can be completed; whether there may be more to do.
    mutating func completeNext(at now: MonotonicInstant) -> Bool {
        guard let index = incomplete.firstIndex(where: { canBeCompleted($0, at: now) }) else {
            return false
        }
        let next = incomplete.remove(at: index)
        var delivery = next.delivery
        delivery.lack = next.lack
        switch next.lack {
        case .consent, .answer: fetchAttributes(for: delivery, at: now)
        case .displayName: fetchDisplayName(for: delivery, at: now)
        }
        return true
    }

    private func canBeCompleted(_ incomplete: Incomplete, at now: MonotonicInstant) -> Bool {
        switch incomplete.lack {
        case .consent: return session.authorization == .authorized
        case .answer: return session.liveness == .live
        case .displayName:
            guard session.authorization == .authorized, names.canBeAskedFor else { return false }
            guard let app = incomplete.delivery.app,
                case .failed = session.knownDisplayName(of: app, at: now)
            else { return true }
            return false
        }
    }

    /// A completion is delivered if it brings what was lacking; what can still come is waited for.
    mutating func finishCompletion(_ finished: Delivery, of lack: Incomplete.Lack) {
        var delivery = finished
        delivery.lack = nil
        let hasIt: Bool
        switch lack {
        case .consent, .answer:
            hasIt = delivery.failure == nil
            // What was not told twice is not asked for a third time, unless the provider is ill.
            if delivery.failure != .timedOut || session.liveness != .live { remember(delivery) }
        case .displayName:
            hasIt = delivery.displayNameFailure == nil
            if !hasIt, !names.areGivenUp { remember(delivery) }
        }
        guard hasIt else { return }
        deliverCompletion(delivery)
    }

    private mutating func deliverCompletion(_ completed: Delivery) {
        var delivery = completed
        delivery.isCompletion = true
        delivery.source.eventID = .modified
        output(delivery)
    }
}

// An answer that comes behind the one that was taken is newer: that one was held back so long that it
// answered a request which had ended (S4).
extension NotificationFeed {
    /// The notification whose attributes came last.
    struct Answered: Sendable {
        var request: RequestID
        var uid: NotificationUID
        /// What was delivered of it last, if anything was.
        var delivery: Delivery?
    }

    /// A later answer has other attributes: they are delivered if the earlier ones were, and take their
    /// place wherever they wait.
    mutating func supersede(_ request: RequestID, _ response: AttributeResponse) {
        // Nobody who asked by himself is told twice.
        guard let answered, answered.request == request else { return }
        let uid = answered.uid
        if case .fetchingDisplayName(let delivery, let request) = state,
            delivery.source.notificationUID == uid
        {
            state = .fetchingDisplayName(delivery.with(response), request)
        }
        if let shared = waiting[uid]?.shared { waiting[uid]?.shared = shared.with(response) }
        for index in incomplete.indices
        where incomplete[index].delivery.source.notificationUID == uid {
            incomplete[index].delivery = incomplete[index].delivery.with(response)
        }
        if let delivery = answered.delivery { deliverCompletion(delivery.with(response)) }
    }
}
