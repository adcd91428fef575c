internal import BluetoothTypes

/// The records of Apple's PacketLogger.
struct PacketLoggerRecords: CaptureRecords {
    static let headerCount = PacketLoggerHeader.count

    let order: CaptureFormat.ByteOrder
    var format: CaptureFormat { .packetLogger(order) }

    func recordCount(_ rest: ArraySlice<UInt8>) throws(CaptureReader.Failure.Reason) -> Int {
        let length = PacketLoggerHeader(rest, order).length
        guard (PacketLoggerHeader.countInLength...Self.maximumCount).contains(length) else {
            throw .invalidLength(UInt32(truncatingIfNeeded: length))
        }
        return 4 + length
    }

    func read(_ record: ArraySlice<UInt8>, at offset: UInt64) -> CaptureReader.Record? {
        let header = PacketLoggerHeader(record, order)
        let body = Array(record.dropFirst(PacketLoggerHeader.count))
        let content: CaptureReader.Content =
            switch header.type {
            case 0x00: .packet(.command(body), .sent, missing: 0)
            case 0x01: .packet(.event(body), .received, missing: 0)
            case 0x02: .packet(.acl(body), .sent, missing: 0)
            case 0x03: .packet(.acl(body), .received, missing: 0)
            case 0x08, 0x09: .audio(octets: body.count)
            default: .other
            }
        return CaptureReader.Record(
            offset: offset, time: header.time, adapter: 0, lost: 0, content: content)
    }
}

/// The header of each packet in a PacketLogger file.
///
///     octet  0..3                        4..7     8..11         12    13..
///            length of all that follows  seconds  microseconds  type  packet
struct PacketLoggerHeader {
    static let count = 13
    /// The number of header octets that are included in the length.
    static let countInLength = 9

    var length: Int
    var seconds: UInt32
    var microseconds: UInt32
    var type: UInt8

    /// Parses ``count`` octets.
    init(_ octets: ArraySlice<UInt8>, _ order: CaptureFormat.ByteOrder) {
        length = Int(order.number(octets, at: 0))
        seconds = order.number(octets, at: 4)
        microseconds = order.number(octets, at: 8)
        type = octets.dropFirst(12).first ?? 0
    }

    /// When the packet was recorded; the microseconds may exceed a second.
    var time: CaptureTime {
        CaptureTime(microsecondsSince1970: Int64(seconds) * 1_000_000 + Int64(microseconds))
    }

    /// Whether PacketLogger is known to write this type: packets up to 0x13, notes from 0xF7 on.
    static func isKnown(type: UInt8) -> Bool { type <= 0x13 || type >= 0xF7 }
}
