public import Octets

/// A packet of ACL data. Core Vol 4, Part E, 5.4.2.
///
///     octet  0..1                            2..3               4..
///            handle | boundary | broadcast   Data_Total_Length  data
public struct ACLPacket: Equatable, Sendable {
    /// The position of the data in an L2CAP PDU: the Packet_Boundary_Flag.
    public enum Boundary: UInt8, Equatable, Sendable {
        /// The start of a PDU that is never flushed; sent by a host.
        case firstNonFlushable = 0b00
        /// A continuation of the PDU.
        case continuing = 0b01
        /// The start of a PDU; sent by a controller.
        case first = 0b10
        /// A complete PDU; not used on LE links.
        case complete = 0b11
    }

    /// The connection.
    public var handle: ConnectionHandle
    /// The position of the data in an L2CAP PDU.
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

extension ACLPacket {
    /// The header before the data.
    package struct Header {
        /// The connection.
        package var handle: ConnectionHandle
        /// The position of the data in an L2CAP PDU.
        package var boundary: Boundary

        /// Takes the header of a whole packet, without the H4 indicator, and leaves its data.
        package init(taking packet: inout Span<UInt8>) throws(DecodingError) {
            let first = try packet.takeUInt16()
            handle = ConnectionHandle(rawValue: first)
            boundary =
                switch first >> 12 & 0b11 {
                case 0b00: .firstNonFlushable
                case 0b01: .continuing
                case 0b10: .first
                default: .complete
                }
            let count = Int(try packet.takeUInt16())
            try packet.require(count)
            guard packet.count == count else { throw .excess(count: packet.count - count) }
        }
    }
}

extension ACLPacket: OctetEncodable {
    /// Decodes a complete packet, without the H4 indicator.
    public init(decoding packet: Span<UInt8>) throws(DecodingError) {
        var rest = packet
        let header = try Header(taking: &rest)
        handle = header.handle
        boundary = header.boundary
        data = Array(rest)
    }

    /// The length in octets: 4, and that of the data.
    public var encodedCount: Int { 4 + data.count }

    /// Appends header and data.
    public func encode(into output: inout OutputSpan<UInt8>) {
        output.append(littleEndian: handle.rawValue | UInt16(boundary.rawValue) << 12)
        output.append(littleEndian: UInt16(truncatingIfNeeded: data.count))
        output.append(octets: data)
    }
}
