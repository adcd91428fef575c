internal import ANCSKit
internal import Foundation

extension UInt128 {
    /// The 128 bits of a UUID of Foundation, whose first octet is the most significant.
    init(_ uuid: UUID) {
        self = withUnsafeBytes(of: uuid.uuid) { $0.reduce(0) { $0 << 8 | UInt128($1) } }
    }
}

extension UUID {
    /// The identifier of a peer, as Core Bluetooth writes it.
    init(_ peer: PeerIdentifier) {
        var octets = peer.rawValue.bigEndian
        self = withUnsafeBytes(of: &octets) { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    }
}

extension PeerIdentifier { init(_ uuid: UUID) { self.init(rawValue: UInt128(uuid)) } }
