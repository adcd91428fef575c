public import LinuxIO
public import BluetoothTypes

/// Writes HCI packets to a capture file for Wireshark, `btmon -r` and `ancs decode`: btsnoop version 1,
/// datalink type 1002 (H4).
///
///     header  "btsnoop" 00 | version (4, BE) | datalink type (4, BE)
///     record  original length | included length | flags | drops (4 each, BE)
///             | microseconds since the midnight that began the year 0 (8, BE) | packet
///
/// The file has mode 0600, because it contains private messages and keys.
public final class BtsnoopWriter: Sendable {
    /// The direction of a packet.
    public enum Direction: Equatable, Sendable {
        /// From the host to the controller.
        case sent
        /// From the controller to the host.
        case received
    }

    /// Makes the records of a capture from packets. Its functions are called one after the other, in order.
    package protocol Recording: AnyObject, Sendable {
        /// The records that can be written now that this packet has come: its own, or others.
        func octets(of packet: HCIPacket, _ direction: Direction, at time: CaptureTime) -> [UInt8]
        /// The records that wait for further packets, of which none come for now.
        func finish() -> [UInt8]
    }

    /// The number of buffered octets at which they are written.
    private static let flushThreshold = 32_768
    /// The time after which buffered octets are written with the next packet.
    private static let flushInterval = Duration.seconds(1)

    private struct State {
        var buffer: [UInt8] = []
        /// The time of the last flush, or of the first record.
        var lastFlush: CaptureTime?
        var failure: IOError?
        var isClosed = false
    }

    private let recording: (any Recording)?
    private let onFailure: @Sendable (IOError) -> Void
    private let file: OutputFile
    private let state: Lock<State>

    /// Creates the file, or empties an existing one. `onFailure` is called, on the recording thread, when the
    /// file can no longer be written, for example because the disk is full.
    public convenience init(
        path: String, onFailure: @escaping @Sendable (IOError) -> Void = { _ in }
    ) throws(IOError) { try self.init(path: path, as: nil, onFailure: onFailure) }

    /// The same with other records than the packets themselves.
    package init(
        path: String, as recording: (any Recording)?,
        onFailure: @escaping @Sendable (IOError) -> Void
    ) throws(IOError) {
        self.recording = recording
        file = try OutputFile(path: path, mode: 0o600, kind: "capture")
        self.onFailure = onFailure
        var header: [UInt8] = []
        header.append(btsnoopHeader: .h4)
        state = Lock(State())
        try file.makePrivate()
        try file.write(header)
    }

    /// Why recording has stopped, for example because the disk is full. Recording never affects the link.
    public var failure: IOError? { state.withLock { $0.failure } }

    /// Records a packet with the current time. From any thread.
    public func record(_ packet: HCIPacket, direction: Direction) {
        record(packet, direction: direction, at: .now)
    }

    /// Records a packet. From any thread.
    public func record(_ packet: HCIPacket, direction: Direction, at time: CaptureTime) {
        state.withLock { state in
            guard state.failure == nil, !state.isClosed else { return }
            if let recording {
                state.buffer += recording.octets(of: packet, direction, at: time)
            } else {
                state.buffer.append(
                    btsnoopRecordOf: packet.encodedCount, direction.flag | (packet.isData ? 0 : 2),
                    at: time)
                state.buffer.append(packet.indicator)
                state.buffer.append(contentsOf: packet.body)
            }
            let sinceFlush = time - (state.lastFlush ?? time)
            if state.lastFlush == nil { state.lastFlush = time }
            // A clock that was set back must not keep packets in memory until it catches up.
            let isOverdue = sinceFlush < .zero || sinceFlush >= Self.flushInterval
            if isOverdue || state.buffer.count >= Self.flushThreshold {
                state.lastFlush = time
                write(&state)
            }
        }
    }

    /// Writes buffered packets to the file system. From any thread.
    public func flush() { state.withLock { write(&$0) } }

    /// Writes what is buffered, and what waits for further packets, as the controller is gone. From any thread.
    package func conclude() { state.withLock { conclude(&$0) } }

    private func conclude(_ state: inout State) {
        guard !state.isClosed else { return }
        if let recording { state.buffer += recording.finish() }
        write(&state)
    }

    /// Writes buffered packets and closes the file. From any thread; further calls do nothing.
    public func close() {
        state.withLock { state in
            conclude(&state)
            state.isClosed = true
            file.close()
        }
    }

    private func write(_ state: inout State) {
        guard !state.isClosed, state.failure == nil else { return }
        do throws(IOError) {
            try file.write(state.buffer)
        } catch {
            state.failure = error
            onFailure(error)
        }
        state.buffer.removeAll(keepingCapacity: true)
    }
}

extension HCIPacket {
    fileprivate var isData: Bool {
        switch self {
        case .command, .event: false
        case .acl: true
        }
    }
}

extension BtsnoopWriter.Direction {
    /// Bit 0 of the flags of a record: received. Bit 1 is set for a command or an event, not for data.
    package var flag: UInt32 { self == .received ? 1 : 0 }
}

extension [UInt8] {
    /// What stands before the records of a file.
    package mutating func append(btsnoopHeader datalink: CaptureFormat.Datalink) {
        append(contentsOf: "btsnoop\0".utf8)
        append(bigEndian: UInt32(1))
        append(bigEndian: datalink.rawValue)
    }

    /// What stands before a packet of so many octets, after which `missing` were not recorded.
    package mutating func append(
        btsnoopRecordOf count: Int, missing: Int = 0, _ flags: UInt32, at time: CaptureTime
    ) {
        append(bigEndian: UInt32(count) + UInt32(clamping: missing))
        append(bigEndian: UInt32(count))
        append(bigEndian: flags)
        append(bigEndian: UInt32(0))
        append(bigEndian: time.btsnoopStamp)
    }

    fileprivate mutating func append(bigEndian value: some FixedWidthInteger) {
        for shift in stride(from: value.bitWidth - 8, through: 0, by: -8) {
            append(UInt8(truncatingIfNeeded: value >> shift))
        }
    }
}
