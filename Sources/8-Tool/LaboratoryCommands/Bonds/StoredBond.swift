internal import BluetoothLE
internal import DeviceCommandKit

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

    /// The peer as a sentence names it. The name is untrusted.
    var title: String { peer.textAndKind + (name.map { ", \($0)" } ?? "") }
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

extension Kind<BondStore.Device> {
    /// The values of `--device`.
    static let device = Kind.word(of: [("accessory", .accessory), ("phone", .phone)])
}
