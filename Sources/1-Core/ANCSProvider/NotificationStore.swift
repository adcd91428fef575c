public import ANCS

/// Identifies a notification on the Notification Provider across all sessions; it is never reused.
/// Accessories never see it: they see a `NotificationUID`.
public struct NotificationID: Hashable, Comparable, Sendable {
    /// The number of the notification within its store, counted from 1.
    public let rawValue: UInt64

    package init(rawValue: UInt64) { self.rawValue = rawValue }

    /// Whether `left` was posted before `right`.
    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// A change of a store. Report each one to every ``ProviderSession`` of the Notification Provider.
public enum StoreChange: Hashable, Sendable {
    /// A notification was posted.
    case added(NotificationID)
    /// A notification was changed.
    case modified(NotificationID)
    /// A notification was removed; the value is its last state.
    case removed(NotificationID, ProviderNotification)

    /// The notification that changed.
    public var id: NotificationID {
        switch self {
        case .added(let id), .modified(let id), .removed(let id, _): id
        }
    }
}

/// Why a store refused a change.
public enum StoreError: Error, Hashable, Sendable {
    /// The store already has ``NotificationStore/Limits/notifications`` notifications.
    case tooManyNotifications(limit: Int)
    /// The store already has ``NotificationStore/Limits/apps`` apps.
    case tooManyApps(limit: Int)
    /// A text has `octets` octets of UTF-8, more than ``NotificationStore/Limits/textOctets``.
    case textTooLong(octets: Int, limit: Int)
    /// The store has no such notification, or no longer has it.
    case unknownNotification(NotificationID)
    /// The app is not installed.
    case unknownApp(AppIdentifier)
}

/// The notifications and the apps of a Notification Provider, shared by all its sessions.
public struct NotificationStore: Sendable {
    /// How much a store may hold.
    public struct Limits: Hashable, Sendable {
        /// The number of notifications.
        public var notifications = 4096
        /// The number of installed apps.
        public var apps = 1024
        /// The length of a title, subtitle, message, label or display name in octets of UTF-8; at most 65535,
        /// the longest that an answer can hold (R27).
        public var textOctets = Int(UInt16.max) {
            didSet { textOctets = min(textOctets, Int(UInt16.max)) }
        }

        /// The default limits.
        public init() {}
    }

    /// How much the store may hold.
    public let limits: Limits
    /// The notifications, oldest first.
    public private(set) var ids: [NotificationID] = []
    /// Their contents, in the order of `ids`: as they are found by a binary search, no dictionary is needed.
    private var notifications: [ProviderNotification] = []
    private var displayNames: [AppIdentifier: [UInt8]] = [:]
    /// The number of notifications of each category, up to the highest one used.
    private var counts: [Int] = []
    private var lastID = NotificationID(rawValue: 0)

    /// An empty store.
    public init(limits: Limits = Limits()) { self.limits = limits }
}

// MARK: - What is there

extension NotificationStore {
    /// The number of notifications.
    public var count: Int { ids.count }

    /// The newest notification; `nil` if there is none.
    public var newest: NotificationID? { ids.last }

    /// A notification; `nil` if it does not exist, or no longer does.
    public subscript(id: NotificationID) -> ProviderNotification? {
        index(of: id).map { notifications[$0] }
    }

    /// The oldest notification that was posted after another one, which need not exist any more; for `nil`,
    /// the oldest of all.
    public func first(after id: NotificationID?) -> NotificationID? {
        guard let id else { return ids.first }
        let index = firstIndex { $0 > id }
        return index < ids.count ? ids[index] : nil
    }

    /// The number of notifications of a category.
    public func count(of category: CategoryID) -> Int {
        let index = Int(category.rawValue)
        return index < counts.count ? counts[index] : 0
    }

    private mutating func changeCount(of category: CategoryID, by change: Int) {
        let index = Int(category.rawValue)
        while counts.count <= index { counts.append(0) }
        counts[index] += change
    }

    /// The display name of an installed app, UTF-8 and possibly empty; `nil` if the app is not installed.
    public func displayName(of app: AppIdentifier) -> [UInt8]? { displayNames[app] }

    /// The installed apps, in no order.
    public var apps: [AppIdentifier] { Array(displayNames.keys) }

