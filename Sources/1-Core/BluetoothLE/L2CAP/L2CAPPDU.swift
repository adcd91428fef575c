public import Octets

/// Identifies a channel of a link. Core Vol 3, Part A, 2.1.
public struct L2CAPChannelID: RawRepresentable, Hashable, Sendable {
    /// The channel identifier.
    public var rawValue: UInt16
    /// A channel identifier.
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// The fixed channel of the Attribute protocol.
    public static let attributeProtocol = L2CAPChannelID(rawValue: 0x0004)
    /// The fixed channel of LE signalling.
    public static let leSignalling = L2CAPChannelID(rawValue: 0x0005)
    /// The fixed channel of the Security Manager.
    public static let securityManager = L2CAPChannelID(rawValue: 0x0006)
}

/// A B-frame. Core Vol 3, Part A, 3.1.
///
///     octet  0..1        2..3        4..
///            PDU Length  Channel ID  information payload
public struct L2CAPPDU: Equatable, Sendable {
    /// The channel.
    public var channel: L2CAPChannelID
    /// The information payload, at most 65,535 octets.
    public var payload: [UInt8]

    /// A PDU.
    public init(channel: L2CAPChannelID, payload: [UInt8]) {
        self.channel = channel
        self.payload = payload
    }
}

extension L2CAPPDU: OctetEncodable {
    /// Decodes a complete PDU.
    public init(decoding pdu: Span<UInt8>) throws(DecodingError) {
        var rest = pdu
        let length = Int(try rest.takeUInt16())
        channel = L2CAPChannelID(rawValue: try rest.takeUInt16())
        payload = try rest.takeOctets(length)
        try rest.expectEnd()
    }

    /// The length in octets: 4, and that of the payload.
    public var encodedCount: Int { 4 + payload.count }

    /// Appends header and payload.
    public func encode(into output: inout OutputSpan<UInt8>) {
        output.append(littleEndian: UInt16(truncatingIfNeeded: payload.count))
        output.append(littleEndian: channel.rawValue)
        output.append(octets: payload)
    }
}
