/// The blocks of a pcapng file: draft-ietf-opsawg-pcapng. Blocks without packets are read over.
///
///     block  type | total length (4 each) | body | total length again
struct PcapngRecords: CaptureRecords {
    static let headerCount = 12
    /// The longest block that is read; those without packets may be longer than records.
    private static let longestBlock = 1 << 20
    /// How many interfaces of a section are remembered; packets of others are passed over.
    private static let interfaceLimit = 256

    private enum Block {
        static let section: UInt32 = 0x0A0D_0D0A
        static let interface: UInt32 = 1
        static let simplePacket: UInt32 = 3
        static let enhancedPacket: UInt32 = 6
    }

    /// An interface of the current section.
    private struct Interface: Sendable {
        /// `nil` if its packets cannot be read.
        var reader: LinkTypeReader?
        var linkType: UInt16
        /// Its number among those whose packets can be read: others, such as Ethernet, are no adapters.
        var adapter: UInt16
        var clock = PcapngClock()
        /// The longest packet that was recorded, in octets; 0 means no limit.
        var snapLength: UInt32
    }

    let format = CaptureFormat.pcapng
    private var order = CaptureFormat.ByteOrder.littleEndian
    private var interfaces: [Interface] = []

    private static let sectionType: [UInt8] = [0x0A, 0x0D, 0x0D, 0x0A]
    private static let orders: [(magic: [UInt8], order: CaptureFormat.ByteOrder)] = [
        ([0x1A, 0x2B, 0x3C, 0x4D], .bigEndian), ([0x4D, 0x3C, 0x2B, 0x1A], .littleEndian),
    ]

    /// The byte order of a section, whose magic number follows the length.
    private static func order(ofSection block: ArraySlice<UInt8>) -> CaptureFormat.ByteOrder? {
        orders.first { block.dropFirst(8).starts(with: $0.magic) }?.order
    }

    /// Whether a file that begins with these octets begins with a section.
    static func begins(_ start: [UInt8]) -> Bool {
        start.starts(with: sectionType) && order(ofSection: start[...]) != nil
    }

    /// Whether these few octets may be the start of a section.
    static func mayBegin(_ start: [UInt8]) -> Bool {
        guard start.count < headerCount else { return false }
        let magic = start.dropFirst(8)
        return (start.starts(with: sectionType) || sectionType.starts(with: start))
            && orders.contains { $0.magic.starts(with: magic) }
    }

    func recordCount(_ rest: ArraySlice<UInt8>) throws(CaptureReader.Failure.Reason) -> Int {
        // A section has its own byte order, and its type is the same in both.
        let order = isSection(rest) ? Self.order(ofSection: rest) ?? order : order
        let length = order.number(rest, at: 4)
        guard length >= 12, length % 4 == 0, length <= Self.longestBlock else {
            throw .invalidLength(length)
        }
        return Int(length)
    }

    private func isSection(_ block: ArraySlice<UInt8>) -> Bool {
        block.starts(with: Self.sectionType)
    }

    mutating func read(
        _ block: ArraySlice<UInt8>, at offset: UInt64
    ) throws(CaptureReader.Failure.Reason) -> CaptureReader.Record? {
        if isSection(block) {
            guard block.count >= 28, let order = Self.order(ofSection: block) else {
                throw .invalidLength(self.order.number(block, at: 4))
            }
            self.order = order
            interfaces = []
        }
        let again = order.number(block, at: block.count - 4)
        guard again == order.number(block, at: 4) else { throw .invalidLength(again) }
        let body = block.dropFirst(8).dropLast(4)
        switch order.number(block, at: 0) {
        case Block.interface: addInterface(body)
        case Block.enhancedPacket: return try enhancedPacket(body, at: offset)
        case Block.simplePacket: return try simplePacket(body, at: offset)
        default: break
        }
        return nil
    }

    // MARK: Blocks

    /// Link type (2), 0 (2), longest packet (4), options.
    private mutating func addInterface(_ body: ArraySlice<UInt8>) {
        guard body.count >= 8, interfaces.count < Self.interfaceLimit else { return }
        let linkType = order.shortNumber(body, at: 0)
        var interface = Interface(
            reader: CaptureFormat.LinkType(rawValue: linkType).map(LinkTypeReader.init),
            linkType: linkType, adapter: UInt16(interfaces.count { $0.reader != nil }),
            snapLength: order.number(body, at: 4))
        forEachOption(body.dropFirst(8)) { code, value in
            switch code {
            case 9 where value.count == 1: interface.clock.resolution = value.first ?? 6
            case 14 where value.count == 8: interface.clock.offset = Int64(bitPattern: long(value))
            default: break
            }
        }
        interfaces.append(interface)
    }