    private func index(of id: NotificationID) -> Int? {
        let index = firstIndex { $0 >= id }
        return index < ids.count && ids[index] == id ? index : nil
    }

    private func firstIndex(where isBeyond: (NotificationID) -> Bool) -> Int {
        var (low, high) = (0, ids.count)
        while low < high {
            let middle = (low + high) / 2
            if isBeyond(ids[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}

// MARK: - Changes

extension NotificationStore {
    /// Posts a notification. Its app need not be installed (S23). Throws if a limit is exceeded.
    @discardableResult public mutating func post(
        _ notification: ProviderNotification
    ) throws(StoreError) -> StoreChange {
        guard ids.count < limits.notifications else {
            throw .tooManyNotifications(limit: limits.notifications)
        }
        try check(notification)
        lastID = NotificationID(rawValue: lastID.rawValue + 1)
        ids.append(lastID)
        notifications.append(sharing(notification))
        changeCount(of: notification.categoryID, by: 1)
        return .added(lastID)
    }

    /// Replaces a notification. Throws if it does not exist or a limit is exceeded.
    @discardableResult public mutating func replace(
        _ id: NotificationID, with notification: ProviderNotification
    ) throws(StoreError) -> StoreChange {
        guard let index = index(of: id) else { throw .unknownNotification(id) }
        try check(notification)
        changeCount(of: notifications[index].categoryID, by: -1)
        notifications[index] = notification
        changeCount(of: notification.categoryID, by: 1)
        return .modified(id)
    }

    /// Changes a notification in place. Throws if it does not exist or a limit is exceeded.
    @discardableResult public mutating func modify(
        _ id: NotificationID, _ change: (inout ProviderNotification) -> Void
    ) throws(StoreError) -> StoreChange {
        guard var notification = self[id] else { throw .unknownNotification(id) }
        change(&notification)
        return try replace(id, with: notification)
    }

    /// Removes a notification. Throws if it does not exist.
    @discardableResult
    public mutating func remove(_ id: NotificationID) throws(StoreError) -> StoreChange {
        guard let index = index(of: id) else { throw .unknownNotification(id) }
        ids.remove(at: index)
        let notification = notifications.remove(at: index)
        changeCount(of: notification.categoryID, by: -1)
        return .removed(id, notification)
    }

    /// Installs an app, or changes the display name of an installed one. Sessions need no report: for an
    /// accessory, an app's attributes do not change within a session (R56). Throws if a limit is exceeded.
    public mutating func install(_ app: AppIdentifier, displayName: String) throws(StoreError) {
        let name = Array(displayName.utf8)
        guard displayNames[app] != nil || displayNames.count < limits.apps else {
            throw .tooManyApps(limit: limits.apps)
        }
        try check(name)
        displayNames[app] = name
    }

    /// Uninstalls an app. Its notifications stay until they are removed. Throws if it is not installed.
    public mutating func uninstall(_ app: AppIdentifier) throws(StoreError) {
        guard displayNames.removeValue(forKey: app) != nil else { throw .unknownApp(app) }
    }

    /// The notification with the octets of the last one where they are the same. Successive notifications are often
    /// of one app and have the same labels, which are in memory once then.
    private func sharing(_ notification: ProviderNotification) -> ProviderNotification {
        guard let last = notifications.last else { return notification }
        var notification = notification
        share(last.appIdentifier, in: &notification.appIdentifier)
        share(last.positiveActionLabel, in: &notification.positiveActionLabel)
        share(last.negativeActionLabel, in: &notification.negativeActionLabel)
        return notification
    }

    private func share<Value: Equatable>(_ last: Value, in value: inout Value) {
        if value == last { value = last }
    }

    private func check(_ notification: ProviderNotification) throws(StoreError) {
        try check(notification.title)
        try check(notification.subtitle)
        try check(notification.message)
        try check(notification.positiveActionLabel ?? [])
        try check(notification.negativeActionLabel ?? [])
    }

    private func check(_ text: [UInt8]) throws(StoreError) {
        guard text.count <= limits.textOctets else {
            throw .textTooLong(octets: text.count, limit: limits.textOctets)
        }
    }
}
