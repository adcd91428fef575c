internal import Octets

// What a delivered notification lacked is requested again once it can be had and nothing else is pending.
extension NotificationFeed {
    /// A delivered notification, and what it lacks.
    struct Incomplete: Sendable {
        enum Lack: Hashable, Sendable {
            /// The content, which the provider refused: requested again once the user consents.
            case consent
            /// The content, which the provider did not send: requested again when it answers again, as long
            /// as ``Tries`` permit.
            case answer
            /// The name of its app.
            case displayName(of: AppIdentifier)
            /// The name of its app, which the answer did not have: not requested again (S23).
            case lateName(of: AppIdentifier)

            /// The app whose name would complete one notification, and no earlier one.
            var isLateName: Bool { if case .lateName = self { true } else { false } }
        }

        var delivery: Delivery
        var lack: Lack
        var tries: Tries
        /// The drain in which it was last requested: see ``NotificationFeed/drainCount``.
        var askedInDrain: UInt64?

        /// Its place among the others, which is that of new notifications.
        var turn: Turn {
            Turn(
                rank: delivery.isPreExisting ? .preExisting : .live,
                number: delivery.announcementNumber)
        }
    }

    /// The requests for the content of a notification that were not answered in time.
    struct Tries: Sendable {
        /// So many octets that nobody asked for take seconds at the smallest ATT_MTU.
        static let unaskedOctets = 1_000
        private static let maximumUnanswered: UInt8 = 2
        /// A link that delivers nothing is ended after 30 s; another link that did not would be asked without
        /// end.
        private static let maximumUnfair: UInt8 = 8
        private var unanswered: UInt8 = 0
        private var unfair: UInt8 = 0

        /// A request was not answered; `isFair` if it reached the phone, and its answer had the link to
        /// itself.
        mutating func note(isFair: Bool) { if isFair { unanswered += 1 } else { unfair += 1 } }

        /// Whether the content is not requested again.
        var areOver: Bool { unanswered >= Self.maximumUnanswered || unfair >= Self.maximumUnfair }
    }

    /// Whether the provider answers for apps' names. If it once did not answer in time, names are requested
    /// after everything else, at intervals that double: they must not hold anything up.
    struct Names: Sendable {
        private enum State: Sendable {
            case answered
            case waiting(askAt: MonotonicInstant)
            case due
        }

        /// After an interval of this length without a name, no more names are requested, except for a new
        /// notification.
        private static var intervalLimit: Duration { .seconds(15 * 60) }

        private let firstInterval: Duration
        private var interval: Duration
        private var state = State.answered

        init(interval: Duration) {
            firstInterval = interval
            self.interval = interval
        }

        /// Whether the name is fetched together with the notification.
        var areAnswered: Bool { if case .answered = state { true } else { false } }
        /// Whether missing names may be requested now.
        var canBeAskedFor: Bool { if case .waiting = state { false } else { true } }

        /// Whether there have been too many attempts to go on.
        var areGivenUp: Bool { interval > Self.intervalLimit }

        var askAt: MonotonicInstant? {
            guard case .waiting(let askAt) = state else { return nil }
            return askAt
        }

        mutating func answered() {
            state = .answered
            interval = firstInterval
        }

        mutating func notReported(at now: MonotonicInstant) {
            state = .waiting(askAt: now + interval)
            if !areGivenUp { interval = interval * 2 }
        }

        mutating func handleTimeout(at now: MonotonicInstant) {
            if case .waiting(let askAt) = state, askAt <= now { state = .due }
        }
    }

    /// Keeps a delivered notification that lacks something that may still arrive.
    mutating func remember(
        _ delivery: Delivery, after tries: Tries = Tries(), askedInDrain: UInt64? = nil
    ) {
        let uid = delivery.source.notificationUID
        incomplete.removeAll { $0.delivery.source.notificationUID == uid }
        // One that was announced again is fetched anyway.
        guard waiting[uid] == nil, let lack = lack(of: delivery) else { return }
        let entry = Incomplete(
            delivery: delivery, lack: lack, tries: tries, askedInDrain: askedInDrain)
        // A name that follows its answer soon is that of the last one.
        if lack.isLateName {
            let last = incomplete.count - 1
            if last >= 0, incomplete[last].lack == lack,
                incomplete[last].delivery.announcementNumber < delivery.announcementNumber
            {
                incomplete[last] = entry
                return
            }
            incomplete.removeAll { $0.lack == lack }
        }
        // In the order of their announcements, which is seldom another one than that of their deliveries.
        var index = incomplete.count
        while index > 0,
            incomplete[index - 1].delivery.announcementNumber > delivery.announcementNumber
        { index -= 1 }
        incomplete.insert(entry, at: index)
        if incomplete.count > configuration.maximumIncompleteNotifications {
            incomplete.removeFirst()
        }
    }

    var lacksDisplayNames: Bool {
        incomplete.contains { if case .displayName = $0.lack { true } else { false } }
    }

