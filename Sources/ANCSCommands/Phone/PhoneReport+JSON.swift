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
        case .device(let event): event.json
        case .peer(let id, let event): object(event.jsonName, id, event.jsonMembers)
        case .session(let id, let event): object(event.jsonName, id, event.jsonMembers)
        case .notification(let change, let id):
            .object(
                [
                    .init("event", "notification"), .init("change", .string(change.description)),
                    .init("notification", .integer(Int(id.rawValue))),
                ] + (content(id)?.jsonMembers ?? []))
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

extension DeviceEvent {
    fileprivate var json: JSONValue {
        switch self {
        case .listening(let place): ["event": "listening", "at": .string(place)]
        case .ready: ["event": "ready"]
        case .resetting(let failure): ["event": "resetting", "reason": .string(failure.message)]
        case .advertising(let isOnAir): ["event": "advertising", "on": .boolean(isOnAir)]
        case .scanning(let isScanning): ["event": "scanning", "on": .boolean(isScanning)]
        case .resumed: ["event": "resumed"]
        case .pairingWindow(let isOpen):
            ["event": "pairing", "window": isOpen ? "open" : "closed"]
        case .warning(let warning): ["event": "warning", "text": .string(warning.message)]
        case .missed(let count): ["event": "missed", "count": .integer(count)]
        }
    }
}

extension PeerEvent {
    fileprivate var jsonName: String {
        switch self {
        case .discovered: "discovered"
        case .connectingFailed: "connectingFailed"
        case .connected: "connected"
        case .named: "named"
        case .linkParameters: "link"
        case .mtuChanged: "mtu"
        case .secured: "secured"
        case .pairing, .pairingWithdrawn: "pairing"
        case .paired: "paired"
        case .bondRestored: "bondRestored"
        case .identified: "identified"
        case .pairingRefused: "pairingRefused"
        case .keyTrouble: "keyTrouble"
        case .securityFailed: "securityFailed"
        case .accessDenied: "accessDenied"
        case .disconnected: "disconnected"
        }
    }

    fileprivate var jsonMembers: [JSONValue.Member] {
        switch self {
        case .discovered(let description), .connected(let description): description.jsonMembers
        case .connectingFailed(let error): [.init("reason", .string(error.message))]
        case .named(let name): [.init("name", .string(name))]
        case .linkParameters(let link): [.init("link", link.json)]
        case .mtuChanged(let mtu): [.init("mtu", .integer(mtu))]
        case .secured(let protection): protection.jsonMembers
        case .pairing(let request): Array(request.jsonMembers.dropFirst())
        case .pairingWithdrawn: [.init("withdrawn", true)]
        case .paired(_, let isBonded, _): [.init("bonded", .boolean(isBonded))]
        case .identified(let former): [.init("formerly", .string(former.text))]
        case .keyTrouble(let trouble): [.init("keys", .string(trouble.kind.name))]
        case .securityFailed(let failure): [.init("reason", .string(failure.message))]
        case .accessDenied(let handle, let errorCode):
            [.init("handle", .integer(Int(handle))), .init("attError", .integer(Int(errorCode)))]
        case .disconnected(let reason): [.init("reason", .string(reason.message))]
        case .bondRestored, .pairingRefused: []
        }
    }
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

extension PeerDescription {
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
    /// What protects the link.
    var jsonMembers: [JSONValue.Member] {
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
