internal import BluetoothLE

/// A set of data channels. Core Vol 4, Part E, 7.8.19.
struct DataChannels: OptionSet, Hashable, Sendable {
    /// One bit per channel, 0 to 36.
    var rawValue: UInt64
    /// One bit per channel, 0 to 36; higher bits are dropped.
    init(rawValue: UInt64) { self.rawValue = rawValue & 0x1F_FFFF_FFFF }

    /// All 37 channels.
    static let all = DataChannels(rawValue: 0x1F_FFFF_FFFF)
}

/// 5 octets.
extension DataChannels: PDUDecodableField {
    init(from rest: inout Span<UInt8>) throws(DecodingError) {
        let low = try rest.takeUInt32()
        self.init(rawValue: UInt64(low) | UInt64(try rest.takeUInt8()) << 32)
    }

    var encodedCount: Int { 5 }

    func encode(into output: inout OutputSpan<UInt8>) {
        output.append(littleEndian: rawValue, octets: 5)
    }
}

/// Which addresses a controller accepts from a peer in its resolving list. Core Vol 4, Part E, 7.8.77.
struct PrivacyMode: RawRepresentable, Hashable, Sendable {
    /// The code.
    var rawValue: UInt8

    /// Only private addresses; packets with the identity address are ignored.
    static let network = PrivacyMode(rawValue: 0x00)
    /// Private addresses and the identity address.
    static let device = PrivacyMode(rawValue: 0x01)
}

extension PrivacyMode: PDUCode {}
