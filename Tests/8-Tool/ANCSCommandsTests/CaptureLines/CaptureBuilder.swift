import ANCSCapture
import BluetoothTypes
import HCITransports
import JSONText
import Octets
import Testing

@testable import ANCSCommands
@testable import CommandKit

/// Writes capture files of every format, octet by octet, apart from the code under test.
struct CaptureBuilder: Sendable {
    enum Format: String, CaseIterable, Sendable, CustomTestStringConvertible {
        case unencapsulated, h4, monitor, packetLoggerBig, packetLoggerLittle
        case pcapH4, pcapDirection, pcapMonitor, pcapngH4, pcapngDirection
        var testDescription: String { rawValue }

        /// The byte order of the numbers in a file.
        var isBigEndian: Bool {
            switch self {
            case .packetLoggerLittle, .pcapH4, .pcapMonitor, .pcapngH4: false
            default: true
            }
        }

        /// The link type of a pcap or pcapng file.
        var linkType: UInt32? {
            switch self {
            case .pcapH4, .pcapngH4: 187
            case .pcapDirection, .pcapngDirection: 201
            case .pcapMonitor: 254
            default: nil
            }
        }
    }

    /// 2026-11-21 09:30:00 UTC.
    static let start: Int64 = 1_795_253_400_000_000
    /// A millisecond goes by with every record.
    static let step: Int64 = 1000

    let format: Format
    var time = Self.start
    private(set) var octets: [UInt8] = []
    /// Where each record begins.
    private(set) var offsets: [Int] = []
    /// Where the parts before the first record begin.
    private(set) var headOffsets = [0]

    init(_ format: Format = .h4) {
        self.format = format
        switch format {
        case .unencapsulated, .h4, .monitor:
            let datalink: UInt32 = format == .h4 ? 1002 : format == .monitor ? 2001 : 1001
            octets = Array("btsnoop\0".utf8) + Self.big(UInt32(1)) + Self.big(datalink)
        case .packetLoggerBig, .packetLoggerLittle: break
        case .pcapH4, .pcapDirection, .pcapMonitor:
            // Nanoseconds in one of them, microseconds in the others.
            let magic: UInt32 = format == .pcapH4 ? 0xA1B2_3C4D : 0xA1B2_C3D4
            octets = number(magic) + number(2 as UInt16) + number(4 as UInt16)
            octets += number(0 as UInt32) + number(0 as UInt32) + number(65_535 as UInt32)
            octets += number(format.linkType ?? 0)
        case .pcapngH4, .pcapngDirection:
            octets = block(
                0x0A0D_0D0A,
                number(0x1A2B_3C4D as UInt32) + number(0x0000_0001 as UInt32)
                    + [UInt8](repeating: 0xFF, count: 8))
            headOffsets.append(octets.count)
            let linkType = UInt16(format.linkType ?? 0)
            // Nanoseconds in one of them: the option if_tsresol. The other has the default.
            let options =
                format == .pcapngH4
                ? number(9 as UInt16) + number(1 as UInt16) + [9, 0, 0, 0] : []
            octets += block(
                1, number(linkType) + number(0 as UInt16) + number(0 as UInt32) + options)
            // A block that says nothing about packets: statistics.
            headOffsets.append(octets.count)
            octets += block(5, [UInt8](repeating: 0, count: 12))
        }
    }

    /// A number in the byte order of the file.
    private func number(_ number: some FixedWidthInteger) -> [UInt8] {
        format.isBigEndian ? Self.big(number) : Self.big(number).reversed()
    }

    /// A pcapng block.
    private func block(_ type: UInt32, _ body: [UInt8]) -> [UInt8] {
        let length = number(UInt32(body.count + 12))
        return number(type) + length + body + length
    }

    /// The place and the octets of a time stamp in the record at an offset, with the same number everywhere.
    func stamp(_ stamp: UInt64, at offset: Int) -> (Range<Int>, [UInt8]) {
        let start: Int
        switch format {
        case .unencapsulated, .h4, .monitor:
            return (offset + 16..<offset + 24, Self.big(stamp))
        case .packetLoggerBig, .packetLoggerLittle: start = offset + 4
        case .pcapH4, .pcapDirection, .pcapMonitor: start = offset
        case .pcapngH4, .pcapngDirection: start = offset + 12
        }
        let halves = number(UInt32(stamp >> 32)) + number(UInt32(truncatingIfNeeded: stamp))
        return (start..<start + 8, halves)
    }

    static func big(_ number: some FixedWidthInteger) -> [UInt8] {
        stride(from: number.bitWidth - 8, through: 0, by: -8).map {
            UInt8(truncatingIfNeeded: number >> $0)
        }
    }

    /// A packet; `missing` octets of its end are left out, where the format can say so.
    mutating func add(
        _ packet: HCIPacket, isSent: Bool, adapter: UInt16 = 0, missing: Int = 0,
        drops: UInt32 = 0
    ) {
        switch format {
        case .pcapH4, .pcapDirection, .pcapMonitor, .pcapngH4, .pcapngDirection:
            libpcap(packet, isSent: isSent, adapter: adapter, missing: missing)
        case .unencapsulated, .h4:
            let isData = if case .acl = packet { true } else { false }
            let data = format == .h4 ? packet.octets : packet.body
            btsnoop(data, (isSent ? 0 : 1) | (isData ? 0 : 2), missing: missing, drops: drops)
        case .monitor:
            let opcode: UInt32 =
                switch packet {
                case .command: 2
                case .event: 3
                case .acl: isSent ? 4 : 5
                }
            btsnoop(packet.body, UInt32(adapter) << 16 | opcode, missing: missing, drops: drops)
        case .packetLoggerBig, .packetLoggerLittle:
            let type: UInt8 =
                switch packet {
                case .command: 0
                case .event: 1
                case .acl: isSent ? 2 : 3
                }
            note(type, packet.body)
        }
    }

