import Octets
import Testing

@testable import ANCS
@testable import ANCSProvider

let uid0 = NotificationUID(rawValue: 0)
let uid1 = NotificationUID(rawValue: 1)
let uid2 = NotificationUID(rawValue: 2)
let mail = AppIdentifier(received: Array("com.apple.mobilemail".utf8))
let messages = AppIdentifier(received: Array("com.apple.MobileSMS".utf8))
let phone = AppIdentifier(received: Array("com.apple.mobilephone".utf8))

extension ProviderNotification {
    /// A notification with every attribute and both actions.
    static let mailFromAda = ProviderNotification(
        appIdentifier: mail, categoryID: .email, title: "Ada", subtitle: "Lunch",
        message: "At noon?", date: NotificationDate(Array("20261121T093000".utf8)),
        positiveActionLabel: "Open", negativeActionLabel: "Clear")

    /// A ringing call, as iOS announces it.
    static var call: ProviderNotification {
        var call = ProviderNotification(
            appIdentifier: phone, categoryID: .incomingCall, title: "Ada", subtitle: "mobile",
            message: "Incoming Call", positiveActionLabel: "Answer", negativeActionLabel: "Decline")
        call.isImportant = true
        return call
    }

    static func social(_ title: String, message: String = "") -> ProviderNotification {
        ProviderNotification(
            appIdentifier: messages, categoryID: .social, title: title, message: message)
    }
}

/// A provider with one accessory and a clock; its link always has room unless a test says otherwise.
struct TestProvider: ~Copyable {
    typealias Output = ProviderSession.Output

    var store = NotificationStore()
    var session: ProviderSession
    var now = MonotonicInstant.zero

    init(
        _ behavior: ProviderBehavior = ProviderBehavior(), isConsented: Bool = true,
        configuration: ProviderSession.Configuration = ProviderSession.Configuration()
    ) {
        session = ProviderSession(
            behavior: behavior, isConsented: isConsented, configuration: configuration)
    }

    /// A provider with notifications, subscribed to; everything is announced, nothing to do.
    static func subscribed(
        _ behavior: ProviderBehavior = ProviderBehavior(),
        with notifications: [ProviderNotification] = [],
        attMTU: Int = 23,
        configuration: ProviderSession.Configuration = ProviderSession.Configuration()
    ) throws -> TestProvider {
        var provider = TestProvider(behavior, configuration: configuration)
        for notification in notifications { try provider.store.post(notification) }
        provider.receive(.mtuChanged(attMTU))
        _ = provider.subscribe()
        return provider
    }

    mutating func drain(hasRoom: Bool = true) -> [Output] {
        var outputs: [Output] = []
        while let output = session.pollOutput(from: store, hasRoom: hasRoom) {
            outputs.append(output)
        }
        return outputs
    }

    /// The next thing to do, if there is one.
    mutating func next() -> [Output] { session.pollOutput(from: store).map { [$0] } ?? [] }

    /// The accessory subscribes to both, Data Source first (S3).
    mutating func subscribe() -> [Output] {
        receive(.subscribed(.dataSource))
        receive(.subscribed(.notificationSource))
        return drain()
    }

    mutating func post(_ notification: ProviderNotification) throws -> NotificationID {
        let change = try store.post(notification)
        session.storeChanged(change)
        return change.id
    }

    mutating func modify(
        _ id: NotificationID, _ body: (inout ProviderNotification) -> Void
    ) throws {
        session.storeChanged(try store.modify(id, body))
    }

    mutating func remove(_ id: NotificationID) throws {
        session.storeChanged(try store.remove(id))
    }

    /// The accessory does something on its link.
    mutating func receive(_ report: ProviderSession.LinkReport) {
        session.receive(report, store: store, at: now)
    }

    mutating func write(_ octets: [UInt8]) { receive(.controlPointWritten(octets)) }

    /// Writes to the Control Point and takes everything that comes of it.
    mutating func answer(_ octets: [UInt8]) -> [Output] {
        write(octets)
        return drain()
    }

    /// Writes to the Control Point and takes everything that comes of it.
    mutating func answer(_ command: some OctetEncodable) -> [Output] { answer(command.octets) }

    mutating func advance(by duration: Duration) {
        now = now + duration
        session.handleTimeout(at: now)
    }
}

/// A command for attributes of a notification, also one that we would not write ourselves.
func get(
    _ uid: NotificationUID, _ attributes: [NotificationAttributeRequest]
) -> GetNotificationAttributes {
    GetNotificationAttributes(decoded: uid, attributes: attributes)
}

extension NotificationAttributeRequest {
    /// Any request, also one that we would not write ourselves.
    static func any(_ id: UInt8, _ maxLength: UInt16? = nil) -> Self {
        Self(decoded: NotificationAttributeID(rawValue: id), maxLength: maxLength)
    }
}

extension [ProviderSession.Output] {
    /// What was announced.
    var announcements: [NotificationSourceValue] {
        get throws {
            try values(of: .notificationSource).map {
                try NotificationSourceValue(decoding: $0.span)
            }
        }
    }

    /// The values of a characteristic.
    func values(of characteristic: NotifyingCharacteristic) -> [[UInt8]] {
        compactMap { output in
            guard case .link(.notify(characteristic, let value)) = output else { return nil }
            return value
        }
    }

    /// What came on the Data Source, joined.
    var data: [UInt8] { Array<UInt8>(values(of: .dataSource).joined()) }

    /// The responses to writes, where 0 is success.
    var responses: [UInt8] {
        compactMap { output in
            guard case .link(.respond(let error)) = output else { return nil }
            return error?.rawValue ?? 0
        }
    }

    /// What became of the commands.
    var outcomes: [ProviderSession.Outcome] {
        compactMap { output in
            guard case .answered(_, let outcome) = output else { return nil }
            return outcome
        }
    }

    /// The actions to perform.
    var actions: [ProviderSession.ActionRequest] {
        compactMap { output in
            guard case .perform(let request) = output else { return nil }
            return request
        }
    }
}

/// A value of the Notification Source.
func value(
    _ event: EventID, _ uid: NotificationUID, _ category: CategoryID, count: UInt8 = 1,
    flags: EventFlags = []
) -> NotificationSourceValue {
    NotificationSourceValue(
        eventID: event, eventFlags: flags, categoryID: category, categoryCount: count,
        notificationUID: uid)
}
