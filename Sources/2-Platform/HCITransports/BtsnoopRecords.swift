internal import BluetoothTypes

/// The records of a btsnoop file, as ``BtsnoopWriter`` describes them.
struct BtsnoopRecords: CaptureRecords {
    static let fileHeaderCount = 16
    static let headerCount = 24
    private static let order = CaptureFormat.ByteOrder.bigEndian

    let datalink: CaptureFormat.Datalink
    var format: CaptureFormat { .btsnoop(datalink) }
    /// The records that were dropped up to here.
    private var drops: UInt32 = 0

    /// The records after a file header.
    init(_ header: ArraySlice<UInt8>) throws(CaptureReader.Failure.Reason) {
        let version = Self.order.number(header, at: 8)
        guard version == 1 else { throw .unsupportedVersion(version) }
        let number = Self.order.number(header, at: 12)
        guard let datalink = CaptureFormat.Datalink(rawValue: number) else {
            throw .unsupportedDatalink(number)
        }
        self.datalink = datalink
    }

    func recordCount(_ rest: ArraySlice<UInt8>) throws(CaptureReader.Failure.Reason) -> Int {
        let original = Self.order.number(rest, at: 0)
        let included = Self.order.number(rest, at: 4)
        guard included <= original, original <= Self.maximumCount else {
            throw .invalidLength(max(original, included))
        }
        return Self.headerCount + Int(included)
    }

    mutating func read(_ record: ArraySlice<UInt8>, at offset: UInt64) -> CaptureReader.Record? {
        let order = Self.order
        let data = record.dropFirst(Self.headerCount)
        let flags = order.number(record, at: 8)
        let dropped = order.number(record, at: 12)
        let stamp =
            UInt64(order.number(record, at: 16)) << 32 | UInt64(order.number(record, at: 20))
        defer { drops = dropped }
        return CaptureReader.Record(
            offset: offset, time: CaptureTime(btsnoopStamp: stamp),
            adapter: datalink == .monitor ? UInt16(truncatingIfNeeded: flags >> 16) : 0,
            lost: dropped > drops ? dropped - drops : 0,
            content: content(flags, data, missing: Int(order.number(record, at: 0)) - data.count))
    }

    private func content(
        _ flags: UInt32, _ data: ArraySlice<UInt8>, missing: Int
    ) -> CaptureReader.Content {
        let direction: CaptureReader.Direction = flags & 1 == 1 ? .received : .sent
        switch datalink {
        case .unencapsulated:
            let isData = flags & 2 == 0
            let body = Array(data)
            if isData { return .packet(.acl(body), direction, missing: missing) }
            let packet = direction == .sent ? HCIPacket.command(body) : .event(body)
            return .packet(packet, direction, missing: missing)
        case .h4: return CapturedPacket.h4(data, direction, missing: missing)
        case .monitor:
            return CapturedPacket.monitor(UInt16(truncatingIfNeeded: flags), data, missing: missing)
        }
    }
}
