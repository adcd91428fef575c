internal import Octets

/// What one session says about the notifications of a store: their identifiers, and what has still to
/// be announced (R10, R18, R53).
///
/// Values are made one at a time when there is room for them: a store of thousands is a place in the
/// store, not a queue. Of each notification the values come in the order Added, Modified, Removed
/// (R19); one that goes before it was announced is never mentioned.
struct Announcements: Sendable {
    private struct Announced: Sendable {
        let uid: NotificationUID
        /// A Modified waits; what changes meanwhile is in it.
        var isModificationPending = false
    }

    private enum Change: Sendable {
        case modified(NotificationID)
        case removed(NotificationUID, ProviderNotification)
    }

    private var announced: [NotificationID: Announced] = [:]
    private var ids: [NotificationUID: NotificationID] = [:]
    /// At most two for every notification that is announced: what comes later is not added before
    /// these are gone.
    private var changes = Queue<Change>()
    /// The last notification that existed when announcing began.
    private var lastExisting: NotificationID?
    /// The last notification that was announced or is never to be.
    private var position: NotificationID?
    /// The subscription was dropped without a word (S27).
    var isLost = false
    /// Whether announcing has begun.
    private(set) var hasBegun = false
    /// The identifier of the next notification.
    private(set) var nextUID: NotificationUID

    init(firstUID: NotificationUID) { nextUID = firstUID }

    /// The identifier of a notification that was announced and is still there.
    func uid(of id: NotificationID) -> NotificationUID? { announced[id]?.uid }

    /// The notification with an identifier, if it is still there.
    func id(of uid: NotificationUID) -> NotificationID? { ids[uid] }

    /// What is in the store now exists already; the rest of the store is new.
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

    /// The store has changed. Additions need no attention: they lie ahead in the store.
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

    /// The next value; `nil` if everything is said. Changes come before additions, so that the end of
    /// a call does not wait behind a flood.
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

    /// The count is that of the moment at which the value is made, at most 255 (R17, S32).
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
