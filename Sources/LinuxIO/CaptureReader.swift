public import BluetoothLE
internal import Octets

/// Reads a capture as its octets come: btsnoop and PacketLogger files, told by their content. It keeps
/// one record at a time, so that a file may be of any size.
public struct CaptureReader: ~Copyable, Sendable {
    /// Who sent a packet, seen from the host.
    public typealias Direction = BtsnoopWriter.Direction

    /// What a file holds, in its order.
    public enum Output: Hashable, Sendable {
        /// The file is a capture of this format.
        case format(CaptureFormat)
        /// A record.
        case record(Record)
        /// Nothing more can be read.
        case failed(Failure)
    }

    /// One record of a capture.
    public struct Record: Hashable, Sendable {
        /// The offset of the record in the file, in octets.
        public var offset: UInt64
        /// When it was recorded, as the file claims.
        public var time: CaptureTime
        /// Which controller, where the format tells several apart, else 0.
        public var adapter: UInt16
        /// How many records were lost just before this one, as far as the format tells.
        public var lost: UInt32
        /// What was recorded.
        public var content: Content
    }

    /// What was recorded.
    public enum Content: Hashable, Sendable {
        /// A packet; `missing` octets of its end were not recorded.
        case packet(HCIPacket, Direction, missing: Int)
        /// A controller appeared.
        case adapterAdded(DeviceAddress, name: String)
        /// A controller went.
        case adapterRemoved
        /// The address of a controller is known now.
        case adapterAddress(DeviceAddress)
        /// Something that is no packet of LE: audio, notes, diagnostics.
        case other
        /// The record does not even hold the octet that says what it is.
        case empty
    }

    /// Why a file cannot be read on.
    public struct Failure: Error, Hashable, Sendable {
        /// What is wrong.
        public enum Reason: Hashable, Sendable {
            /// The file is no capture, or one of another kind.
            case unknownFormat
            /// A btsnoop file of another version than 1.
            case unsupportedVersion(UInt32)
            /// A btsnoop file with another datalink type.
            case unsupportedDatalink(UInt32)
            /// The file ends within its header or within a record.
            case truncated(needed: Int, available: Int)
            /// A record announces a length that no record has: the octets are not a record.
            case invalidLength(UInt32)
        }

        /// Where in the file the header or the record begins that cannot be read.
        public var offset: UInt64
        /// What is wrong.
        public var reason: Reason

        /// Whether this is no capture at all, rather than a damaged one.
        public var isUnknownFormat: Bool {
            switch reason {
            case .unknownFormat, .unsupportedVersion, .unsupportedDatalink: true
            case .truncated, .invalidLength: false
            }
        }
    }

    /// The longest record that is believed. An ACL packet has at most 65,539 octets; notes are shorter.
    private static let maximumRecord = 1 << 17
    private static let headerCount = 16
    private static let recordHeaderCount = 24

    private enum State {
        case awaitingFormat
        case records(CaptureFormat)
        case failed
    }

    private var state = State.awaitingFormat
    private var buffer: [UInt8] = []
    private var cursor = 0
    /// The offset of `buffer[0]` in the file.
    private var base: UInt64 = 0
    private var drops: UInt32 = 0
    private var outputs = Queue<Output>()

    /// A reader at the beginning of a file.
    public init() {}

    /// More octets of the file. Outputs are bounded by what came: drain them before the next call.
    public mutating func receive(_ octets: some Collection<UInt8>) {
        buffer.removeFirst(cursor)
        base += UInt64(cursor)
        cursor = 0
        buffer.append(contentsOf: octets)
        read(isAtEnd: false)
    }

    /// The file has no more octets.
    public mutating func finish() {
        read(isAtEnd: true)
        switch state {
        case .failed: break
        case .awaitingFormat: fail(.truncated(needed: Self.headerCount, available: available))
        case .records(let format):
            guard available > 0 else { break }
            fail(.truncated(needed: needed(format), available: available))
        }
    }

    /// What was found, in order, or `nil`.
    public mutating func pollOutput() -> Output? { outputs.popFirst() }

    private var available: Int { buffer.count - cursor }
    private var rest: ArraySlice<UInt8> { buffer[cursor...] }

    private mutating func fail(_ reason: Failure.Reason) {
        outputs.append(.failed(Failure(offset: base + UInt64(cursor), reason: reason)))
        state = .failed
    }

    private mutating func read(isAtEnd: Bool) {
        while true {
            switch state {
            case .failed:
                cursor = buffer.count
                return
            case .awaitingFormat:
                guard readFormat(isAtEnd: isAtEnd) else { return }
            case .records(.btsnoop(let datalink)):
                guard readBtsnoop(datalink) else { return }
            case .records(.packetLogger(let order)):
                guard readPacketLogger(order) else { return }
            }
        }
    }

    /// Whether the next thing can be read.
    private mutating func readFormat(isAtEnd: Bool) -> Bool {
        guard available >= CaptureFormat.recognitionCount || isAtEnd else { return false }
        switch CaptureFormat.recognize(rest) {
        case .undecided: return false
        case .unknown: fail(.unknownFormat)
        case .packetLogger(let order): begin(.packetLogger(order))
        case .btsnoop:
            guard available >= Self.headerCount else { return false }
            let (version, datalink) = (number(at: 8), number(at: 12))
            guard version == 1 else {
                fail(.unsupportedVersion(version))
                return true
            }
            guard let known = CaptureFormat.Datalink(rawValue: datalink) else {
                fail(.unsupportedDatalink(datalink))
                return true
            }
            cursor += Self.headerCount
            begin(.btsnoop(known))
        }
        return true
    }

