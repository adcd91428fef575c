public import HCITransports
public import LinuxIO

/// Why a capture could not be read, or not to its end.
public enum CaptureError: Error {
    /// The file could not be opened or read.
    case io(IOError)
    /// It is not a capture in a known format, or it is damaged.
    case unreadable(CaptureReader.Failure)

    /// The reason, in a sentence.
    public var message: String {
        switch self {
        case .io(let error): error.message
        case .unreadable(let failure): failure.message
        }
    }
}

extension CaptureReader.Failure {
    /// The error and its position, in one sentence.
    public var message: String {
        switch reason {
        case .unknownFormat:
            "unknown format: btsnoop, PacketLogger, pcap and pcapng can be read; unpack a compressed file first"
        case .unsupportedVersion(let version): "btsnoop of version \(version), not 1"
        case .unsupportedDatalink(let type):
            "btsnoop of \(Self.contents(ofDatalink: type)) (datalink type \(type)); 1001, 1002 and 2001 can "
                + "be read: record with 'btmon -w FILE' on Linux"
        case .unsupportedLinkType(let type):
            "\(Self.contents(ofLinkType: type)) (link type \(type)), not HCI packets; record those on the "
                + "phone or the accessory, for example with 'idevicebtlogger -f pcap FILE' for an iPhone or "
                + "'btmon -w FILE' on Linux"
        case .truncated(let needed, let available):
            "the file is truncated: \(needed) octets are needed at octet \(offset), and \(available) are left"
        case .invalidLength(let length):
            "the file is damaged: the record at octet \(offset) claims \(length) octets"
        }
    }

    /// What a btsnoop file with this type has: RFC 1761, and those that Bluetooth tools added.
    private static func contents(ofDatalink type: UInt32) -> String {
        switch type {
        case 0...10: "a network"
        case 1003: "HCI in BCSP frames of a serial line"
        case 1004: "HCI in three-wire (H5) frames of a serial line"
        case 2002: "simulated devices"
        default: "something else"
        }
    }

    /// What a pcap or pcapng file with this link type has: the list of tcpdump.org.
    private static func contents(ofLinkType type: UInt16) -> String {
        switch type {
        case 251, 256, 272: "a sniffer's capture of packets on the air, where ANCS is encrypted"
        case 255: "a sniffer's capture of BR/EDR packets on the air"
        case 147...162: "a capture with a private link type"
        case 192: "a capture with PPI headers, usually a sniffer's, where ANCS is encrypted"
        case 186, 189, 220, 249, 266: "a capture of USB"
        case 0, 1, 101, 113, 276: "a capture of a network"
        case 105, 119, 127: "a capture of Wi-Fi"
        default: "a capture of something else"
        }
    }
}
