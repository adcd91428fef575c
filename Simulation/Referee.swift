import ANCS
import ANCSKit

/// Compares what accessories show with what phones hold, all the time. It knows nothing of how either
/// works: only what was announced, with which texts, and what was shown.
struct Referee {
    /// A rule that was broken, and how.
    struct Violation: Hashable {
        var rule: String
        var evidence: String
    }

    /// The texts of a notification at one time. Each notification of a simulation says in every text
    /// which one it is.
    struct Content: Hashable {
        var app: [UInt8]
        var title: [UInt8]
        var message: [UInt8]
    }

    /// One ANCS session as an accessory sees it.
    struct Shown {
        /// What is on the screen.
        var notifications: [NotificationUID: NotificationFeed.Delivery] = [:]
        /// The phone that it is a session with, once a text told.
        var phone: Int?
    }

    /// A session as a phone sees it.
    private struct Announced {
        var identifiers: [NotificationUID: NotificationID] = [:]
    }

    private(set) var violations: [Violation] = []
    /// By accessory, then by its name for the phone.
    private(set) var shown: [Int: [ProviderID: Shown]] = [:]
    /// By phone: all the texts that a notification ever had.
    private var contents: [Int: [NotificationID: Set<Content>]] = [:]
    /// By phone, then by accessory: the sessions, the newest last.
    private var announced: [Int: [Int: [Announced]]] = [:]
    private var openRequests = 0

    mutating func violate(_ rule: String, _ evidence: String) {
        violations.append(Violation(rule: rule, evidence: evidence))
    }

    // MARK: What phones do

    /// A phone has begun, with nothing to show.
    mutating func phoneStarted(_ phone: Int) {
        contents[phone] = [:]
        announced[phone] = [:]
    }

    /// A notification has these texts from now on.
    mutating func changed(_ id: NotificationID, to notification: Notification, at phone: Int) {
        contents[phone, default: [:]][id, default: []].insert(Content(notification))
    }

    mutating func sessionStarted(with accessory: Int, at phone: Int) {
        announced[phone, default: [:]][accessory, default: []].append(Announced())
    }

    mutating func announced(
        _ value: NotificationSourceValue, of id: NotificationID, to accessory: Int, at phone: Int
    ) {
        guard let last = announced[phone]?[accessory]?.indices.last else {
            return violate("announced without a session", "phone \(phone): \(value)")
        }
        announced[phone]?[accessory]?[last].identifiers[value.notificationUID] = id
    }

    // MARK: What accessories show

    mutating func sessionStarted(with provider: ProviderID, at accessory: Int) {
        if let old = shown[accessory]?[provider], !old.notifications.isEmpty {
            violate("survives its session", "accessory \(accessory)")
        }
        shown[accessory, default: [:]][provider] = Shown()
    }

    mutating func sessionEnded(with provider: ProviderID, at accessory: Int) {
        shown[accessory]?[provider] = nil
    }

    /// An accessory has ended, and every session of it.
    mutating func accessoryStopped(_ accessory: Int) {
        let left = shown.removeValue(forKey: accessory) ?? [:]
        if !left.isEmpty { violate("survives its end", "accessory \(accessory)") }
    }

    mutating func delivered(
        _ delivery: NotificationFeed.Delivery, by provider: ProviderID, at accessory: Int
    ) {
        let uid = delivery.source.notificationUID
        guard var session = shown[accessory]?[provider] else {
            return violate("shown without a session", "accessory \(accessory), uid \(uid)")
        }
        switch delivery.source.eventID {
        case .added where session.notifications[uid] != nil:
            violate("shown twice in a session", "accessory \(accessory), uid \(uid)")
        case .removed where session.notifications[uid] == nil:
            violate("removed without being shown", "accessory \(accessory), uid \(uid)")
        default: break
        }
        session.notifications[uid] = delivery.source.eventID == .removed ? nil : delivery
        if let content = Content(delivery) {
            checkContent(content, of: uid, at: accessory, in: &session)
        }
        shown[accessory]?[provider] = session
    }

    /// A text is one that this phone's notification has, or had, and not that of another.
    private mutating func checkContent(
        _ content: Content, of uid: NotificationUID, at accessory: Int, in session: inout Shown
    ) {
        let owners = contents.keys.filter { phone in
            contents[phone]?.values.contains { $0.contains(content) } ?? false
        }
        guard let phone = owners.first else {
            return violate("text that nobody wrote", "accessory \(accessory), uid \(uid)")
        }
        if let known = session.phone, known != phone {
            violate("text of another phone", "accessory \(accessory), uid \(uid)")
        }
        session.phone = phone
        // The phone may have begun the next session already while the last one's end is on its way.
        let sessions = announced[phone]?[accessory]?.suffix(2) ?? []
        let isRight = sessions.contains { session in
            guard let id = session.identifiers[uid] else { return false }
            return contents[phone]?[id]?.contains(content) ?? false
        }
        if !isRight {
            violate("text of another notification", "accessory \(accessory), uid \(uid)")
        }
    }

    // MARK: Requests

    mutating func requestBegan() { openRequests += 1 }
    mutating func requestEnded() { openRequests -= 1 }

    /// Every request has ended.
    mutating func checkRequests() {
        if openRequests != 0 { violate("a request without an end", "\(openRequests) of them") }
    }

    // MARK: At the end

    /// What the accessory shows of a phone differs from what the phone holds in this; `nil` if in
    /// nothing.
    func difference(
        between accessory: Int, and phone: Int, holding held: [NotificationID: Notification]
    ) -> String? {
        guard let identifiers = announced[phone]?[accessory]?.last?.identifiers else {
            return "the phone has no session with it"
        }
        let sessions = shown[accessory]?.values.filter { $0.phone == phone } ?? []
        guard let session = sessions.first else { return "it shows nothing of the phone" }
        guard sessions.count == 1 else { return "it has \(sessions.count) sessions with the phone" }
        var ids: Set<NotificationID> = []
        for (uid, delivery) in session.notifications {
            guard let id = identifiers[uid], let notification = held[id] else {
                return "it shows uid \(uid), which is gone"
            }
            ids.insert(id)
            if let content = Content(delivery) {
                if content != Content(notification) { return "uid \(uid) has an old text" }
            } else if delivery.failure == nil {
                return "uid \(uid) has no text, and nothing says why"
            }
        }
        let missing = held.keys.filter { !ids.contains($0) }.map(\.rawValue).sorted()
        return missing.isEmpty ? nil : "it misses \(missing.count) of \(held.count): \(missing)"
    }
}

extension Referee.Content {
    init(_ notification: Notification) {
        app = notification.appIdentifier.octets
        title = notification.title
        message = notification.message
    }

    /// What was shown; `nil` where a text is missing.
    init?(_ delivery: NotificationFeed.Delivery) {
        guard let app = delivery[.appIdentifier], let title = delivery[.title],
            let message = delivery[.message]
        else { return nil }
        self.init(app: app.octets, title: title.octets, message: message.octets)
    }
}
