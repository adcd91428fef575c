import ANCS
import ANCSKit
import Octets

/// Everything that an accessory can learn about a notification at one time. In a simulation, every text of a
/// notification names the notification.
struct Content: Hashable {
    let attributes: [NotificationAttributeID: [UInt8]]
    let flags: EventFlags
    let category: CategoryID

    init(_ notification: ProviderNotification) {
        flags = notification.eventFlags
        category = notification.categoryID
        attributes = [
            .appIdentifier: notification.appIdentifier.octets, .title: notification.title,
            .subtitle: notification.subtitle, .message: notification.message,
            .messageSize: Array("\(notification.message.count)".utf8),
            .date: notification.date?.octets ?? [],
            .positiveActionLabel: notification.positiveActionLabel ?? [],
            .negativeActionLabel: notification.negativeActionLabel ?? [],
        ]
    }

    /// Whether this is a notification of the phone's own app for calls.
    var isPhones: Bool { attributes[.appIdentifier] == AppIdentifier.phone.octets }

    /// Whether everything that was delivered matches. A phone may omit dates (S12).
    func matches(_ delivery: NotificationFeed.Delivery, datesMayBeMissing: Bool) -> Bool {
        delivery.attributes.allSatisfy { value in
            let id = NotificationAttributeID(rawValue: value.id)
            if id == .date, datesMayBeMissing, value.octets.isEmpty { return true }
            return attributes[id] == value.octets
        }
    }

    /// Whether an announcement matches, apart from the flags that the phone adds.
    func matches(_ value: NotificationSourceValue, adding added: EventFlags) -> Bool {
        category == value.categoryID && value.eventFlags.isSuperset(of: flags)
            && value.eventFlags.subtracting(flags).isSubset(of: added)
    }
}

extension NotificationFeed.Delivery {
    /// Whether every attribute is present.
    var isComplete: Bool { (0...7).allSatisfy { self[.init(rawValue: $0)] != nil } }
}

/// The life of a phone from one start to the next.
final class PhoneLife {
    let phone: Int
    /// All contents that each notification has ever had.
    var contents: [NotificationID: [Content]] = [:]
    /// The installed apps.
    var names: [[UInt8]: String] = [:]

    init(phone: Int) { self.phone = phone }
}

/// An ANCS session as the phone sees it.
final class PhoneSession {
    /// The outcome of a command that asks for attributes.
    struct Fetch {
        let command: ControlPointCommand
        let began: MonotonicInstant
        var end: (outcome: ProviderSession.Outcome, at: MonotonicInstant)?
    }

    let life: PhoneLife
    /// The announced notifications.
    var identifiers: [NotificationUID: NotificationID] = [:]
    /// The announcements of each, in order.
    var announced: [NotificationUID: [NotificationSourceValue]] = [:]
    var fetches: [Fetch] = []
    /// Whether a write was not answered, after which ATT sends nothing more.
    var hasIgnoredWrite = false
    /// How many responses were lost, or late, behind the phone.
    var lostResponses = 0

    init(life: PhoneLife) { self.life = life }

    func contents(of uid: NotificationUID) -> [Content] {
        identifiers[uid].flatMap { life.contents[$0] } ?? []
    }

    /// Whether the phone prevented the accessory from receiving attributes: it refused for a reason other
    /// than consent, or it failed to answer in time so often that the accessory has given up.
    func explainsMissing(of uid: NotificationUID) -> Bool {
        let fetches = fetches.filter { fetch in
            guard case .getNotificationAttributes(let command) = fetch.command else { return false }
            return command.notificationUID == uid
        }
        return fetches.contains(where: \.isRefused)
            || fetches.count(where: \.isUnanswered) + lostResponses >= 2
    }

    /// Whether the phone prevented the accessory from receiving the name of an app, which is requested less
    /// and less often.
    func explainsMissingName(of app: [UInt8]) -> Bool {
        lostResponses > 0
            || fetches.contains { fetch in
                guard case .getAppAttributes(let command) = fetch.command else { return false }
                return command.appIdentifier.octets == app
                    && (fetch.isRefused || fetch.isUnanswered)
            }
    }
}

extension PhoneSession.Fetch {
    var isRefused: Bool {
        guard case .refused(let error) = end?.outcome else { return false }
        return !error.isAuthorization
    }

    /// Whether nothing, too little or too late was sent: the accessory waits for ten seconds.
    var isUnanswered: Bool {
        guard let end else { return true }
        switch end.outcome {
        case .sent(let octets):
            return octets < leastAnswer || end.at - began >= Self.patience(command)
        case .refused, .performed: return false
        case .withheld, .ignored, .abandoned: return true
        }
    }

    private static func patience(_ command: ControlPointCommand) -> Duration {
        if case .getAppAttributes = command { .seconds(2) } else { .seconds(9) }
    }

    /// The length of the shortest answer: the header, and an identifier and a length for each attribute.
    private var leastAnswer: Int {
        switch command {
        case .getNotificationAttributes(let command): 5 + 3 * command.attributes.count
        case .getAppAttributes(let command): 2 + command.appIdentifier.octets.count + 3
        case .performNotificationAction: 0
        }
    }
}