    /// A record of a pcap file, or a packet block of a pcapng file.
    private mutating func libpcap(
        _ packet: HCIPacket, isSent: Bool, adapter: UInt16, missing: Int
    ) {
        offsets.append(octets.count)
        let opcode: UInt16 =
            switch packet {
            case .command: 2
            case .event: 3
            case .acl: isSent ? 4 : 5
            }
        let data =
            switch format.linkType {
            case 201: Self.big(isSent ? 0 : 1 as UInt32) + packet.octets
            case 254: Self.big(adapter) + Self.big(opcode) + packet.body
            default: packet.octets
            }
        let included = data.dropLast(missing)
        let lengths = number(UInt32(included.count)) + number(UInt32(data.count))
        switch format {
        case .pcapngH4, .pcapngDirection:
            let stamp = UInt64(time) * (format == .pcapngH4 ? 1000 : 1)
            let stamps = number(UInt32(stamp >> 32)) + number(UInt32(truncatingIfNeeded: stamp))
            let padding = [UInt8](repeating: 0, count: (4 - included.count % 4) % 4)
            // The option epb_flags.
            let flags = number(2 as UInt16) + number(4 as UInt16) + number(isSent ? 2 : 1 as UInt32)
            octets += block(6, number(0 as UInt32) + stamps + lengths + included + padding + flags)
        default:
            let fraction = UInt32(time % 1_000_000) * (format == .pcapH4 ? 1000 : 1)
            octets += number(UInt32(time / 1_000_000)) + number(fraction) + lengths + included
        }
        time += Self.step
    }

    /// A btsnoop record with any flags.
    mutating func btsnoop(
        _ data: [UInt8], _ flags: UInt32, missing: Int = 0, drops: UInt32 = 0
    ) {
        offsets.append(octets.count)
        let included = data.dropLast(missing)
        octets += Self.big(UInt32(data.count)) + Self.big(UInt32(included.count))
        octets += Self.big(flags) + Self.big(drops)
        octets += Self.big(UInt64(time + 0x00dc_ddb3_0f2f_8000)) + included
        time += Self.step
    }

    /// A pcapng block, or nothing in other formats.
    mutating func addBlock(_ type: UInt32, _ body: [UInt8]) {
        guard format == .pcapngH4 || format == .pcapngDirection else { return }
        octets += block(type, body + [UInt8](repeating: 0, count: (4 - body.count % 4) % 4))
    }

    /// An option of a pcapng block, or what has that form.
    func option(_ code: UInt16, _ value: [UInt8]) -> [UInt8] {
        number(code) + number(UInt16(value.count)) + value
            + [UInt8](repeating: 0, count: (4 - value.count % 4) % 4)
    }

    /// A PacketLogger record of any type.
    mutating func note(_ type: UInt8, _ data: [UInt8]) {
        offsets.append(octets.count)
        let fields = [
            UInt32(data.count + 9), UInt32(time / 1_000_000), UInt32(time % 1_000_000),
        ]
        for field in fields {
            octets += format == .packetLoggerBig ? Self.big(field) : Self.big(field).reversed()
        }
        octets += [type] + data
        time += Self.step
    }
}

/// What `ancs decode` makes of a capture.
struct ToldStory {
    var lines: [String]
    var status: CommandKit.ExitStatus
    var failureOffset: UInt64?
    var failure: String?

    /// Reads a capture in chunks of any size.
    init(_ octets: [UInt8], json: Bool, chunk: Int = 65_536) {
        var story = CaptureStory(json: json)
        var told: [UInt8] = []
        for start in stride(from: 0, to: octets.count, by: chunk) {
            told += story.receive(octets[start..<min(start + chunk, octets.count)]).text
        }
        told += story.finish().text
        lines = Self.lines(told)
        if json { #expect(SchemaCheck.mistakes(in: lines, of: "decode").first == nil) }
        status = story.status
        failureOffset = story.failure?.offset
        failure = story.failure?.message
    }

    /// What was told, line by line; each has its newline.
    static func lines(_ told: [UInt8]) -> [String] {
        String(decoding: told, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    /// The objects of a story told in JSON.
    var objects: [JSONValue] { lines.compactMap { try? JSONValue(parsing: $0) } }

    /// The lines of a kind, which is the first member: of a value of a characteristic, or of any other event.
    func lines(_ kind: String) -> [String] {
        lines.filter {
            $0.hasPrefix(#"{"event":"\#(kind)""#) || $0.hasPrefix(#"{"kind":"\#(kind)""#)
        }
    }

    /// The objects of a kind.
    func all(_ kind: String) -> [JSONValue] {
        lines(kind).compactMap { try? JSONValue(parsing: $0) }
    }

    /// What happened to links.
    var links: [JSONValue] {
        all(of: ["connected", "connectingFailed", "transport", "disconnected"])
    }

    /// What happened of pairing.
    var pairing: [JSONValue] { all(of: ["pairing", "paired", "securityFailed"]) }

    private func all(of events: Set<String>) -> [JSONValue] {
        objects.filter { $0["event"]?.string.map(events.contains) ?? false }
    }
}
