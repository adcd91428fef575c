/// The capture files that ``CaptureReader`` reads.
public enum CaptureFormat: Hashable, Sendable {
    /// btsnoop version 1: Android, BlueZ, Bumble, Wireshark, ``BtsnoopWriter``.
    case btsnoop(Datalink)
    /// PacketLogger of macOS and of iPhones with Apple's logging profile.
    case packetLogger(ByteOrder)

    /// What the records of a btsnoop file hold.
    public enum Datalink: UInt32, Hashable, Sendable {
        /// Bare HCI packets; the flags of a record say which kind.
        case unencapsulated = 1001
        /// HCI packets after their H4 indicator.
        case h4 = 1002
        /// What BlueZ's monitor channel carries: packets and events of several adapters.
        case monitor = 2001
    }

    /// In which order PacketLogger writes the octets of a number.
    public enum ByteOrder: Hashable, Sendable {
        /// Most significant first: older versions.
        case bigEndian
        /// Least significant first: newer versions.
        case littleEndian
    }

    /// What the first octets of a file tell.
    public enum Recognition: Hashable, Sendable {
        /// A btsnoop file, of a version and a datalink type that may be unknown.
        case btsnoop
        /// A PacketLogger file.
        case packetLogger(ByteOrder)
        /// The octets could begin a capture, but are too few to tell.
        case undecided
        /// No capture that can be read.
        case unknown
    }

    static let magic: [UInt8] = Array("btsnoop\0".utf8)
    /// How many octets of a file decide.
    public static let recognitionCount = 13

    /// Tells a file by its first ``recognitionCount`` octets, or by all that it has.
    public static func recognize(_ start: some Collection<UInt8>) -> Recognition {
        let start = Array(start.prefix(recognitionCount))
        if start.starts(with: magic) { return .btsnoop }
        if magic.starts(with: start) { return .undecided }
        for order in [ByteOrder.bigEndian, .littleEndian] {
            switch mayBegin(start, order) {
            case true?: return .packetLogger(order)
            case nil: return .undecided
            case false?: continue
            }
        }
        return .unknown
    }

    /// Whether a PacketLogger file begins like this, `nil` where the octets are too few. There is no
    /// signature: the length has to be one of a packet, the microseconds less than a second, and the
    /// type one that is used.
    private static func mayBegin(_ start: [UInt8], _ order: ByteOrder) -> Bool? {
        // The two upper octets of the length.
        let upper = order == .bigEndian ? [0, 1] : [2, 3]
        for (index, maximum) in zip(upper, order == .bigEndian ? [0, 1] : [1, 0] as [UInt8])
        where index < start.count && start[index] > maximum { return false }
        guard start.count == recognitionCount else { return start.contains(0) ? nil : false }
        let header = PacketLoggerHeader(start[...], order)
        return header.length >= PacketLoggerHeader.countInLength && header.microseconds < 1_000_000
            && PacketLoggerHeader.isKnown(type: header.type)
    }
}

/// What precedes each packet in a PacketLogger file.
///
///     octet  0..3                        4..7     8..11         12    13..
///            length of all that follows  seconds  microseconds  type  packet
struct PacketLoggerHeader {
    static let count = 13
    /// How many octets of the header the length counts.
    static let countInLength = 9

    var length: Int
    var seconds: UInt32
    var microseconds: UInt32
    var type: UInt8

    /// Reads ``count`` octets, which must be there.
    init(_ octets: ArraySlice<UInt8>, _ order: CaptureFormat.ByteOrder) {
        func number(_ offset: Int) -> UInt32 {
            let field = octets.dropFirst(offset).prefix(4)
            let value = field.reduce(0 as UInt32) { $0 << 8 | UInt32($1) }
            return order == .bigEndian ? value : value.byteSwapped
        }
        length = Int(number(0))
        seconds = number(4)
        microseconds = number(8)
        type = octets.dropFirst(12).first ?? 0
    }

    /// When the packet was recorded; the microseconds may be more than a second has.
    var time: CaptureTime {
        CaptureTime(microsecondsSince1970: Int64(seconds) * 1_000_000 + Int64(microseconds))
    }

    /// The types that PacketLogger is known to write: packets up to 0x13, notes from 0xF7 on.
    static func isKnown(type: UInt8) -> Bool { type <= 0x13 || type >= 0xF7 }
}
