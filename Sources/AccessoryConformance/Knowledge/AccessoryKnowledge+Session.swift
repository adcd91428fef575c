internal import ANCS
internal import ANCSKit
internal import Octets

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
        /// Whether an answer could reach the accessory when the notification was announced, or announced as
        /// modified after that. An accessory that subscribes to the Data Source later may have missed its
        /// chance to fetch it (S3).
        var canBeFetched: Bool
        var isFetched = false
        /// The requests since the notification last changed. An answer that was on its way when it changed is
        /// outdated.
        var asked: Set<[NotificationAttributeRequest]> = []
        /// The requests that were answered since the notification last changed, and whether the attributes
        /// came in another order.
        var answered: [[NotificationAttributeRequest]: Bool] = [:]
        /// Whether the user did not allow commands about it (S1).
        var isForbidden = false
        /// The time of an update that the accessory has not fetched, although it could.
        var modifiedAt: MonotonicInstant?
        var removedAt: MonotonicInstant?
    }
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
        case .modified:
            guard var track = tracks[uid] else { return }
            let isPreExisting = track.source.eventFlags.contains(.preExisting)
            track.source = source
            if isPreExisting { track.source.eventFlags.insert(.preExisting) }
            track.asked = []
            track.answered = [:]
            if canBeFetched, track.isFetched { track.modifiedAt = track.modifiedAt ?? now }
            tracks[uid] = track
        case .removed: tracks[uid]?.removedAt = now
        case _: break
        }
    }

    mutating func asked(_ get: GetNotificationAttributes, at now: MonotonicInstant) {
        guard get.notificationUID != .probe, var track = tracks[get.notificationUID] else { return }
        track.modifiedAt = nil
        track.isFetched = true
        track.asked.insert(get.attributes)
        tracks[get.notificationUID] = track
    }

    mutating func answered(_ command: ControlPointCommand, _ octets: Int, isReordered: Bool) {
        switch command {
        case .getNotificationAttributes(let get):
            // The answer consisted of the command and the UID alone (S5), which is a reason to ask again.
            guard octets > 5, let track = tracks[get.notificationUID],
                track.asked.contains(get.attributes)
            else { return }
            tracks[get.notificationUID]?.answered[get.attributes] = isReordered
        case .getAppAttributes(let get):
            if !get.isAnsweredWithoutName(octets) { namedApps.insert(get.appIdentifier) }
        case .performNotificationAction: break
        }
    }

    /// The user does not allow commands: until one is permitted, it proves nothing that notifications are not
    /// fetched.
    mutating func forbid() {
        for uid in tracks.keys { tracks[uid]?.isForbidden = true }
    }
}

extension GetAppAttributes {
    /// Whether an answer of this length consists of the command and the identifier with its NUL alone (S23).
    func isAnsweredWithoutName(_ octets: Int) -> Bool {
        octets == appIdentifier.octets.count + 2
    }
}
