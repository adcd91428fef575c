// What waits for its content, and whose turn it is.
extension NotificationFeed {
    /// An announcement that waits.
    struct Announcement: Sendable {
        var value: NotificationSourceValue
        /// It came so soon after the start of the session that the date of its notification counts.
        var isEarly: Bool

        var isRingingCall: Bool {
            value.eventID == .added && value.categoryID == .incomingCall
        }

        var isPreExisting: Bool {
            value.eventID == .added && value.eventFlags.contains(.preExisting)
        }
    }

    /// The announcements of one notification that wait together, in order.
    struct Waiting: Sendable {
        var announcements: [Announcement] = []
        var turn: Turn?
        /// Whether a ringing call among them was reported already.
        var isReported = false
    }

    /// Whose turn comes first.
    enum Rank: UInt8, Comparable, Sendable {
        /// A call: somebody waits for its user.
        case call
        /// What happens now.
        case live
        /// What was there before the session.
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

    /// The turn of a notification.
    struct Turn: Comparable, Sendable {
        let rank: Rank
        let number: UInt64

        static func < (lhs: Self, rhs: Self) -> Bool {
            (lhs.rank, lhs.number) < (rhs.rank, rhs.number)
        }
    }

    /// The notifications that wait, by rank, and those of one rank in the order in which they came.
    struct Turns: Sendable {
        private struct Entry: Sendable {
            let turn: Turn
            let uid: NotificationUID
        }

        /// In order.
        private var entries: [Entry] = []
        private var lastNumber: UInt64 = 0

        /// The notification that comes first has it no longer.
        mutating func popFirst() -> NotificationUID? {
            entries.isEmpty ? nil : entries.removeFirst().uid
        }

        /// The notification that can wait best has its turn no longer: the oldest of the last rank.
        mutating func popLeastUrgent() -> NotificationUID? {
            guard let last = entries.last else { return nil }
            return entries.remove(at: index(of: Turn(rank: last.turn.rank, number: 0))).uid
        }

        /// Gives a notification the turn behind all others of a rank.
        mutating func append(_ uid: NotificationUID, _ rank: Rank) -> Turn {
            lastNumber += 1
            let turn = Turn(rank: rank, number: lastNumber)
            entries.insert(Entry(turn: turn, uid: uid), at: index(of: turn))
            return turn
        }

        mutating func remove(_ turn: Turn) {
            let index = index(of: turn)
            if index < entries.count, entries[index].turn == turn { entries.remove(at: index) }
        }

        /// Where a turn is, or belongs.
        private func index(of turn: Turn) -> Int {
            var (low, high) = (0, entries.count)
            while low < high {
                let middle = (low + high) / 2
                if entries[middle].turn < turn { low = middle + 1 } else { high = middle }
            }
            return low
        }
    }

    /// An announcement takes its turn, or that of its notification: the better one, for the order of one
    /// notification holds.
    mutating func wait(_ announcement: Announcement, isReported: Bool) {
        let uid = announcement.value.notificationUID
        let rank = Rank(of: announcement)
        var entry = waiting.removeValue(forKey: uid) ?? Waiting()
        entry.announcements.append(announcement)
        entry.isReported = entry.isReported || isReported
        if let turn = entry.turn, rank < turn.rank { turns.remove(turn) }
        if entry.turn.map({ rank < $0.rank }) ?? true { entry.turn = turns.append(uid, rank) }
        waiting[uid] = entry
        waitingCount += 1
    }

    /// What waits of a notification does not any more.
    mutating func takeWaiting(_ uid: NotificationUID) -> Waiting? {
        guard let entry = waiting.removeValue(forKey: uid) else { return nil }
        if let turn = entry.turn { turns.remove(turn) }
        waitingCount -= entry.announcements.count
        return entry
    }

    /// What comes first does not wait any more.
    mutating func takeFirst() -> Waiting? {
        guard let uid = turns.popFirst() else { return nil }
        return takeWaiting(uid)
    }
}

extension NotificationFeed.Configuration {
    /// Whether the content is asked for.
    func fetches(_ announcement: NotificationFeed.Announcement) -> Bool {
        if announcement.value.eventFlags.contains(.preExisting), preExisting == .headersOnly {
            return false
        }
        return !attributes.isEmpty
    }
}
