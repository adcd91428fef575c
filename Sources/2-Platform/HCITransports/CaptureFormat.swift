/// A file format that ``CaptureReader`` reads.
public enum CaptureFormat: Equatable, Sendable {
    /// btsnoop version 1: Android, BlueZ, Bumble, Wireshark, ``BtsnoopWriter``.
    case btsnoop(Datalink)
    /// PacketLogger, from macOS and from iPhones with Apple's logging profile.
    case packetLogger(ByteOrder)
    /// pcap: tcpdump, `idevicebtlogger -f pcap`, older versions of Wireshark.
    case pcap(LinkType)
    /// pcapng: Wireshark. Each interface in the file has a link type of its own.
    case pcapng

    /// The contents of the records in a btsnoop file.
    public enum Datalink: UInt32, Equatable, Sendable {
        /// HCI packets without an indicator; the flags of a record give the type.
        case unencapsulated = 1001
        /// HCI packets preceded by their H4 indicator.
        case h4 = 1002
        /// The format of BlueZ's monitor channel: packets and events of several adapters.
        case monitor = 2001
    }

    /// The contents of the packets in a pcap or pcapng file: the link types of tcpdump.org that have HCI packets.
    public enum LinkType: UInt16, Equatable, Sendable {
        /// HCI packets preceded by their H4 indicator; the direction of ACL packets is inferred.
        case h4 = 187
        /// The direction in four octets, then an HCI packet with its H4 indicator.
        case h4WithDirection = 201
        /// The packets and events of BlueZ's monitor channel.
        case monitor = 254
    }

    /// The byte order of the numbers in a file.
    public enum ByteOrder: Equatable, Sendable {
        /// Most significant octet first: older versions of PacketLogger.
        case bigEndian
        /// Least significant octet first: newer versions of PacketLogger.
        case littleEndian
    }

    /// The result of looking at the first octets of a file.
    public enum Recognition: Equatable, Sendable {
        /// A btsnoop file; the version and the datalink type may be unsupported.
        case btsnoop
        /// A PacketLogger file.
        case packetLogger(ByteOrder)
        /// A pcap file; the link type may be unsupported.
        case pcap
        /// A pcapng file.
        case pcapng
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
        if PcapRecords.Kind(start) != nil { return .pcap }
        if PcapRecords.Kind.mayBecome(start) { return .undecided }
        if PcapngRecords.begins(start) { return .pcapng }
        if PcapngRecords.mayBegin(start) { return .undecided }
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
