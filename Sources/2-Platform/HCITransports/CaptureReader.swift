public import BluetoothTypes

/// Reads a capture incrementally: btsnoop, PacketLogger, pcap and pcapng files, recognized by their contents.
/// It buffers one record at a time, so a file may have any size.
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
        /// Audio on a link of its own, synchronous or isochronous: so many octets with their header, which are
        /// not kept.
        case audio(octets: Int)
        /// Anything else: notes, diagnostics.
        case other
        /// A record without even the octet for its type.
        case empty
    }

    /// Why the rest of a file cannot be read.
    public struct Failure: Error, Equatable, Sendable {
        /// The kind of fault.
        public enum Reason: Error, Equatable, Sendable {
            /// The file is not a capture, or has an unsupported format.
            case unknownFormat
            /// A btsnoop file with a version other than 1.
            case unsupportedVersion(UInt32)
            /// A btsnoop file with an unsupported datalink type.
            case unsupportedDatalink(UInt32)
            /// A pcap or pcapng file with a link type that has no HCI packets.
            case unsupportedLinkType(UInt16)
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
            case .unknownFormat, .unsupportedVersion, .unsupportedDatalink, .unsupportedLinkType:
                true
            case .truncated, .invalidLength: false
            }
        }
    }

    private enum State {
        case awaitingFormat
        case records(any CaptureRecords)
        case failed
    }

    private var state = State.awaitingFormat
    private var buffer: [UInt8] = []
    private var cursor = 0
    /// The offset of `buffer[0]` in the file.
    private var base: UInt64 = 0
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
        do throws(Failure.Reason) {
            switch state {
            case .failed: return nil
            case .awaitingFormat: return try readFormat()
            case .records(var records):
                // The state must not keep a second reference to what `records` changes.
                state = .awaitingFormat
                defer { state = .records(records) }
                return try readRecord(&records)
            }
        } catch {
            let failure = Failure(offset: base + UInt64(cursor), reason: error)
            state = .failed
            cursor = buffer.count
            return .failed(failure)
        }
    }

    private var rest: ArraySlice<UInt8> { buffer[cursor...] }

    private mutating func readFormat() throws(Failure.Reason) -> Output? {
        guard rest.count >= CaptureFormat.recognitionCount || isAtEnd else { return nil }
        let needed: Int
        switch CaptureFormat.recognize(rest) {
        case .unknown: throw .unknownFormat
        case .undecided: needed = BtsnoopRecords.fileHeaderCount
        case .packetLogger(let order): return begin(PacketLoggerRecords(order: order))
        case .pcapng: return begin(PcapngRecords())
        case .btsnoop:
            needed = BtsnoopRecords.fileHeaderCount
            if rest.count >= needed { return begin(try BtsnoopRecords(rest), after: needed) }
        case .pcap:
            needed = PcapRecords.fileHeaderCount
            if rest.count >= needed { return begin(try PcapRecords(rest), after: needed) }
        }
        guard isAtEnd else { return nil }
        throw .truncated(needed: needed, available: rest.count)
    }

    private mutating func begin(_ records: some CaptureRecords, after count: Int = 0) -> Output {
        cursor += count
        state = .records(records)
        return .format(records.format)
    }

    /// The next record that says something.
    private mutating func readRecord(
        _ records: inout any CaptureRecords
    ) throws(Failure.Reason) -> Output? {
        while !rest.isEmpty {
            let headerCount = type(of: records).headerCount
            let needed = rest.count < headerCount ? headerCount : try records.recordCount(rest)
            guard rest.count >= needed else {
                guard isAtEnd else { return nil }
                throw .truncated(needed: needed, available: rest.count)
            }
            let record = try records.read(rest.prefix(needed), at: base + UInt64(cursor))
            cursor += needed
            if let record { return .record(record) }
        }
        return nil
    }
}

extension CaptureReader.Record {
    /// A packet that was not read from a file.
    package init(_ packet: HCIPacket, _ direction: CaptureReader.Direction, at time: CaptureTime) {
        self.init(
            offset: 0, time: time, adapter: 0, lost: 0,
            content: .packet(packet, direction, missing: 0))
    }
}
