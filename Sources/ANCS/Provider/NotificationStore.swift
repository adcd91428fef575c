/// Names a notification on the Notification Provider for good: over all sessions, and never given to
/// another one. Accessories never see it; see ``NotificationUID`` for what they see.
public struct NotificationID: Hashable, Comparable, Sendable {
    /// Counts the notifications of a store from 1.
    public let rawValue: UInt64

    init(rawValue: UInt64) { self.rawValue = rawValue }

    /// Whether `left` was posted before `right`.
    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// What happened to a store: every ``ProviderSession`` of the Notification Provider has to be told.
public enum StoreChange: Hashable, Sendable {
    /// A notification was posted.
    case added(NotificationID)
    /// A notification is another now.
    case modified(NotificationID)
    /// A notification is gone; what it was last goes with it.
    case removed(NotificationID, ProviderNotification)

    /// Which notification.
    public var id: NotificationID {
        switch self {
        case .added(let id), .modified(let id), .removed(let id, _): id
        }
    }
}

/// Why a store did not do what it was asked to.
public enum StoreError: Error, Hashable, Sendable {
    /// There are ``NotificationStore/Limits/notifications`` notifications.
    case tooManyNotifications(limit: Int)
    /// There are ``NotificationStore/Limits/apps`` apps.
    case tooManyApps(limit: Int)
    /// A text has `octets` octets of UTF-8, more than ``NotificationStore/Limits/textOctets``.
    case textTooLong(octets: Int, limit: Int)
    /// There is no such notification, or no longer.
    case unknownNotification(NotificationID)
    /// No such app is installed.
    case unknownApp(AppIdentifier)
}

/// The notifications and the apps of a Notification Provider, shared by all its sessions.
public struct NotificationStore: Sendable {
    /// How much a store holds.
    public struct Limits: Hashable, Sendable {
        /// How many notifications.
        public var notifications: Int
        /// How many installed apps.
        public var apps: Int
        /// How long a title, subtitle, message, label or display name may be, in octets of UTF-8; at
        /// most 65535, which is what an answer can say (R27).
        public var textOctets: Int {
            didSet { textOctets = min(textOctets, Int(UInt16.max)) }
        }

        /// The usual limits.
        public init() {
            notifications = 4096
            apps = 1024
            textOctets = Int(UInt16.max)
        }
    }

    /// How much the store holds.
    public let limits: Limits
    /// The notifications in the order in which they were posted, oldest first.
    public private(set) var ids: [NotificationID] = []
    private var notifications: [NotificationID: ProviderNotification] = [:]
    private var displayNames: [AppIdentifier: [UInt8]] = [:]
    private var counts = [Int](repeating: 0, count: 256)
    private var lastID = NotificationID(rawValue: 0)

    /// An empty store.
    public init(limits: Limits = Limits()) { self.limits = limits }
}

// MARK: - What is there

extension NotificationStore {
    /// How many notifications there are.
    public var count: Int { ids.count }

    /// The notification that was posted last; `nil` if there is none.
    public var newest: NotificationID? { ids.last }

    /// A notification; `nil` if there is none with this name, or no longer.
    public subscript(id: NotificationID) -> ProviderNotification? { notifications[id] }

    /// The oldest notification that was posted after another one, which need not exist any more; the
    /// oldest of all for `nil`.
    public func first(after id: NotificationID?) -> NotificationID? {
        guard let id else { return ids.first }
        let index = firstIndex { $0 > id }
        return index < ids.count ? ids[index] : nil
    }

    /// How many notifications of a category there are.
    public func count(of category: CategoryID) -> Int { counts[Int(category.rawValue)] }

    /// The display name of an installed app, UTF-8 and possibly empty; `nil` if it is not installed.
    public func displayName(of app: AppIdentifier) -> [UInt8]? { displayNames[app] }

    /// The installed apps, in no order.
    public var apps: [AppIdentifier] { Array(displayNames.keys) }

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
    /// Posts a notification, whether its app is installed or not (S23).
    @discardableResult
    public mutating func post(
        _ notification: ProviderNotification
    ) throws(StoreError) -> StoreChange {
        guard ids.count < limits.notifications else {
            throw .tooManyNotifications(limit: limits.notifications)
        }
        try check(notification)
        lastID = NotificationID(rawValue: lastID.rawValue + 1)
        ids.append(lastID)
        notifications[lastID] = notification
        counts[Int(notification.categoryID.rawValue)] += 1
        return .added(lastID)
    }

    /// Puts another notification in the place of one.
    @discardableResult
    public mutating func replace(
        _ id: NotificationID, with notification: ProviderNotification
    ) throws(StoreError) -> StoreChange {
        guard let old = notifications[id] else { throw .unknownNotification(id) }
        try check(notification)
        notifications[id] = notification
        counts[Int(old.categoryID.rawValue)] -= 1
        counts[Int(notification.categoryID.rawValue)] += 1
        return .modified(id)
    }

    /// Changes parts of a notification.
    @discardableResult
    public mutating func modify(
        _ id: NotificationID, _ change: (inout ProviderNotification) -> Void
    ) throws(StoreError) -> StoreChange {
        guard var notification = notifications[id] else { throw .unknownNotification(id) }
        change(&notification)
        return try replace(id, with: notification)
    }

    /// Removes a notification.
    @discardableResult
    public mutating func remove(_ id: NotificationID) throws(StoreError) -> StoreChange {
        guard let notification = notifications.removeValue(forKey: id) else {
            throw .unknownNotification(id)
        }
        ids.remove(at: firstIndex { $0 >= id })
        counts[Int(notification.categoryID.rawValue)] -= 1
        return .removed(id, notification)
    }

    /// Installs an app, or gives an installed one another display name. Sessions need not be told: an
    /// app's attributes do not change for an accessory within a session (R56).
    public mutating func install(
        _ app: AppIdentifier, displayName: String
    ) throws(StoreError) {
        let name = Array(displayName.utf8)
        guard displayNames[app] != nil || displayNames.count < limits.apps else {
            throw .tooManyApps(limit: limits.apps)
        }
        try check(name)
        displayNames[app] = name
    }

    /// Uninstalls an app. Its notifications stay until they are removed.
    public mutating func uninstall(_ app: AppIdentifier) throws(StoreError) {
        guard displayNames.removeValue(forKey: app) != nil else { throw .unknownApp(app) }
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
