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
        case .listening(let place): ["event": "listening", "at": .string(place)]
        case .ready: ["event": "ready"]
        case .resetting(let failure): ["event": "resetting", "reason": .string(failure.message)]
        case .scanning(let isScanning): ["event": "scanning", "on": .boolean(isScanning)]
        case .warning(let warning): ["event": "warning", "text": .string(warning.message)]
        case .missed(let count): ["event": "missed", "count": .integer(count)]
        case .notification(let change, let id):
            .object(
                [
                    .init("event", "notification"), .init("change", .string(change.description)),
                    .init("notification", .integer(Int(id.rawValue))),
                ] + (content(id)?.jsonMembers ?? []))
        case .discovered(let id, let description):
            object("discovered", id, description.jsonMembers)
        case .connectingFailed(let id, let error):
            object("connectingFailed", id, [.init("reason", .string(error.message))])
        case .connected(let id, let description): object("connected", id, description.jsonMembers)
        case .disconnected(let id, let reason):
            object("disconnected", id, [.init("reason", .string(reason.message))])
        case .secured(let id, let protection): object("secured", id, protection.jsonMembers)
        case .pairing(let id, let request):
            object("pairing", id, Array(request.jsonMembers.dropFirst()))
        case .paired(let id, let isBonded):
            object("paired", id, [.init("bonded", .boolean(isBonded))])
        case .bondRestored(let id): object("bondRestored", id)
        case .securityFailed(let id, let failure):
            object("securityFailed", id, [.init("reason", .string(failure.message))])
        case .accessDenied(let id, let handle, let errorCode):
            object(
                "accessDenied", id,
                [
                    .init("handle", .integer(Int(handle))),
                    .init("attError", .integer(Int(errorCode))),
                ])
        case .mtuChanged(let id, let mtu): object("mtu", id, [.init("mtu", .integer(mtu))])
        case .subscriptionChanged(let id, let characteristic, let isSubscribed):
            object(
                "subscription", id,
                [
                    .init(
                        "characteristic", .string(SubscribedCharacteristic(characteristic).rawValue)
                    ),
                    .init("on", .boolean(isSubscribed)),
                ])
        case .serviceChangedSubscription(let id, let isSubscribed):
            object(
                "subscription", id,
                [
                    .init("characteristic", "serviceChanged"), .init("on", .boolean(isSubscribed)),
                ])
        case .attributeRead(let id, let attribute):
            object("read", id, [.init("characteristic", .string(attribute.rawValue))])
        case .attributeSubscription(let id, let attribute, let isSubscribed):
            object(
                "subscription", id,
                [
                    .init("characteristic", .string(attribute.rawValue)),
                    .init("on", .boolean(isSubscribed)),
                ])
        case .commandWithoutResponse(let id, let octets):
            object(
                "commandWithoutResponse", id,
                [.init("octets", .string(Hexadecimal.text(octets)))])
        case .sessionStarted(let id): object("session", id, [.init("state", "started")])
        case .sessionEnded(let id): object("session", id, [.init("state", "ended")])
        case .announced(let id, let notification, let source):
            object(
                "announced", id,
                [
                    .init("notification", .integer(Int(notification.rawValue))),
                    .init("value", .object(source.jsonMembers)),
                ])
        case .command(let id, let command): object("command", id, command.jsonMembers)
        case .answered(let id, let command, let outcome):
            object("answered", id, outcome.jsonMembers + command.jsonMembers)
        case .action(let id, let request, let isPerformed):
            object("action", id, request.jsonMembers + [.init("performed", .boolean(isPerformed))])
        }
    }

    private func object(
        _ event: String, _ id: AccessoryID, _ members: [JSONValue.Member] = []
    ) -> JSONValue {
        .object(
            [.init("event", .string(event)), .init("accessory", .integer(Int(id.rawValue)))]
                + members)
    }
}

extension AccessoryDescription {
    /// The name, address and identity, as far as known.
    var jsonMembers: [JSONValue.Member] {
        var members: [JSONValue.Member] = []
        if let name { members.append(.init("name", .string(name))) }
        members.append(.init("address", .string(address)))
        if let identity { members.append(.init("identity", .string(identity))) }
        return members
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

extension LinkProtection {
    fileprivate var jsonMembers: [JSONValue.Member] {
        [
            .init("encrypted", .boolean(isEncrypted)),
            .init("authenticated", .boolean(isAuthenticated)),
            .init("secureConnections", .boolean(usesSecureConnections)),
        ]
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
