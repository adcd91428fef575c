internal import AccessoryConformance
internal import ANCSService
internal import ANCS
internal import ANCSKit
internal import BluetoothLE
internal import JSONText
internal import Octets

/// The events of a phone in JSON: an object with `event`, `accessory` if it is about one, and further
/// members.
extension ProviderEvent {
    /// The object; `content` looks up notifications.
    func json(_ content: (NotificationID) -> ProviderNotification?) -> JSONValue {
        switch self {
        case .device(let event): .object(event.jsonMembers)
        case .peer(let id, let event): .object(event.jsonMembers(of: [id.jsonMember]))
        case .session(let id, let event):
            .object([.init("event", .string(event.jsonName)), id.jsonMember] + event.jsonMembers)
        case .notification(let change, let id):
            .object(
                [
                    .init("event", "notification"), .init("change", .string(change.description)),
                    .init("notification", .integer(Int(id.rawValue))),
                ] + (content(id)?.jsonMembers ?? []))
        }
    }
}

extension AccessoryID {
    /// Which accessory an object is about.
    fileprivate var jsonMember: JSONValue.Member { .init("accessory", .integer(Int(rawValue))) }
}

extension ProviderEvent.SessionEvent {
    fileprivate var jsonName: String {
        switch self {
        case .subscriptionChanged, .serviceChangedSubscription, .attributeSubscription:
            "subscription"
        case .attributeRead: "read"
        case .started, .ended: "session"
        case .announced: "announced"
        case .command: "command"
        case .commandWithoutResponse: "commandWithoutResponse"
        case .answered: "answered"
        case .action: "action"
        }
    }

    fileprivate var jsonMembers: [JSONValue.Member] {
        switch self {
        case .subscriptionChanged(let characteristic, let isSubscribed):
            subscription(SubscribedCharacteristic(characteristic).rawValue, isSubscribed)
        case .serviceChangedSubscription(let isSubscribed):
            subscription("serviceChanged", isSubscribed)
        case .attributeRead(let attribute):
            [.init("characteristic", .string(attribute.rawValue))]
        case .attributeSubscription(let attribute, let isSubscribed):
            subscription(attribute.rawValue, isSubscribed)
        case .started: [.init("state", "started")]
        case .ended: [.init("state", "ended")]
        case .announced(let notification, let source):
            [
                .init("notification", .integer(Int(notification.rawValue))),
                .init("value", .object(source.jsonMembers)),
            ]
        case .command(let command): command.jsonMembers
        case .commandWithoutResponse(let octets):
            [.init("octets", .string(Hexadecimal.text(octets)))]
        case .answered(let command, let outcome): outcome.jsonMembers + command.jsonMembers
        case .action(let request, let isPerformed):
            request.jsonMembers + [.init("performed", .boolean(isPerformed))]
        }
    }

    private func subscription(_ name: String, _ isSubscribed: Bool) -> [JSONValue.Member] {
        [.init("characteristic", .string(name)), .init("on", .boolean(isSubscribed))]
    }
}

extension Accessory {
    /// All members.
    var json: JSONValue {
        var members: [JSONValue.Member] = [.init("accessory", .integer(Int(id.rawValue)))]
        members += description.jsonMembers
        members += [
            .init("connected", .boolean(isConnected)), .init("bonded", .boolean(isBonded)),
            .init("consent", .boolean(hasConsent)),
        ]
        if isConnected {
            members += protection?.jsonMembers ?? [.init("encrypted", false)]
            members += [
                .init("mtu", .integer(mtu)),
                .init("notificationSource", .boolean(isSubscribedToNotificationSource)),
                .init("dataSource", .boolean(isSubscribedToDataSource)),
            ]
        }
        return .object(members)
    }
}

extension ProviderNotification {
    /// The members that the phone shows.
    var jsonMembers: [JSONValue.Member] {
        func text(_ octets: [UInt8]) -> JSONValue {
            .string(String(decoding: octets, as: UTF8.self))
        }
        var members: [JSONValue.Member] = [
            .init("app", .string(appIdentifier.description)),
            .init("category", .string(categoryID.description)),
            .init("flags", .array(eventFlags.names.map { .string($0) })),
            .init("title", text(title)), .init("subtitle", text(subtitle)),
            .init("message", text(message)),
        ]
        if let date { members.append(.init("date", .string(date.description))) }
        if let positiveActionLabel {
            members.append(.init("positive", text(positiveActionLabel)))
        }
        if let negativeActionLabel {
            members.append(.init("negative", text(negativeActionLabel)))
        }
        return members
    }
}

extension ProviderSession.Command {
    fileprivate var jsonMembers: [JSONValue.Member] {
        switch self {
        case .decoded(let command): command.jsonMembers
        case .malformed(let octets, _):
            [.init("command", "malformed"), .init("octets", .string(Hexadecimal.text(octets)))]
        }
    }
}

extension ProviderSession.Outcome {
    fileprivate var jsonMembers: [JSONValue.Member] {
        switch self {
        case .sent(let octets): [.init("outcome", "sent"), .init("octets", .integer(octets))]
        case .withheld: [.init("outcome", "withheld")]
        case .performed: [.init("outcome", "performed")]
        case .refused(let error):
            [
                .init("outcome", "refused"), .init("attError", .integer(Int(error.rawValue))),
                .init("name", .string(error.description)),
            ]
        case .ignored: [.init("outcome", "ignored")]
        case .abandoned(let octets):
            [.init("outcome", "abandoned"), .init("octets", .integer(octets))]
        }
    }
}

extension ProviderSession.ActionRequest {
    fileprivate var jsonMembers: [JSONValue.Member] {
        [
            .init("notification", .integer(Int(notificationID.rawValue))),
            .init("uid", .integer(Int(notificationUID.rawValue))),
            .init("action", .string(actionID.description)),
        ]
    }
}
