/// A file format that ``CaptureReader`` reads.
public enum CaptureFormat: Equatable, Sendable {
    /// btsnoop version 1: Android, BlueZ, Bumble, Wireshark, ``BtsnoopWriter``.
    case btsnoop(Datalink)
    /// PacketLogger, from macOS and from iPhones with Apple's logging profile.
    case packetLogger(ByteOrder)

    /// The contents of the records in a btsnoop file.
    public enum Datalink: UInt32, Equatable, Sendable {
        /// HCI packets without an indicator; the flags of a record give the type.
        case unencapsulated = 1001
        /// HCI packets preceded by their H4 indicator.
        case h4 = 1002
        /// The format of BlueZ's monitor channel: packets and events of several adapters.
        case monitor = 2001
    }

    /// The byte order of numbers in a PacketLogger file.
    public enum ByteOrder: Equatable, Sendable {
        /// Most significant octet first: older versions.
        case bigEndian
        /// Least significant octet first: newer versions.
        case littleEndian
    }

    /// The result of looking at the first octets of a file.
    public enum Recognition: Equatable, Sendable {
        /// A btsnoop file; the version and the datalink type may be unsupported.
        case btsnoop
        /// A PacketLogger file.
        case packetLogger(ByteOrder)
        /// Possibly a capture, but there are too few octets to decide.
        case undecided
        /// Not a readable capture.
        case unknown
    }

    static let magic: [UInt8] = Array("btsnoop\0".utf8)
    /// The number of octets that are always enough to decide.
    public static let recognitionCount = 13

    /// Recognizes a file by its first ``recognitionCount`` octets, or by all octets of a shorter one.
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

    /// Whether the octets may start a PacketLogger file; `nil` if there are too few. There is no signature:
    /// the length must be possible for a packet, the microseconds less than a second, and the type a known
    /// one.
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

    /// When the packet was recorded; the microseconds may exceed a second.
    var time: CaptureTime {
        CaptureTime(microsecondsSince1970: Int64(seconds) * 1_000_000 + Int64(microseconds))
    }

    /// Whether PacketLogger is known to write this type: packets up to 0x13, notes from 0xF7 on.
    static func isKnown(type: UInt8) -> Bool { type <= 0x13 || type >= 0xF7 }
}
