public import BluetoothLE

/// Reads a capture incrementally: btsnoop and PacketLogger files, recognized by their contents. It buffers
/// one record at a time, so a file may have any size.
public struct CaptureReader: ~Copyable, Sendable {
    /// The direction of a packet.
    public typealias Direction = BtsnoopWriter.Direction

    /// A part of a file. Outputs are in order.
    public enum Output: Equatable, Sendable {
        /// The file is a capture in this format.
        case format(CaptureFormat)
        /// A record.
        case record(Record)
        /// The rest of the file cannot be read.
        case failed(Failure)
    }

    /// A record of a capture.
    public struct Record: Equatable, Sendable {
        /// The offset of the record in the file, in octets.
        public var offset: UInt64
        /// When it was recorded, according to the file.
        public var time: CaptureTime
        /// The number of the controller, if the format distinguishes several, otherwise 0.
        public var adapter: UInt16
        /// How many records were lost just before this one, if the format reports it.
        public var lost: UInt32
        /// The contents.
        public var content: Content
    }

    /// The contents of a record.
    public enum Content: Equatable, Sendable {
        /// A packet; `missing` octets at its end were not recorded.
        case packet(HCIPacket, Direction, missing: Int)
        /// A controller was added.
        case adapterAdded(DeviceAddress, name: String)
        /// A controller was removed.
        case adapterRemoved
        /// The address of a controller became known.
        case adapterAddress(DeviceAddress)
        /// Anything else: audio, notes, diagnostics.
        case other
        /// A record without even the octet for its type.
        case empty
    }

    /// Why the rest of a file cannot be read.
    public struct Failure: Error, Equatable, Sendable {
        /// The kind of fault.
        public enum Reason: Equatable, Sendable {
            /// The file is not a capture, or has an unsupported format.
            case unknownFormat
            /// A btsnoop file with a version other than 1.
            case unsupportedVersion(UInt32)
            /// A btsnoop file with an unsupported datalink type.
            case unsupportedDatalink(UInt32)
            /// The file ends within its header or within a record.
            case truncated(needed: Int, available: Int)
            /// The length of a record is impossible, so the octets are not a record.
            case invalidLength(UInt32)
        }

        /// The offset of the faulty header or record in the file.
        public var offset: UInt64
        /// The kind of fault.
        public var reason: Reason

        /// Whether the file is not a capture at all, instead of a damaged one.
        public var isUnknownFormat: Bool {
            switch reason {
            case .unknownFormat, .unsupportedVersion, .unsupportedDatalink: true
            case .truncated, .invalidLength: false
            }
        }
    }

    /// The longest plausible record. An ACL packet has at most 65,539 octets; notes are shorter.
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
    private var isAtEnd = false

    /// A reader at the start of a file.
    public init() {}

    /// Accepts more octets of the file. Call ``pollOutput()`` until it returns `nil` before the next call:
    /// octets that were not parsed yet are kept.
    public mutating func receive(_ octets: some Collection<UInt8>) {
        if case .failed = state { return }
        buffer.removeFirst(cursor)
        base += UInt64(cursor)
        cursor = 0
        buffer.append(contentsOf: octets)
    }

    /// Reports the end of the file.
    public mutating func finish() { isAtEnd = true }

    /// Returns the next item of the file, or `nil` if more octets are needed or the file was read to its end.
    public mutating func pollOutput() -> Output? {
        let output =
            switch state {
            case .failed: nil as Output?
            case .awaitingFormat: readFormat()
            case .records(.btsnoop(let datalink)): readBtsnoop(datalink)
            case .records(.packetLogger(let order)): readPacketLogger(order)
            }
        guard output == nil, isAtEnd else { return output }
        return readEnd()
    }

    /// Reports a record that the end of the file cuts off.
    private mutating func readEnd() -> Output? {
        switch state {
        case .failed: return nil
        case .awaitingFormat:
            return fail(.truncated(needed: Self.headerCount, available: available))
        case .records(let format):
            guard available > 0 else { return nil }
            return fail(.truncated(needed: needed(format), available: available))
        }
    }

    private var available: Int { buffer.count - cursor }
    private var rest: ArraySlice<UInt8> { buffer[cursor...] }

    private mutating func fail(_ reason: Failure.Reason) -> Output {
        let failure = Failure(offset: base + UInt64(cursor), reason: reason)
        state = .failed
        cursor = buffer.count
        return .failed(failure)
    }

    private mutating func readFormat() -> Output? {
        guard available >= CaptureFormat.recognitionCount || isAtEnd else { return nil }
        switch CaptureFormat.recognize(rest) {
        case .undecided: return nil
        case .unknown: return fail(.unknownFormat)
        case .packetLogger(let order): return begin(.packetLogger(order))
        case .btsnoop:
            guard available >= Self.headerCount else { return nil }
            let (version, datalink) = (number(at: 8), number(at: 12))
            guard version == 1 else { return fail(.unsupportedVersion(version)) }
            guard let known = CaptureFormat.Datalink(rawValue: datalink) else {
                return fail(.unsupportedDatalink(datalink))
            }
            cursor += Self.headerCount
            return begin(.btsnoop(known))
        }
    }

    private mutating func begin(_ format: CaptureFormat) -> Output {
        state = .records(format)
        return .format(format)
    }

    /// How many octets the incomplete record at the end needs.
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
    /// A record as ``BtsnoopWriter`` writes it, if all of it has arrived.
    private mutating func readBtsnoop(_ datalink: CaptureFormat.Datalink) -> Output? {
        guard available >= Self.recordHeaderCount else { return nil }
        let (original, included, flags) = (number(at: 0), number(at: 4), number(at: 8))
        guard included <= original, original <= Self.maximumRecord else {
            return fail(.invalidLength(max(original, included)))
        }
        let start = cursor + Self.recordHeaderCount
        let end = start + Int(included)
        guard buffer.count >= end else { return nil }
        let dropsNow = number(at: 12)
        let stamp = UInt64(number(at: 16)) << 32 | UInt64(number(at: 20))
        let record = Record(
            offset: base + UInt64(cursor),
            time: CaptureTime(btsnoopStamp: stamp),
            adapter: datalink == .monitor ? UInt16(truncatingIfNeeded: flags >> 16) : 0,
            lost: dropsNow > drops ? dropsNow - drops : 0,
            content: Self.content(
                datalink, flags, buffer[start..<end], missing: Int(original - included)))
        drops = dropsNow
        cursor = end
        return .record(record)
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
    /// A record of Apple's PacketLogger, if all of it has arrived.
    private mutating func readPacketLogger(_ order: CaptureFormat.ByteOrder) -> Output? {
        guard available >= PacketLoggerHeader.count else { return nil }
        let header = PacketLoggerHeader(rest, order)
        guard (PacketLoggerHeader.countInLength...Self.maximumRecord).contains(header.length) else {
            return fail(.invalidLength(UInt32(truncatingIfNeeded: header.length)))
        }
        let end = cursor + 4 + header.length
        guard buffer.count >= end else { return nil }
        let body = Array(buffer[(cursor + PacketLoggerHeader.count)..<end])
        let content: Content =
            switch header.type {
            case 0x00: .packet(.command(body), .sent, missing: 0)
            case 0x01: .packet(.event(body), .received, missing: 0)
            case 0x02: .packet(.acl(body), .sent, missing: 0)
            case 0x03: .packet(.acl(body), .received, missing: 0)
            default: .other
            }
        let record = Record(
            offset: base + UInt64(cursor), time: header.time, adapter: 0, lost: 0, content: content)
        cursor = end
        return .record(record)
    }
}
