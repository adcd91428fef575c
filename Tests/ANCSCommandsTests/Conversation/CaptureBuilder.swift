import BluetoothLE
import JSONText
import LinuxIO
import Octets
import Testing

@testable import ANCSCommands

/// Writes capture files of every format, octet by octet, apart from the code under test.
struct CaptureBuilder: Sendable {
    enum Format: String, CaseIterable, Sendable, CustomTestStringConvertible {
        case unencapsulated, h4, monitor, packetLoggerBig, packetLoggerLittle
        var testDescription: String { rawValue }
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

    init(_ format: Format = .h4) {
        self.format = format
        let datalink: UInt32? =
            switch format {
            case .unencapsulated: 1001
            case .h4: 1002
            case .monitor: 2001
            case .packetLoggerBig, .packetLoggerLittle: nil
            }
        guard let datalink else { return }
        octets = Array("btsnoop\0".utf8) + Self.big(UInt32(1)) + Self.big(datalink)
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
    var status: ANCSCommands.ExitStatus
    var failureOffset: UInt64?

    /// Reads a capture in chunks of any size.
    init(_ octets: [UInt8], json: Bool, chunk: Int = 65_536) {
        var story = CaptureStory(json: json)
        var told: [UInt8] = []
        for start in stride(from: 0, to: octets.count, by: chunk) {
            told += story.receive(octets[start..<min(start + chunk, octets.count)]).text
        }
        told += story.finish().text
        lines = Self.lines(told)
        status = story.status
        failureOffset = story.failure?.offset
    }

    /// What was told, line by line; each has its newline.
    static func lines(_ told: [UInt8]) -> [String] {
        String(decoding: told, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    /// The objects of a story told in JSON.
    var objects: [JSONValue] { lines.compactMap { try? JSONValue(parsing: $0) } }

    /// The lines of a kind, whose members are in order.
    func lines(_ kind: String) -> [String] {
        lines.filter { $0.hasPrefix(#"{"kind":"\#(kind)""#) }
    }

    /// The objects of a kind.
    func all(_ kind: String) -> [JSONValue] {
        lines(kind).compactMap { try? JSONValue(parsing: $0) }
    }
}