    private func lack(of delivery: Delivery) -> Incomplete.Lack? {
        guard delivery.source.eventID != .removed else { return nil }
        switch delivery.failure {
        case .refused(let error): return error.isAuthorization ? .consent : nil
        case .timedOut: return .answer
        case .removed, .sessionEnded, .evicted, .responseTooLong, .contentUnavailable: return nil
        case nil: break
        }
        guard let app = delivery.app, !delivery.isWithheld else { return nil }
        switch delivery.displayNameFailure {
        case .refused(let error): return error.isAuthorization ? .displayName(of: app) : nil
        case .timedOut: return .displayName(of: app)
        case .removed, .sessionEnded, .evicted, .responseTooLong, .contentUnavailable: return nil
        case nil:
            let isNameless = configuration.fetchesDisplayName && delivery.displayName == nil
            return isNameless ? .lateName(of: app) : nil
        }
    }

    /// Requests what the first incomplete notification lacks; returns whether there may be more to do. What
    /// was already requested in this drain has to wait for the next one.
    mutating func completeNext(at now: MonotonicInstant) -> Bool {
        var first: Int?
        for index in incomplete.indices
        where incomplete[index].askedInDrain != drainCount
            && canBeCompleted(incomplete[index], at: now)
        {
            if let other = first, incomplete[other].turn < incomplete[index].turn { continue }
            first = index
        }
        guard let index = first else { return false }
        let next = incomplete.remove(at: index)
        let fetch = Fetch(delivery: next.delivery, lack: next.lack, tries: next.tries)
        switch next.lack {
        case .consent, .answer: beginFetch(fetch, at: now)
        case .displayName, .lateName: fetchDisplayName(for: fetch, at: now)
        }
        return true
    }

    private func canBeCompleted(_ incomplete: Incomplete, at now: MonotonicInstant) -> Bool {
        switch incomplete.lack {
        case .consent: return session.authorization == .authorized
        case .answer: return session.liveness == .live
        case .displayName(let app):
            if let known = session.knownDisplayName(of: app, at: now) {
                return if case .answered = known { true } else { false }
            }
            return session.authorization == .authorized && names.canBeAskedFor && lateNames.isEmpty
        case .lateName(let app):
            guard case .answered(let response) = session.knownDisplayName(of: app, at: now) else {
                return false
            }
            return response[AppAttributeID.displayName] != nil
        }
    }

    /// Delivers a completion if it brings what was missing, and keeps waiting for what can still arrive.
    mutating func finishCompletion(_ fetch: Fetch, of lack: Incomplete.Lack) {
        let delivery = fetch.delivery
        let hasIt: Bool
        switch lack {
        case .consent, .answer:
            hasIt = delivery.failure == nil
            // What went unanswered twice is not requested a third time, unless the provider has stopped
            // answering.
            let isGivenUp = lack == .answer && delivery.failure == .timedOut && fetch.tries.areOver
            if !isGivenUp || session.liveness != .live {
                remember(delivery, after: fetch.tries, askedInDrain: drainCount)
            }
        case .displayName, .lateName:
            hasIt = delivery.app != nil && delivery.displayNameFailure == nil
            if !hasIt, !names.areGivenUp { remember(delivery, askedInDrain: drainCount) }
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

// An answer that arrives after the one that was taken is newer: the first was delayed so long that its
// request had ended (S4).
extension NotificationFeed {
    /// The notification whose attributes arrived last.
    struct Answered: Sendable {
        var request: RequestID
        var uid: NotificationUID
        /// What was last delivered of it, if anything.
        var delivery: Delivery?
    }

    /// A later answer has different attributes. They are delivered if the earlier ones were, and replace
    /// those that wait for the app's name. What the notification lacks may have changed.
    mutating func supersede(
        _ request: RequestID, _ response: AttributeResponse, at now: MonotonicInstant
    ) {
        // A caller's own request gets only one outcome.
        guard let answered, answered.request == request else { return }
        let uid = answered.uid
        if let delivery = answered.delivery {
            let delivery = with(response, delivery, at: now)
            deliverCompletion(delivery)
            remember(delivery)
        }
        if case .fetchingDisplayName(var fetch, let app, let request) = state, fetch.uid == uid {
            // The later answer completes the notification.
            incomplete.removeAll { $0.delivery.source.notificationUID == uid }
            fetch.delivery = with(response, fetch.delivery, at: now)
            state = .fetchingDisplayName(fetch, app, request)
        }
    }

    /// A delivery with the attributes of another answer. Keeps the app's name, or its failure, only if both
    /// answers name the same app.
    private func with(
        _ response: AttributeResponse, _ earlier: Delivery, at now: MonotonicInstant
    ) -> Delivery {
        var delivery = earlier.with(response)
        guard delivery.app != earlier.app else { return delivery }
        delivery.displayName = nil
        delivery.displayNameFailure = nil
        guard configuration.fetchesDisplayName, let app = delivery.app else { return delivery }
        if let known = session.knownDisplayName(of: app, at: now) {
            delivery.take(displayName: known)
        } else {
            delivery.displayNameFailure = .timedOut
        }
        return delivery
    }
}
