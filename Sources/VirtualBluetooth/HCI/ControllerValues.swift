internal import BluetoothLE
package import Octets

/// A set of data channels. Core Vol 4, Part E, 7.8.19.
public struct DataChannels: OptionSet, Hashable, Sendable {
    /// One bit per channel, 0 to 36.
    public var rawValue: UInt64
    /// One bit per channel, 0 to 36; higher bits are dropped.
    public init(rawValue: UInt64) { self.rawValue = rawValue & 0x1F_FFFF_FFFF }

    /// All 37 channels.
    public static let all = DataChannels(rawValue: 0x1F_FFFF_FFFF)
}

/// 5 octets.
extension DataChannels: HCIDecodableField {
    package init(from rest: inout Span<UInt8>) throws(DecodingError) {
        let low = try rest.takeUInt32()
        self.init(rawValue: UInt64(low) | UInt64(try rest.takeUInt8()) << 32)
    }

    package var encodedCount: Int { 5 }

    package func encode(into output: inout OutputSpan<UInt8>) {
        output.append(littleEndian: rawValue, octets: 5)
    }
}

/// Which addresses a controller accepts from a peer in its resolving list. Core Vol 4, Part E, 7.8.77.
public struct PrivacyMode: RawRepresentable, Hashable, Sendable {
    /// The code.
    public var rawValue: UInt8
    /// A code.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Only private addresses; packets with the identity address are ignored.
    public static let network = PrivacyMode(rawValue: 0x00)
    /// Private addresses and the identity address.
    public static let device = PrivacyMode(rawValue: 0x01)
}

extension PrivacyMode: HCICode {}
