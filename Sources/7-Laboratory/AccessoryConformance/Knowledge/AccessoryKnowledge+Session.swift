internal import ANCSKit

extension AccessoryKnowledge {
    /// A command and what became of it.
    struct Exchange: Sendable {
        /// The number of its entry.
        var number: Int
        var command: ProviderSession.Command
        var writtenAt: MonotonicInstant
        /// Whether the accessory was subscribed to the Data Source when it wrote the command (S25).
        var couldBeAnswered: Bool
        /// Whether the phone had silently dropped that subscription (S27).
        var hasLostSubscription: Bool
        /// The deliberate faults that affect it.
        var treatment = AnswerTreatment()
        /// Whether the attributes of the answer come in another order than the request.
        var isReordered = false
        /// How it ended; `nil` until then.
        var outcome: ProviderSession.Outcome?
        var answeredAt: MonotonicInstant?
        /// Whether its session has ended: nothing is awaited any more.
        var isVoid = false
    }

    /// An ANCS session.
    struct Session: Sendable {
        /// The number of the session in the run, from 1.
        var number: Int
        var tracks: [NotificationUID: Track] = [:]
        var namedApps: Set<AppIdentifier> = []
    }

    /// What the accessory knows about a notification.
    struct Track: Sendable {
        var source: NotificationSourceValue
        var announcedAt: MonotonicInstant
        /// The requests since the notification last changed. An answer that was on its way when it changed is
        /// outdated.
        fileprivate var requests = Requests()
        /// The time of an update that the accessory has not fetched, although it could.
        var modifiedAt: MonotonicInstant?
        var removedAt: MonotonicInstant?
        // The flags are last, where they take no place of their own.
        /// Whether an answer could reach the accessory when the notification was announced, or announced as
        /// modified after that. An accessory that subscribes to the Data Source later may have missed its
        /// chance to fetch it (S3).
        var canBeFetched: Bool
        var isFetched = false
        /// Whether the user did not allow commands about it (S1).
        var isForbidden = false

        /// The requests that were answered since the notification last changed, and whether the attributes
        /// came in another order.
        var answered: [[NotificationAttributeRequest]: Bool] { requests.answered }
    }

    /// The last few different requests about a notification. There are one or two of them as a rule: to compare
    /// each costs less than to hash the attributes.
    fileprivate struct Requests: Sendable {
        /// The number of requests that are remembered.
        private static let maximum = 32

        /// The requests, oldest first.
        private var all: [Request] = []

        private struct Request: Sendable {
            var attributes: [NotificationAttributeRequest]
            /// Whether the attributes of the answer came in another order; `nil` without an answer.
            var isReordered: Bool?
        }

        private func index(of attributes: [NotificationAttributeRequest]) -> Int? {
            all.firstIndex { $0.attributes == attributes }
        }

        mutating func asked(_ attributes: [NotificationAttributeRequest]) {
            guard index(of: attributes) == nil else { return }
            if all.count == Self.maximum { all.removeFirst() }
            all.append(Request(attributes: attributes))
        }

        /// An answer without a request counts for nothing.
        mutating func answered(_ attributes: [NotificationAttributeRequest], isReordered: Bool) {
            if let index = index(of: attributes) { all[index].isReordered = isReordered }
        }

        var answered: [[NotificationAttributeRequest]: Bool] {
            var answered: [[NotificationAttributeRequest]: Bool] = [:]
            for request in all { answered[request.attributes] = request.isReordered }
            return answered
        }
    }
}

// What happens to a notification changes its track in place: a copy would copy what was asked.
extension AccessoryKnowledge.Track {
    fileprivate mutating func modified(
        _ source: NotificationSourceValue, canBeFetched: Bool, at now: MonotonicInstant
    ) {
        let isPreExisting = self.source.eventFlags.contains(.preExisting)
        self.source = source
        if isPreExisting { self.source.eventFlags.insert(.preExisting) }
        requests = AccessoryKnowledge.Requests()
        if canBeFetched, isFetched { modifiedAt = modifiedAt ?? now }
    }

    fileprivate mutating func asked(_ attributes: [NotificationAttributeRequest]) {
        modifiedAt = nil
        isFetched = true
        requests.asked(attributes)
    }

    fileprivate mutating func answered(
        _ attributes: [NotificationAttributeRequest], isReordered: Bool
    ) { requests.answered(attributes, isReordered: isReordered) }
}

extension AccessoryKnowledge.Session {
    mutating func announced(
        _ source: NotificationSourceValue, canBeFetched: Bool, isForbidden: Bool,
        at now: MonotonicInstant
    ) {
        let uid = source.notificationUID
        switch source.eventID {
        case .added:
            tracks[uid] = AccessoryKnowledge.Track(
                source: source, announcedAt: now, canBeFetched: canBeFetched,
                isForbidden: isForbidden)
        case .modified: tracks[uid]?.modified(source, canBeFetched: canBeFetched, at: now)
        case .removed: tracks[uid]?.removedAt = now
        // EventID is open: a phone may announce what the specification does not know.
        case _: break
        }
    }

    mutating func asked(_ get: GetNotificationAttributes) {
        if get.notificationUID != .probe { tracks[get.notificationUID]?.asked(get.attributes) }
    }

    mutating func answered(_ command: ControlPointCommand, _ octets: Int, isReordered: Bool) {
        switch command {
        case .getNotificationAttributes(let get):
            // The answer consisted of the command and the UID alone (S5), which is a reason to ask again.
            guard octets > 5 else { return }
            tracks[get.notificationUID]?.answered(get.attributes, isReordered: isReordered)
        case .getAppAttributes(let get):
            if !get.isAnsweredWithoutName(octets) { namedApps.insert(get.appIdentifier) }
        case .performNotificationAction: break
        }
    }

    /// The user does not allow commands: until one is permitted, it proves nothing that notifications are not
    /// fetched.
    mutating func forbid() { for uid in tracks.keys { tracks[uid]?.isForbidden = true } }
}

extension GetAppAttributes {
    /// Whether an answer of this length consists of the command and the identifier with its NUL alone (S23).
    func isAnsweredWithoutName(_ octets: Int) -> Bool { octets == appIdentifier.octets.count + 2 }
}
