import ANCS
import Octets

/// Which announcements of one phone wait for their attributes, and which notifications were shown: both bounded,
/// whatever the phone announces.
struct Inbox {
    /// An announcement that waits: as small as it can be, since many wait at once.
    struct Announcement {
        var uid: NotificationUID
        var flags: EventFlags
        var category: CategoryID
        var isModified: Bool
        /// How often it was asked about without an answer.
        var attempts: UInt8 = 0
    }

    /// A notification that can be acted on.
    private struct Shown {
        var uid: NotificationUID
        var flags: EventFlags
    }

    private var waiting: [Announcement] = []
    private var shown: [Shown] = []

    /// Whether something waits.
    var isEmpty: Bool { waiting.isEmpty }

    /// The notification that was shown last and is still there.
    var newest: NotificationUID? { shown.last?.uid }

    /// A notification was added or modified. Returns whether another one had to be left out for it: the one that
    /// can wait best.
    mutating func announce(_ value: NotificationSourceValue) -> Bool {
        let announcement = Announcement(
            uid: value.notificationUID, flags: value.eventFlags, category: value.categoryID,
            isModified: value.eventID == .modified)
        if let index = waiting.firstIndex(where: { $0.uid == announcement.uid }) {
            waiting[index] = announcement
            return false
        }
        waiting.append(announcement)
        guard waiting.count > Limits.waitingNotifications else { return false }
        waiting.remove(at: waiting.firstIndex { $0.flags.contains(.preExisting) } ?? 0)
        return true
    }

    /// Takes the announcement to ask about: calls first, then what is new, then what was there before; each of
    /// these in the order of their announcements.
    mutating func next() -> Announcement? {
        let index =
            waiting.firstIndex { $0.category == .incomingCall }
            ?? waiting.firstIndex { !$0.flags.contains(.preExisting) }
            ?? waiting.indices.first
        return index.map { waiting.remove(at: $0) }
    }

    /// An announcement was asked about without success and waits again: at its end, or, where the phone refused all, first.
    mutating func putBack(_ announcement: Announcement, first: Bool) {
        guard !waiting.contains(where: { $0.uid == announcement.uid }) else { return }
        waiting.insert(announcement, at: first ? 0 : waiting.count)
    }

    /// A notification is on the display.
    mutating func didShow(_ uid: NotificationUID, _ flags: EventFlags) {
        shown.removeAll { $0.uid == uid }
        shown.append(Shown(uid: uid, flags: flags))
        if shown.count > Limits.shownNotifications { shown.removeFirst() }
    }

    /// Whether the display shows what is said of a notification, and nothing newer is awaited.
    func shows(_ uid: NotificationUID) -> Bool {
        shown.contains { $0.uid == uid } && !waiting.contains { $0.uid == uid }
    }

    /// A notification was removed; whether it had been shown.
    mutating func remove(_ uid: NotificationUID) -> Bool {
        waiting.removeAll { $0.uid == uid }
        let count = shown.count
        shown.removeAll { $0.uid == uid }
        return shown.count < count
    }
}
