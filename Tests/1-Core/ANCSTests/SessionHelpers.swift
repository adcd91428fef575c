import Octets
import Testing

@testable import ANCS

let uid7 = NotificationUID(rawValue: 7)
let uid8 = NotificationUID(rawValue: 8)

extension MonotonicInstant {
    static func seconds(_ seconds: Int64) -> Self { Self(nanoseconds: seconds * 1_000_000_000) }
    func advanced(nanoseconds: Int64) -> Self { Self(nanoseconds: self.nanoseconds + nanoseconds) }
}

/// The response to the command that was written last.
enum LastWrite {
    case controlPointWritten(ControlPointError?)

    /// As the driver reports it.
    func report(to transactions: borrowing ControlPointTransactions) -> ConsumerSession.LinkReport {
        switch self {
        case .controlPointWritten(let error):
            let unanswered = transactions.unanswered
            let write = transactions.writing ?? unanswered
            return .controlPointWritten(write?.command.octets ?? [], error)
        }
    }
}

/// A value of the Notification Source.
func announcement(
    _ event: EventID, _ uid: NotificationUID, flags: EventFlags = [.positiveAction]
) -> NotificationSourceValue {
    NotificationSourceValue(eventID: event, eventFlags: flags, notificationUID: uid)
}

/// The answer with a title.
func titleAnswer(_ uid: NotificationUID, _ title: String) -> AttributeResponse {
    AttributeResponse(
        identity: .notification(uid), attributes: [AttributeValue(.title, title)])
}

/// The answer with a display name, or with nothing but its header.
func nameAnswer(_ app: AppIdentifier, _ name: String?) -> AttributeResponse {
    let attributes = name.map { [AttributeValue(AppAttributeID.displayName, $0)] } ?? []
    return AttributeResponse(identity: .app(app), attributes: attributes)
}

/// The command for the title.
func titleCommand(_ uid: NotificationUID) throws -> [UInt8] {
    try GetNotificationAttributes(notificationUID: uid, attributes: [.title]).octets
}

extension ConsumerSession {
    /// A session that is subscribed, with nothing to do.
    static func subscribed(
        _ configuration: Configuration = Configuration(), hasControlPoint: Bool = true,
        hasDataSource: Bool = true, liveness: Liveness = .live
    ) -> ConsumerSession {
        var session = ConsumerSession(configuration: configuration, liveness: liveness)
        session.serviceDiscovered(
            hasControlPoint: hasControlPoint, hasDataSource: hasDataSource, at: .zero)
        session.receive(.subscribed(.dataSource), at: .zero)
        session.receive(.subscribed(.notificationSource), at: .zero)
        _ = session.drain()
        return session
    }

    mutating func drain() -> [Output] {
        var outputs: [Output] = []
        while let output = pollOutput() { outputs.append(output) }
        return outputs
    }

    mutating func receive(_ value: NotificationSourceValue, at now: MonotonicInstant = .zero) {
        receive(.notificationSource(value.octets), at: now)
    }

    mutating func receive(
        _ response: AttributeResponse, at now: MonotonicInstant = .zero, fragments size: Int = 512
    ) {
        for fragment in response.octets.fragments(of: size) {
            receive(.dataSource(fragment), at: now)
        }
    }

    mutating func receive(_ response: LastWrite, at now: MonotonicInstant) {
        receive(response.report(to: transactions), at: now)
    }

    mutating func fetchTitle(
        _ uid: NotificationUID, at now: MonotonicInstant = .zero
    ) throws -> RequestID {
        try fetch([.title], of: uid, at: now)
    }
}

extension NotificationFeed {
    /// A feed of titles that is subscribed, with nothing to do.
    static func subscribed(
        _ configuration: Configuration, hasControlPoint: Bool = true
    ) -> NotificationFeed {
        var feed = NotificationFeed(configuration: configuration)
        feed.serviceDiscovered(hasControlPoint: hasControlPoint, hasDataSource: true, at: .zero)
        feed.receive(.subscribed(.dataSource), at: .zero)
        feed.receive(.subscribed(.notificationSource), at: .zero)
        _ = feed.drain()
        return feed
    }

    /// Without the numbers of announcements, which few tests are about.
    mutating func drain() -> [Output] {
        var outputs: [Output] = []
        while let output = pollOutput() { outputs.append(output.withoutNumber) }
        return outputs
    }

    mutating func receive(_ value: NotificationSourceValue, at now: MonotonicInstant = .zero) {
        receive(.notificationSource(value.octets), at: now)
    }

    mutating func receive(_ response: AttributeResponse, at now: MonotonicInstant = .zero) {
        receive(.dataSource(response.octets), at: now)
    }

    mutating func receive(_ response: LastWrite, at now: MonotonicInstant) {
        receive(response.report(to: session.transactions), at: now)
    }
}

extension NotificationFeed.Output {
    fileprivate var withoutNumber: Self {
        switch self {
        case .notification(var delivery):
            delivery.announcementNumber = 0
            return .notification(delivery)
        case .selecting(var delivery, let known):
            delivery.announcementNumber = 0
            return .selecting(delivery, known: known)
        default: return self
        }
    }
}

extension NotificationFeed.Delivery {
    /// What was announced of what, and the title.
    var line: String {
        let line = "\(source.eventID) \(source.notificationUID)"
        return self[.title].map { line + " " + $0.text } ?? line
    }
}

extension [NotificationFeed.Output] {
    /// What was delivered.
    var deliveries: [NotificationFeed.Delivery] {
        compactMap { output in
            guard case .notification(let delivery) = output else { return nil }
            return delivery
        }
    }

    /// What was written to the Control Point.
    var writes: [[UInt8]] {
        compactMap { output in
            guard case .link(.writeControlPoint(let value)) = output else { return nil }
            return value
        }
    }
}
