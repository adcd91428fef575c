/// The records of a pcap file: the format of libpcap, `pcap-savefile(5)`.
///
///     header  magic | version (2+2) | 0 | 0 | longest record | link type (4 each)
///     record  seconds | micro- or nanoseconds | included length | original length (4 each) | packet
struct PcapRecords: CaptureRecords {
    static let fileHeaderCount = 24
    static let headerCount = 16

    /// What the magic number says.
    struct Kind: Equatable, Sendable {
        var order: CaptureFormat.ByteOrder
        var nanosecondsPerUnit: UInt32

        private static let magics: [(octets: [UInt8], kind: Kind)] = [
            ([0xA1, 0xB2, 0xC3, 0xD4], Kind(order: .bigEndian, nanosecondsPerUnit: 1000)),
            ([0xD4, 0xC3, 0xB2, 0xA1], Kind(order: .littleEndian, nanosecondsPerUnit: 1000)),
            ([0xA1, 0xB2, 0x3C, 0x4D], Kind(order: .bigEndian, nanosecondsPerUnit: 1)),
            ([0x4D, 0x3C, 0xB2, 0xA1], Kind(order: .littleEndian, nanosecondsPerUnit: 1)),
        ]

        private init(order: CaptureFormat.ByteOrder, nanosecondsPerUnit: UInt32) {
            self.order = order
            self.nanosecondsPerUnit = nanosecondsPerUnit
        }

        /// `nil` if the octets do not begin with a magic number.
        init?(_ start: some Collection<UInt8>) {
            guard let found = Self.magics.first(where: { start.starts(with: $0.octets) }) else {
                return nil
            }
            self = found.kind
        }

        /// Whether these few octets may be the start of a magic number.
        static func mayBecome(_ start: some Collection<UInt8>) -> Bool {
            magics.contains { $0.octets.starts(with: start) }
        }
    }

    let linkType: CaptureFormat.LinkType
    var format: CaptureFormat { .pcap(linkType) }
    private let kind: Kind
    private var reader: LinkTypeReader

    /// The records after a file header.
    init(_ header: ArraySlice<UInt8>) throws(CaptureReader.Failure.Reason) {
        guard let kind = Kind(header) else { throw .unknownFormat }
        // The upper octets have the length of a checksum, which HCI packets do not have.
        let number = UInt16(truncatingIfNeeded: kind.order.number(header, at: 20))
        guard let linkType = CaptureFormat.LinkType(rawValue: number) else {
            throw .unsupportedLinkType(number)
        }
        self.kind = kind
        self.linkType = linkType
        reader = LinkTypeReader(linkType)
    }

    func recordCount(_ rest: ArraySlice<UInt8>) throws(CaptureReader.Failure.Reason) -> Int {
        let included = kind.order.number(rest, at: 8)
        let original = kind.order.number(rest, at: 12)
        guard included <= original, original <= Self.maximumCount else {
            throw .invalidLength(max(original, included))
        }
        return Self.headerCount + Int(included)
    }

    mutating func read(_ record: ArraySlice<UInt8>, at offset: UInt64) -> CaptureReader.Record? {
        let data = record.dropFirst(Self.headerCount)
        let fraction = Int64(kind.order.number(record, at: 4)) * Int64(kind.nanosecondsPerUnit)
        let time = CaptureTime(
            microsecondsSince1970: Int64(kind.order.number(record, at: 0)) * 1_000_000
                + fraction / 1000)
        let missing = Int(kind.order.number(record, at: 12)) - data.count
        let (adapter, content) = reader.read(data, saying: nil, missing: missing)
        return CaptureReader.Record(
            offset: offset, time: time, adapter: adapter, lost: 0, content: content)
    }
}

/// Reads the packets of a link type.
struct LinkTypeReader: Sendable {
    let linkType: CaptureFormat.LinkType
    private var inferred = InferredDirection()

    init(_ linkType: CaptureFormat.LinkType) { self.linkType = linkType }

    /// The adapter and the contents of a packet, whose direction the record may say.
    mutating func read(
        _ data: ArraySlice<UInt8>, saying direction: CaptureReader.Direction?, missing: Int
    ) -> (adapter: UInt16, CaptureReader.Content) {
        let order = CaptureFormat.ByteOrder.bigEndian
        switch linkType {
        case .h4: return (0, h4(data, direction, missing))
        case .h4WithDirection:
            guard data.count >= 4 else { return (0, .empty) }
            let said: CaptureReader.Direction? =
                switch order.number(data, at: 0) {
                case 0: .sent
                case 1: .received
                default: direction
                }
            return (0, h4(data.dropFirst(4), said, missing))
        case .monitor:
            guard data.count >= 4 else { return (0, .empty) }
            let content = CapturedPacket.monitor(
                order.shortNumber(data, at: 2), data.dropFirst(4), missing: missing)
            return (order.shortNumber(data, at: 0), content)
        }
    }

    private mutating func h4(
        _ data: ArraySlice<UInt8>, _ said: CaptureReader.Direction?, _ missing: Int
    ) -> CaptureReader.Content {
        let direction = said ?? inferred.direction(of: data.dropFirst())
        return CapturedPacket.h4(data, direction, missing: missing)
    }
}
