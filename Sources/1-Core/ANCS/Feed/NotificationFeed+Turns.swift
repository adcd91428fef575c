// The queue of announcements, and its order.
extension NotificationFeed {
    /// A queued announcement.
    struct Announcement: Sendable {
        var value: NotificationSourceValue
        /// See ``Delivery/announcementNumber``.
        var number: UInt64
        /// Whether it arrived so soon after the start of the session that the notification's date is
        /// considered.
        var isEarly: Bool

        var isRingingCall: Bool { value.eventID == .added && value.categoryID == .incomingCall }

        var isPreExisting: Bool {
            value.eventID == .added && value.eventFlags.contains(.preExisting)
        }
    }

    /// The queued announcements of one notification, in order.
    struct Waiting: Sendable {
        var announcements: [Announcement] = []
        var turn: Turn?
        /// Whether one of them is a ringing call that was reported.
        var isReported = false
    }

    /// Lower values are fetched first.
    enum Rank: UInt8, Comparable, Sendable {
        /// A call: the caller is waiting.
        case call
        /// A notification of this session.
        case live
        /// A notification that existed before the session.
        case preExisting

        init(of announcement: Announcement) {
            if announcement.value.categoryID == .incomingCall {
                self = .call
            } else {
                self = announcement.isPreExisting ? .preExisting : .live
            }
        }

        static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }
    }

    /// A notification's place in the queue. Of those that existed before the session, the last one is the most
    /// likely to be new to the user; the others keep the order in which they were announced.
    struct Turn: Comparable, Sendable {
        let rank: Rank
        /// That of the announcement that decides.
        let number: UInt64

        static func < (lhs: Self, rhs: Self) -> Bool {
            guard lhs.rank == rhs.rank else { return lhs.rank < rhs.rank }
            return lhs.rank == .preExisting ? lhs.number > rhs.number : lhs.number < rhs.number
        }
    }

    /// The queued notifications in the order of their turns.
    struct Turns: Sendable {
        private struct Entry: Sendable {
            let turn: Turn
            let uid: NotificationUID
        }

        /// Sorted.
        private var entries: [Entry] = []

        /// Removes the first notification and returns it.
        mutating func popFirst() -> NotificationUID? {
            entries.isEmpty ? nil : entries.removeFirst().uid
        }

        /// Removes the least urgent notification and returns it: the oldest of the last rank.
        mutating func popLeastUrgent() -> NotificationUID? {
            guard let last = entries.last else { return nil }
            guard last.turn.rank != .preExisting else { return entries.removeLast().uid }
            return entries.remove(at: index(of: Turn(rank: last.turn.rank, number: 0))).uid
        }

        /// Adds a notification whose turn is none of the others'.
        mutating func insert(_ uid: NotificationUID, at turn: Turn) {
            entries.insert(Entry(turn: turn, uid: uid), at: index(of: turn))
        }

        mutating func remove(_ turn: Turn) {
            let index = index(of: turn)
            if index < entries.count, entries[index].turn == turn { entries.remove(at: index) }
        }

        /// The index of a turn, or where it would be inserted.
        private func index(of turn: Turn) -> Int {
            var (low, high) = (0, entries.count)
            while low < high {
                let middle = (low + high) / 2
                if entries[middle].turn < turn { low = middle + 1 } else { high = middle }
            }
            return low
        }
    }

    /// Queues an announcement, together with earlier ones of its notification, which keep their order: the
    /// better of the two places counts.
    mutating func wait(_ announcement: Announcement, isReported: Bool) {
        let uid = announcement.value.notificationUID
        let turn = Turn(rank: Rank(of: announcement), number: announcement.number)
        var entry = waiting.removeValue(forKey: uid) ?? Waiting()
        entry.announcements.append(announcement)
        entry.isReported = entry.isReported || isReported
        if entry.turn.map({ turn.rank < $0.rank }) ?? true {
            if let worse = entry.turn { turns.remove(worse) }
            turns.insert(uid, at: turn)
            entry.turn = turn
        }
        waiting[uid] = entry
        waitingCount += 1
    }

    /// Removes the queued announcements of a notification and returns them.
    mutating func takeWaiting(_ uid: NotificationUID) -> Waiting? {
        guard let entry = waiting.removeValue(forKey: uid) else { return nil }
        if let turn = entry.turn { turns.remove(turn) }
        waitingCount -= entry.announcements.count
        return entry
    }

    /// Removes the announcements of the first notification and returns them.
    mutating func takeFirst() -> Waiting? {
        guard let uid = turns.popFirst() else { return nil }
        return takeWaiting(uid)
    }
}

extension NotificationFeed.Configuration {
    /// Whether the content is fetched.
    func fetches(_ announcement: NotificationFeed.Announcement) -> Bool {
        if announcement.value.eventFlags.contains(.preExisting), preExisting == .headers {
            return false
        }
        return !attributes.isEmpty
    }
}
