package import HCITransports

/// The file of a redacted capture: btsnoop, whatever the format of the original was. `src/shared/btsnoop.h` of BlueZ has
/// what its monitor channel's records are.
package struct RedactedFile: Sendable {
    /// Whether records have controllers, and therefore the form of BlueZ's monitor channel.
    private let hasAdapters: Bool

    package init(like format: CaptureFormat) {
        switch format {
        case .btsnoop(.monitor), .pcap(.monitor), .pcapng: hasAdapters = true
        case .btsnoop, .packetLogger, .pcap: hasAdapters = false
        }
    }

    /// What stands before the records.
    package var header: [UInt8] {
        var octets: [UInt8] = []
        octets.append(btsnoopHeader: hasAdapters ? .monitor : .h4)
        return octets
    }

    /// A record with its packet.
    package func octets(of record: RedactedRecord) -> [UInt8] {
        let packet = hasAdapters ? record.octets.dropFirst() : record.octets[...]
        let isData = record.octets.first == 0x02
        var octets: [UInt8] = []
        octets.append(
            btsnoopRecordOf: packet.count, missing: record.missing,
            hasAdapters ? monitorFlags(of: record) : record.direction.flag | (isData ? 0 : 2),
            at: record.time)
        return octets + packet
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
}