    /// Interface, time (2 × 4, the upper half first), included and original length, packet, options.
    private mutating func enhancedPacket(
        _ body: ArraySlice<UInt8>, at offset: UInt64
    ) throws(CaptureReader.Failure.Reason) -> CaptureReader.Record? {
        guard body.count >= 20 else { throw .invalidLength(UInt32(body.count)) }
        let (included, original) = (order.number(body, at: 12), order.number(body, at: 16))
        let padded = (Int(included) + 3) / 4 * 4
        guard included <= original, padded <= body.count - 20 else {
            throw .invalidLength(included)
        }
        let stamp = UInt64(order.number(body, at: 4)) << 32 | UInt64(order.number(body, at: 8))
        var direction: CaptureReader.Direction?
        forEachOption(body.dropFirst(20 + padded)) { code, value in
            guard code == 2, value.count == 4 else { return }
            switch order.number(value, at: 0) & 0b11 {
            case 0b01: direction = .received
            case 0b10: direction = .sent
            default: break
            }
        }
        let data = body.dropFirst(20).prefix(Int(included))
        return try packet(
            data, of: order.number(body, at: 0), stamp, direction, original, at: offset)
    }

    /// Original length, packet. It is from the first interface, and has no time.
    private mutating func simplePacket(
        _ body: ArraySlice<UInt8>, at offset: UInt64
    ) throws(CaptureReader.Failure.Reason) -> CaptureReader.Record? {
        guard body.count >= 4 else { throw .invalidLength(UInt32(body.count)) }
        let original = order.number(body, at: 0)
        let limit = interfaces.first.map(\.snapLength) ?? 0
        let included = Int(limit == 0 ? original : min(original, limit))
        guard included <= body.count - 4 else { throw .invalidLength(original) }
        return try packet(body.dropFirst(4).prefix(included), of: 0, 0, nil, original, at: offset)
    }

    private mutating func packet(
        _ data: ArraySlice<UInt8>, of number: UInt32, _ stamp: UInt64,
        _ direction: CaptureReader.Direction?, _ original: UInt32, at offset: UInt64
    ) throws(CaptureReader.Failure.Reason) -> CaptureReader.Record? {
        if let first = interfaces.first, interfaces.allSatisfy({ $0.reader == nil }) {
            throw .unsupportedLinkType(first.linkType)
        }
        guard original <= Self.maximumCount else { throw .invalidLength(original) }
        guard let index = Int(exactly: number), interfaces.indices.contains(index),
            let (adapter, content) = interfaces[index].reader?.read(
                data, saying: direction, missing: Int(original) - data.count)
        else { return nil }
        // Only BlueZ's monitor channel is that of several adapters; another interface is one.
        let isShared = interfaces[index].linkType == CaptureFormat.LinkType.monitor.rawValue
        return CaptureReader.Record(
            offset: offset, time: interfaces[index].clock.time(stamp),
            adapter: isShared ? adapter : interfaces[index].adapter, lost: 0, content: content)
    }

    // MARK: Options

    /// Options: code, length (2 each), value padded to a multiple of four octets; code 0 is the last.
    private func forEachOption(
        _ options: ArraySlice<UInt8>, _ body: (_ code: UInt16, _ value: ArraySlice<UInt8>) -> Void
    ) {
        var rest = options
        while rest.count >= 4 {
            let code = order.shortNumber(rest, at: 0)
            let count = Int(order.shortNumber(rest, at: 2))
            rest = rest.dropFirst(4)
            guard code != 0, count <= rest.count else { return }
            body(code, rest.prefix(count))
            rest = rest.dropFirst((count + 3) / 4 * 4)
        }
    }

    private func long(_ octets: ArraySlice<UInt8>) -> UInt64 {
        let (first, second) = (order.number(octets, at: 0), order.number(octets, at: 4))
        return order == .bigEndian
            ? UInt64(first) << 32 | UInt64(second) : UInt64(second) << 32 | UInt64(first)
    }
}

/// The clock of a pcapng interface. Any values are possible, and the times are clamped.
struct PcapngClock: Sendable {
    /// The option *if_tsresol*: 10 to the power of minus this number of seconds, or 2 with the upper bit.
    var resolution: UInt8 = 6
    /// The option *if_tsoffset*: these seconds are added.
    var offset: Int64 = 0

    /// The time of a packet.
    func time(_ stamp: UInt64) -> CaptureTime {
        let exponent = Int(resolution & 0x7F)
        var microseconds: Int128
        if resolution & 0x80 != 0 {
            microseconds = (Int128(stamp) * 1_000_000) >> exponent
        } else if exponent <= 6 {
            microseconds = Int128(stamp) * (0..<(6 - exponent)).reduce(1) { power, _ in power * 10 }
        } else {
            // A stamp has at most 20 digits.
            microseconds =
                Int128(stamp) / (0..<min(exponent - 6, 20)).reduce(1) { power, _ in power * 10 }
        }
        microseconds += Int128(offset) * 1_000_000
        return CaptureTime(microsecondsSince1970: Int64(clamping: microseconds))
    }
}
