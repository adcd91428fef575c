internal import ANCS

/// What one session announces of the notifications in a store: their identifiers, and what has yet to be
/// announced (R10, R18, R53).
///
/// Each value is made when there is room to send it: a store of thousands of notifications needs a position
/// in the store, not a queue. The values of each notification have the order Added, Modified, Removed (R19);
/// one that is removed before it was announced is never mentioned.
struct Announcements: Sendable {
    private struct Announced: Sendable {
        let uid: NotificationUID
        /// Whether a Modified is queued; it covers later changes too.
        var isModificationPending = false
    }

    private enum Change: Sendable {
        case modified(NotificationID)
        case removed(NotificationUID, ProviderNotification)
    }

    private var announced: [NotificationID: Announced] = [:]
    private var ids: [NotificationUID: NotificationID] = [:]
    /// At most two for every announced notification: later notifications are not announced before these have
    /// been sent.
    private var changes = Queue<Change>()
    /// The newest notification that existed when announcing began.
    private var lastExisting: NotificationID?
    /// The newest notification that was announced or skipped.
    private var position: NotificationID?
    /// Whether the subscription was dropped silently (S27).
    var isLost = false
    /// Whether announcing has begun.
    private(set) var hasBegun = false
    /// The identifier of the next notification. Only tests set it, since the numbers wrap after four thousand
    /// million notifications.
    var nextUID: NotificationUID

    init(firstUID: NotificationUID) { nextUID = firstUID }

    /// The identifier of a notification that was announced and still exists.
    func uid(of id: NotificationID) -> NotificationUID? { announced[id]?.uid }

    /// The notification with an identifier, if it still exists.
    func id(of uid: NotificationUID) -> NotificationID? { ids[uid] }

    /// Starts announcing: what is in the store now is pre-existing, what is added later is new.
    mutating func begin(
        with store: NotificationStore, _ existing: ProviderBehavior.ExistingNotifications
    ) {
        hasBegun = true
        lastExisting = store.newest
        switch existing {
        case .all: break
        case .newest(let count):
            let skipped = store.count - max(0, count)
            if skipped > 0 { position = store.ids[skipped - 1] }
        case .none: position = store.newest
        }
    }

    /// Records a change of the store. Additions need no record: they lie ahead of the position.
    mutating func storeChanged(_ change: StoreChange) {
        switch change {
        case .added: break
        case .modified(let id):
            guard let isPending = announced[id]?.isModificationPending, !isPending else { return }
            announced[id]?.isModificationPending = true
            changes.append(.modified(id))
        case .removed(let id, let notification):
            guard let uid = announced.removeValue(forKey: id)?.uid else { return }
            ids[uid] = nil
            changes.append(.removed(uid, notification))
        }
    }

    /// The next value; `nil` if there is nothing to announce. Changes come before additions, so that the end
    /// of a call is not delayed by a flood.
    mutating func next(
        from store: NotificationStore, _ behavior: ProviderBehavior
    ) -> NotificationSourceValue? {
        while let change = changes.popFirst() {
            switch change {
            case .modified(let id):
                guard let uid = announced[id]?.uid, let notification = store[id] else { continue }
                announced[id]?.isModificationPending = false
                return value(.modified, uid, notification, store, behavior)
            case .removed(let uid, let notification):
                return value(.removed, uid, notification, store, behavior)
            }
        }
        guard let id = store.first(after: position), let notification = store[id] else {
            return nil
        }
        position = id
        var added = value(.added, makeUID(for: id), notification, store, behavior)
        if let lastExisting, id <= lastExisting {
            added.eventFlags.formUnion(behavior.existingFlags)
        }
        return added
    }

    private mutating func makeUID(for id: NotificationID) -> NotificationUID {
        let uid = nextUID
        announced[id] = Announced(uid: uid)
        ids[uid] = id
        repeat {
            nextUID = NotificationUID(rawValue: nextUID.rawValue &+ 1)
        } while nextUID == .probe || ids[nextUID] != nil
        return uid
    }

    /// The category count is that of the moment at which the value is made, at most 255 (R17, S32).
    private func value(
        _ event: EventID, _ uid: NotificationUID, _ notification: ProviderNotification,
        _ store: NotificationStore, _ behavior: ProviderBehavior
    ) -> NotificationSourceValue {
        NotificationSourceValue(
            eventID: event, eventFlags: notification.eventFlags.union(behavior.additionalFlags),
            categoryID: behavior.categoryOverride ?? notification.categoryID,
            categoryCount: UInt8(clamping: store.count(of: notification.categoryID)),
            notificationUID: uid)
    }
}
