import ANCS
import ANCSKit
import Octets

/// Everything that an accessory can learn about a notification at one time. Each notification of a
/// simulation says in every text which one it is.
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

    /// Whether the phone's own app for calls says this.
    var isPhones: Bool { attributes[.appIdentifier] == AppIdentifier.phone.octets }

    /// Whether everything that came is what this says. A phone may leave dates out (S12).
    func matches(_ delivery: NotificationFeed.Delivery, datesMayBeMissing: Bool) -> Bool {
        delivery.attributes.allSatisfy { value in
            let id = NotificationAttributeID(rawValue: value.id)
            if id == .date, datesMayBeMissing, value.octets.isEmpty { return true }
            return attributes[id] == value.octets
        }
    }

    /// Whether an announcement says what this says, beside the flags that the phone adds.
    func matches(_ value: NotificationSourceValue, adding added: EventFlags) -> Bool {
        category == value.categoryID && value.eventFlags.isSuperset(of: flags)
            && value.eventFlags.subtracting(flags).isSubset(of: added)
    }
}

extension NotificationFeed.Delivery {
    /// Whether every attribute is there.
    var isComplete: Bool { (0...7).allSatisfy { self[.init(rawValue: $0)] != nil } }
}

/// A phone from one start to the next.
final class PhoneLife {
    let phone: Int
    /// Everything that a notification ever said.
    var contents: [NotificationID: [Content]] = [:]
    /// The apps that are installed.
    var names: [[UInt8]: String] = [:]

    init(phone: Int) { self.phone = phone }
}

/// A session as a phone sees it.
final class PhoneSession {
    /// What became of a command that asks for attributes.
    struct Fetch {
        let command: ControlPointCommand
        let began: MonotonicInstant
        var end: (outcome: ProviderSession.Outcome, at: MonotonicInstant)?
    }

    let life: PhoneLife
    /// The notifications that were announced.
    var identifiers: [NotificationUID: NotificationID] = [:]
    /// What was announced of each, in order.
    var announced: [NotificationUID: [NotificationSourceValue]] = [:]
    var fetches: [Fetch] = []
    /// A write was not answered, so that ATT sends nothing behind it.
    var hasIgnoredWrite = false

    init(life: PhoneLife) { self.life = life }

    func contents(of uid: NotificationUID) -> [Content] {
        identifiers[uid].flatMap { life.contents[$0] } ?? []
    }

    /// Whether the phone made it impossible that the accessory has what it asked for: it refused for
    /// another reason than consent, or it did not answer in time so often that it is not asked any more.
    func explainsMissing(of uid: NotificationUID) -> Bool {
        let fetches = fetches.filter { fetch in
            guard case .getNotificationAttributes(let command) = fetch.command else { return false }
            return command.notificationUID == uid
        }
        return fetches.contains(where: \.isRefused) || fetches.count(where: \.isUnanswered) >= 2
    }

    /// The same of the name of an app, which is asked for ever more rarely.
    func explainsMissingName(of app: [UInt8]) -> Bool {
        fetches.contains { fetch in
            guard case .getAppAttributes(let command) = fetch.command else { return false }
            return command.appIdentifier.octets == app && (fetch.isRefused || fetch.isUnanswered)
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

    /// The header, and an identifier and a length for each of the attributes.
    private var leastAnswer: Int {
        switch command {
        case .getNotificationAttributes(let command): 5 + 3 * command.attributes.count
        case .getAppAttributes(let command): 2 + command.appIdentifier.octets.count + 3
        case .performNotificationAction: 0
        }
    }
}
