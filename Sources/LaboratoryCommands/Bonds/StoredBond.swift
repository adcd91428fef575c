internal import ANCSEvents
internal import ANCSKit
internal import BluetoothLE
internal import BluetoothTypes
internal import CommandKit
package import JSONText
internal import Terminal

/// A bond, and the device of the state directory that it belongs to.
package struct StoredBond: Equatable, Sendable {
    var device: BondStore.Device
    var record: BondRecord
    /// The name that the peer gave, if known.
    var name: String?
    /// The identifier of the peer on this machine, which does not depend on its address.
    var identifier: PeerIdentifier?

    var peer: DeviceAddress { record.bond.identityAddress }

    /// Whether the text names this peer.
    func isNamed(_ text: String) -> Bool {
        PeerWords.name(text, address: peer, identifier: identifier, name: name)
    }

    /// The peer as a sentence names it.
    var title: String {
        let name = name.map { ", \(TerminalText.visible($0))" } ?? ""
        return "\(peer.text) (\(peer.kindText))\(name)"
    }

    /// The names of the keys that the bond has, without the keys.
    var keyNames: [String] {
        let bond = record.bond
        let keys: [(String, Bool)] = [
            ("localLTK", bond.localLongTermKey != nil), ("peerLTK", bond.peerLongTermKey != nil),
            ("localIRK", bond.localIdentityResolvingKey != nil),
            ("peerIRK", bond.identityResolvingKey != nil),
            ("localCSRK", bond.localSignatureResolvingKey != nil),
            ("peerCSRK", bond.signatureResolvingKey != nil),
        ]
        return keys.filter(\.1).map(\.0)
    }
}

extension StoredBond {
    /// Everything except the keys.
    package var json: JSONValue {
        let bond = record.bond
        return .object(present: [
            "event": "bond", "device": .string(device.title), "peer": peer.json,
            "identifier": identifier.map { .string($0.text) }, "name": name.map { .string($0) },
            "local": bond.localIdentityAddress.json,
            "secureConnections": .boolean(bond.usesSecureConnections),
            "authenticated": .boolean(bond.isAuthenticated), "keySize": .integer(bond.keySize),
            "keys": .array(keyNames.map { .string($0) }),
            "services": record.remoteDatabase.map { .array($0.services.map(Self.json)) },
            "subscriptions": .array(record.clientConfiguration.descriptors.map(Self.json)),
        ])
    }

    private static func json(of service: RemoteDatabase.Service) -> JSONValue {
        .object(present: [
            "uuid": .string(service.uuid.text),
            "name": AssignedNumbers.service(service.uuid).map { .string($0) },
            "first": .integer(Int(service.range.first.rawValue)),
            "last": .integer(Int(service.range.last.rawValue)),
            "primary": .boolean(service.isPrimary),
        ])
    }

    private static func json(of descriptor: ClientConfiguration.Descriptor) -> JSONValue {
        [
            "handle": .integer(Int(descriptor.handle.rawValue)),
            "notification": .boolean(descriptor.value.contains(.notification)),
            "indication": .boolean(descriptor.value.contains(.indication)),
        ]
    }
}

/// How users name peers.
enum PeerWords {
    /// Whether a text names a peer: its address or identifier in upper or lower case, or its name, exactly as
    /// stored or as displayed, so that a typing error does not remove another bond.
    static func name(
        _ text: String, address: DeviceAddress?, identifier: PeerIdentifier?, name: String?
    ) -> Bool {
        let upper = text.uppercased()
        return address?.text == upper || identifier?.text == upper || name == text
            || name.map(TerminalText.visible) == text
    }
}

extension KnownPeer {
    /// Whether the text names this peer.
    func isNamed(_ text: String) -> Bool {
        PeerWords.name(text, address: address, identifier: identifier, name: name)
    }

    /// A peer that is not bonded.
    func json(of device: BondStore.Device) -> JSONValue {
        .object(present: [
            "event": "peer", "device": .string(device.title), "peer": address.json,
            "identifier": .string(identifier.text), "name": name.map { .string($0) },
        ])
    }
}

extension BondStore.Device {
    /// The device, as the value of `--device`.
    var title: String {
        switch self {
        case .accessory: "accessory"
        case .phone: "phone"
        }
    }
}
