public import Octets

/// One packet of ACL data. Core Vol 4, Part E, 5.4.2.
///
///     octet  0..1                            2..3               4..
///            handle | boundary | broadcast   Data_Total_Length  data
public struct ACLPacket: Hashable, Sendable {
    /// Where in an L2CAP PDU the data lie: the Packet_Boundary_Flag.
    public enum Boundary: UInt8, Hashable, Sendable {
        /// The beginning of a PDU that is never flushed; what a host sends.
        case firstNonFlushable = 0b00
        /// More of the PDU.
        case continuing = 0b01
        /// The beginning of a PDU; what a controller sends.
        case first = 0b10
        /// A whole PDU; not used on LE links.
        case complete = 0b11
    }

    /// The connection.
    public var handle: ConnectionHandle
    /// Where in an L2CAP PDU the data lie.
    public var boundary: Boundary
    /// Part of an L2CAP PDU, at most 65,535 octets.
    public var data: [UInt8]

    /// A packet.
    public init(handle: ConnectionHandle, boundary: Boundary, data: [UInt8]) {
        self.handle = handle
        self.boundary = boundary
        self.data = data
    }
}

extension ACLPacket: OctetEncodable {
    /// Decodes a whole packet, without the H4 indicator.
    public init(decoding packet: Span<UInt8>) throws(DecodingError) {
        var rest = packet
        let first = try rest.takeUInt16()
        handle = ConnectionHandle(rawValue: first)
        boundary =
            switch first >> 12 & 0b11 {
            case 0b00: .firstNonFlushable
            case 0b01: .continuing
            case 0b10: .first
            default: .complete
            }
        data = try rest.takeOctets(Int(try rest.takeUInt16()))
        try rest.expectEnd()
    }

    /// 4 octets and the data.
    public var encodedCount: Int { 4 + data.count }

    /// Appends header and data.
    public func encode(into output: inout OutputSpan<UInt8>) {
        output.append(littleEndian: handle.rawValue | UInt16(boundary.rawValue) << 12)
        output.append(littleEndian: UInt16(truncatingIfNeeded: data.count))
        output.append(octets: data)
    }
}