    private mutating func begin(_ format: CaptureFormat) {
        state = .records(format)
        outputs.append(.format(format))
    }

    /// How many octets the record needs that the file cuts.
    private func needed(_ format: CaptureFormat) -> Int {
        switch format {
        case .btsnoop:
            guard available >= Self.recordHeaderCount else { return Self.recordHeaderCount }
            return Self.recordHeaderCount + Int(number(at: 4))
        case .packetLogger(let order):
            guard available >= PacketLoggerHeader.count else { return PacketLoggerHeader.count }
            return 4 + PacketLoggerHeader(rest, order).length
        }
    }

    private func number(at offset: Int) -> UInt32 {
        var value: UInt32 = 0
        for index in 0..<4 { value = value << 8 | UInt32(buffer[cursor + offset + index]) }
        return value
    }
}

// MARK: btsnoop

extension CaptureReader {
    /// The record of ``BtsnoopWriter``; whether it was whole.
    private mutating func readBtsnoop(_ datalink: CaptureFormat.Datalink) -> Bool {
        guard available >= Self.recordHeaderCount else { return false }
        let (original, included, flags) = (number(at: 0), number(at: 4), number(at: 8))
        guard included <= original, original <= Self.maximumRecord else {
            fail(.invalidLength(max(original, included)))
            return true
        }
        guard available >= Self.recordHeaderCount + Int(included) else { return false }
        let dropsNow = number(at: 12)
        let stamp = UInt64(number(at: 16)) << 32 | UInt64(number(at: 20))
        let data = rest.dropFirst(Self.recordHeaderCount).prefix(Int(included))
        let content = Self.content(datalink, flags, data, missing: Int(original - included))
        let record = Record(
            offset: base + UInt64(cursor),
            time: CaptureTime(btsnoopStamp: stamp),
            adapter: datalink == .monitor ? UInt16(truncatingIfNeeded: flags >> 16) : 0,
            lost: dropsNow > drops ? dropsNow - drops : 0, content: content)
        drops = dropsNow
        outputs.append(.record(record))
        cursor += Self.recordHeaderCount + Int(included)
        return true
    }

    private static func content(
        _ datalink: CaptureFormat.Datalink, _ flags: UInt32, _ data: ArraySlice<UInt8>,
        missing: Int
    ) -> Content {
        let direction: Direction = flags & 1 == 1 ? .received : .sent
        switch datalink {
        case .unencapsulated:
            let isData = flags & 2 == 0
            let body = Array(data)
            if isData { return .packet(.acl(body), direction, missing: missing) }
            let packet = direction == .sent ? HCIPacket.command(body) : .event(body)
            return .packet(packet, direction, missing: missing)
        case .h4:
            guard let indicator = data.first else { return .empty }
            let body = Array(data.dropFirst())
            return switch indicator {
            case 0x01: .packet(.command(body), .sent, missing: missing)
            case 0x02: .packet(.acl(body), direction, missing: missing)
            case 0x04: .packet(.event(body), .received, missing: missing)
            default: .other
            }
        case .monitor:
            return monitorContent(UInt16(truncatingIfNeeded: flags), Array(data), missing)
        }
    }

    /// The opcodes of BlueZ's monitor channel: `doc/btmon.rst` and `src/shared/btsnoop.h` of BlueZ.
    private static func monitorContent(
        _ opcode: UInt16, _ data: [UInt8], _ missing: Int
    ) -> Content {
        switch opcode {
        case 0:  // New index: type, bus, address, name of 8
            guard data.count >= 8 else { return .empty }
            let name = data[8...].prefix(8).prefix { $0 != 0 }
            return .adapterAdded(
                address(data[2..<8]), name: String(decoding: name, as: UTF8.self))
        case 1: return .adapterRemoved
        case 2: return .packet(.command(data), .sent, missing: missing)
        case 3: return .packet(.event(data), .received, missing: missing)
        case 4: return .packet(.acl(data), .sent, missing: missing)
        case 5: return .packet(.acl(data), .received, missing: missing)
        case 10:  // Index information: address, manufacturer
            guard data.count >= 6 else { return .empty }
            return .adapterAddress(address(data[0..<6]))
        default: return .other
        }
    }

    private static func address(_ octets: ArraySlice<UInt8>) -> DeviceAddress {
        DeviceAddress(octets.reversed().reduce(0) { $0 << 8 | UInt64($1) }, kind: .public)
    }
}

// MARK: PacketLogger

extension CaptureReader {
    /// A record of Apple's PacketLogger; whether it was whole.
    private mutating func readPacketLogger(_ order: CaptureFormat.ByteOrder) -> Bool {
        guard available >= PacketLoggerHeader.count else { return false }
        let header = PacketLoggerHeader(rest, order)
        guard (PacketLoggerHeader.countInLength...Self.maximumRecord).contains(header.length) else {
            fail(.invalidLength(UInt32(truncatingIfNeeded: header.length)))
            return true
        }
        guard available >= 4 + header.length else { return false }
        let body = Array(
            rest.dropFirst(PacketLoggerHeader.count)
                .prefix(header.length - PacketLoggerHeader.countInLength))
        let content: Content =
            switch header.type {
            case 0x00: .packet(.command(body), .sent, missing: 0)
            case 0x01: .packet(.event(body), .received, missing: 0)
            case 0x02: .packet(.acl(body), .sent, missing: 0)
            case 0x03: .packet(.acl(body), .received, missing: 0)
            default: .other
            }
        outputs.append(
            .record(
                Record(
                    offset: base + UInt64(cursor),
                    time: header.time,
                    adapter: 0, lost: 0, content: content)))
        cursor += 4 + header.length
        return true
    }
}
