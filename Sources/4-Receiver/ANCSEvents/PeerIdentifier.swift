internal import BluetoothTypes

/// Identifies a peer on this device, in every run and with any address, like `CBPeer.identifier` in Core
/// Bluetooth.
///
/// A random UUID (RFC 9562, version 4) that is assigned when a peer is first seen. It reveals nothing about
/// the peer, and other devices have other identifiers for it. The identifiers of peers that are bonded or
/// were ever connected are stored with the bonds.
public struct PeerIdentifier: Hashable, Sendable {
    /// The 128 bits; the first printed digit is the most significant.
    public let rawValue: UInt128

    /// An identifier from a stored number.
    public init(rawValue: UInt128) { self.rawValue = rawValue }

    /// Parses the 36-character form, upper or lower case; `nil` for any other text.
    public init?(text: String) {
        guard text.utf8.count == 36, let uuid = BluetoothUUID(text: text) else { return nil }
        rawValue = uuid.rawValue
    }

    /// `01234567-89AB-4CDE-8123-456789ABCDEF`
    public var text: String {
        // The short form of a Bluetooth UUID is not used for identifiers.
        let digits = String(rawValue, radix: 16, uppercase: true)
        let characters = Array((String(repeating: "0", count: 32 - digits.count) + digits).utf8)
        let groups = [0..<8, 8..<12, 12..<16, 16..<20, 20..<32]
        return groups.map { String(decoding: characters[$0], as: UTF8.self) }.joined(separator: "-")
    }

    /// The identifier made from 128 random bits: version 4, and the variant of RFC 9562.
    package init(random: UInt128) {
        let mask: UInt128 = 0xF000 << 64 | 0xC000 << 48
        rawValue = random & ~mask | 0x4000 << 64 | 0x8000 << 48
    }
}

extension PeerIdentifier: CustomStringConvertible {
    /// The same as ``text``.
    public var description: String { text }
}
