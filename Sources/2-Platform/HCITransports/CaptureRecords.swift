/// The records of a capture file. Each format says how long a record is, and what it contains.
enum CaptureRecords: Sendable {
    case btsnoop(BtsnoopRecords)
    case packetLogger(PacketLoggerRecords)
    case pcap(PcapRecords)
    case pcapng(PcapngRecords)

    /// The longest plausible record, in octets. An ACL packet has at most 65,539 octets; notes are shorter.
    static let maximumCount = 1 << 17

    var format: CaptureFormat {
        switch self {
        case .btsnoop(let records): .btsnoop(records.datalink)
        case .packetLogger(let records): .packetLogger(records.order)
        case .pcap(let records): .pcap(records.linkType)
        case .pcapng: .pcapng
        }
    }

    /// How many octets of a record say how long it is.
    var headerCount: Int {
        switch self {
        case .btsnoop: BtsnoopRecords.headerCount
        case .packetLogger: PacketLoggerHeader.count
        case .pcap: PcapRecords.headerCount
        case .pcapng: PcapngRecords.headerCount
        }
    }

    /// The number of octets of the record at the start of `rest`, at least one; `nil` if ``headerCount`` have
    /// not arrived yet.
    func recordCount(_ rest: ArraySlice<UInt8>) throws(CaptureReader.Failure.Reason) -> Int? {
        guard rest.count >= headerCount else { return nil }
        return switch self {
        case .btsnoop(let records): try records.recordCount(rest)
        case .packetLogger(let records): try records.recordCount(rest)
        case .pcap(let records): try records.recordCount(rest)
        case .pcapng(let records): try records.recordCount(rest)
        }
    }

    /// Reads a whole record at this offset in the file; `nil` if it says nothing about packets.
    mutating func read(
        _ record: ArraySlice<UInt8>, at offset: UInt64
    ) throws(CaptureReader.Failure.Reason) -> CaptureReader.Record? {
        switch self {
        case .btsnoop(var records):
            defer { self = .btsnoop(records) }
            return records.read(record, at: offset)
        case .packetLogger(let records): return records.read(record, at: offset)
        case .pcap(var records):
            defer { self = .pcap(records) }
            return records.read(record, at: offset)
        case .pcapng(var records):
            self = .pcapng(PcapngRecords())
            defer { self = .pcapng(records) }
            return try records.read(record, at: offset)
        }
    }
}

extension CaptureFormat.ByteOrder {
    /// The number in four octets at an offset from the start of `octets`.
    func number(_ octets: ArraySlice<UInt8>, at offset: Int) -> UInt32 {
        let field = octets.dropFirst(offset).prefix(4)
        let value = field.reduce(0 as UInt32) { $0 << 8 | UInt32($1) }
        return self == .bigEndian ? value : value.byteSwapped
    }

    /// The number in two octets.
    func shortNumber(_ octets: ArraySlice<UInt8>, at offset: Int) -> UInt16 {
        let field = octets.dropFirst(offset).prefix(2)
        let value = field.reduce(0 as UInt16) { $0 << 8 | UInt16($1) }
        return self == .bigEndian ? value : value.byteSwapped
    }
}
