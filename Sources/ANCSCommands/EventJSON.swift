internal import ANCSService
internal import ANCSKit
internal import BluetoothLE
internal import JSONText

// What happens to a device and to its peers, in JSON: the same in every command. Documentation/Schemas/events.schema.json
// has their form.

extension DeviceEvent {
    /// The members of its object, beginning with `event`.
    var jsonMembers: [JSONValue.Member] {
        switch self {
        case .listening(let place): [.init("event", "listening"), .init("at", .string(place))]
        case .ready: [.init("event", "ready")]
        case .resetting(let failure):
            [.init("event", "resetting"), .init("reason", .string(failure.message))]
        case .advertising(let isOnAir):
            [.init("event", "advertising"), .init("on", .boolean(isOnAir))]
        case .scanning(let isScanning):
            [.init("event", "scanning"), .init("on", .boolean(isScanning))]
        case .resumed: [.init("event", "resumed")]
        case .pairingWindow(let isOpen):
            [.init("event", "pairing"), .init("window", isOpen ? "open" : "closed")]
        case .warning(let warning):
            [.init("event", "warning"), .init("text", .string(warning.message))]
        case .missed(let count): [.init("event", "missed"), .init("count", .integer(count))]
        }
    }
}

extension PeerEvent {
    /// The members of its object: `event`, those that say which peer it is, and what the event has.
    func jsonMembers(of peer: [JSONValue.Member] = []) -> [JSONValue.Member] {
        [.init("event", .string(jsonName))] + peer + details
    }

    private var jsonName: String {
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

    private var details: [JSONValue.Member] {
        switch self {
        case .discovered(let description), .connected(let description): description.jsonMembers
        case .connectingFailed(let error): [.init("reason", .string(error.message))]
        case .named(let name): [.init("name", .string(name))]
        case .linkParameters(let link): [.init("link", link.json)]
        case .mtuChanged(let mtu): [.init("mtu", .integer(mtu))]
        case .secured(let protection): protection.jsonMembers
        case .pairing(let request): Array(request.jsonMembers.dropFirst())
        case .pairingWithdrawn: [.init("withdrawn", true)]
        case .paired(_, let isBonded, let bond):
            [.init("bonded", .boolean(isBonded))]
                + (bond.map { [.init("replaced", .string($0.name ?? ""))] } ?? [])
        case .identified(let former): [.init("formerly", .string(former.text))]
        case .keyTrouble(let trouble):
            [
                .init("keys", .string(trouble.kind.name)),
                .init("lasting", .boolean(trouble.isLasting)),
            ]
        case .securityFailed(let failure): [.init("reason", .string(failure.message))]
        case .accessDenied(let handle, let errorCode):
            [.init("handle", .integer(Int(handle))), .init("attError", .integer(Int(errorCode)))]
        case .disconnected(let reason): [.init("reason", .string(reason.message))]
        case .bondRestored, .pairingRefused: []
        }
    }
}

extension PeerDescription {
    /// The name, address, identity and link, as far as known.
    var jsonMembers: [JSONValue.Member] {
        var members: [JSONValue.Member] = []
        if let name { members.append(.init("name", .string(name))) }
        members.append(.init("address", .string(address)))
        if let identity { members.append(.init("identity", .string(identity))) }
        if let link { members.append(.init("link", link.json)) }
        return members
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
