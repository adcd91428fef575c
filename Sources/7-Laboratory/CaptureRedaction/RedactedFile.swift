package import HCITransports

/// The file of a redacted capture: btsnoop, whatever the format of the original was. `src/shared/btsnoop.h` of BlueZ has
/// what its monitor channel's records are.
package struct RedactedFile: Sendable {
    /// Whether records have controllers, and therefore the form of BlueZ's monitor channel.
    private let hasAdapters: Bool

    package init(like format: CaptureFormat) {
        switch format {
        case .btsnoop(.monitor), .pcap(.monitor): hasAdapters = true
        case .btsnoop, .packetLogger, .pcap, .pcapng: hasAdapters = false
        }
    }

    /// What stands before the records.
    package var header: [UInt8] {
        let datalink: CaptureFormat.Datalink = hasAdapters ? .monitor : .h4
        return Array("btsnoop\0".utf8) + Self.number(UInt32(1)) + Self.number(datalink.rawValue)
    }

    /// A record: original length, included length, flags, drops, time, packet.
    package func octets(of record: RedactedRecord) -> [UInt8] {
        let packet = hasAdapters ? Array(record.octets.dropFirst()) : record.octets
        let count = UInt32(packet.count)
        return Self.number(count + UInt32(clamping: record.missing)) + Self.number(count)
            + Self.number(hasAdapters ? monitorFlags(of: record) : flags(of: record))
            + Self.number(UInt32(0)) + Self.number(record.time.btsnoopStamp) + packet
    }

    /// Bit 0: received. Bit 1: a command or an event, not data.
    private func flags(of record: RedactedRecord) -> UInt32 {
        (record.direction == .received ? 1 : 0) | (record.octets.first == 0x02 ? 0 : 2)
    }

    private func monitorFlags(of record: RedactedRecord) -> UInt32 {
        let opcode: UInt32 =
            switch record.octets.first {
            case 0x01: 2
            case 0x04: 3
            default: record.direction == .sent ? 4 : 5
            }
        return UInt32(record.adapter) << 16 | opcode
    }

    private static func number(_ value: some FixedWidthInteger) -> [UInt8] {
        stride(from: value.bitWidth - 8, through: 0, by: -8).map {
            UInt8(truncatingIfNeeded: value >> $0)
        }
    }
}
