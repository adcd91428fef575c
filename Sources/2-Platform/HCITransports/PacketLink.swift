internal import LinuxIO
internal import BluetoothTypes
internal import CLinux
internal import Glibc

/// An open descriptor for H4 packets: the part of a transport between `.opened` and the end. On the loop's
/// thread only.
final class PacketLink: @unchecked Sendable {
    // Unchecked: see the type's comment; its owner checks.

    enum Kind {
        case tcp
        case unix
        /// A terminal: a stream of octets in each direction.
        case stream
        /// A device on which each write is one packet.
        case packets
    }

    /// The size of a read in octets: a few dozen packets of the usual size.
    private static let readSize = 16_384
    /// How many reads follow a failed write, to get what the peer sent before.
    private static let lastReads = 64

    private enum ReadOutcome {
        case received
        case nothing
        case failed(IOError)
    }

    private let descriptor: OwnedDescriptor
    private let kind: Kind
    /// Weak: the loop holds the link, and only its owner may hold the transport.
    private weak var transport: HCITransport?
    private let moniker: TransportMoniker
    private let loop: EventLoop
    private let capture: BtsnoopWriter?
    private let tap: PacketTap?
    /// Set while recorded packets are not in the file yet.
    private let captureTimer: LoopTimer
    private let sendLimit: Int
    private var registration: DescriptorRegistration?
    private var framer = H4Framer()
    private var output: OutputBuffer
    private var input = [UInt8](repeating: 0, count: readSize)
    private var isFlushScheduled = false
    private var isBlocked = false
    private var isClosed = false

    init(_ descriptor: OwnedDescriptor, kind: Kind, of transport: HCITransport) {
        (self.descriptor, self.kind, self.transport) = (descriptor, kind, transport)
        moniker = transport.moniker
        loop = transport.loop
        capture = transport.configuration.capture
        tap = transport.configuration.tap
        captureTimer = LoopTimer(on: loop) { [capture] in capture?.flush() }
        sendLimit = transport.configuration.sendLimit
        output = OutputBuffer(
            isSocket: kind == .tcp || kind == .unix, writesSinglePackets: kind == .packets)
    }

    var pendingOctets: Int { output.count }

    func start() throws(IOError) {
        // Commands are smaller than a segment: without this, each waits for the ACK of the previous one.
        if kind == .tcp { setTCPOption(TCP_NODELAY) }
        registration = try loop.register(descriptor.number, for: .readable) { [self] readiness in
            isReady(readiness)
        }
    }

    func close() {
        guard !isClosed else { return }
        isClosed = true
        captureTimer.deadline = nil
        if let registration { loop.unregister(registration) }
        if !isBlocked { _ = output.write(to: descriptor.number) }
        descriptor.close()
    }

    // MARK: Sending

    func send(_ packet: HCIPacket) {
        record(packet, .sent)
        output.append(packet)
        guard !isFlushScheduled, !isBlocked || output.count > sendLimit else { return }
        isFlushScheduled = true
        loop.afterThisTurn { [self] in
            isFlushScheduled = false
            flush()
        }
    }

    private func flush() {
        guard !isClosed else { return }
        switch output.write(to: descriptor.number) {
        case .drained: watchWritability(false)
        case .blocked where output.count > sendLimit:
            finish(
                IOError(
                    .sendLimitExceeded,
                    "\(moniker) does not read: \(output.count) octets are waiting to be sent"))
        case .blocked: watchWritability(true)
        case .failed(let errno): finishAfterWriteFailure(errno)
        }
    }

    private func watchWritability(_ shouldWatch: Bool) {
        guard shouldWatch != isBlocked, let registration else { return }
        isBlocked = shouldWatch
        loop.update(registration, for: shouldWatch ? [.readable, .writable] : .readable)
    }

    /// What a lost peer sent last can still be read.
    private func finishAfterWriteFailure(_ errno: CInt) {
        for _ in 0..<Self.lastReads { guard !isClosed, case .received = readOnce() else { break } }
        finish(IOError("cannot send to \(moniker)", errno: errno))
    }

    // MARK: Receiving

    private func isReady(_ readiness: DescriptorReadiness) {
        if readiness.contains(.readable) || readiness.contains(.hangUp) {
            switch readOnce() {
            case .received: break
            case .nothing where readiness.contains(.hangUp):
                finish(IOError(.hangUp, "\(moniker) hung up"))
            case .nothing: break
            case .failed(let error): finish(error)
            }
        }
        if readiness.contains(.writable) { flush() }
    }

    private func readOnce() -> ReadOutcome {
        // Some controllers write a packet in two halves without TCP_NODELAY, and the second half waits for
        // our ACK, which Linux delays by 40 ms unless this option is set. It is not permanent: tcp(7).
        if kind == .tcp { setTCPOption(TCP_QUICKACK) }
        let count = uninterrupted { read(descriptor.number, &input, input.count) }
        guard count >= 0 else {
            if errno == EAGAIN { return .nothing }
            return .failed(IOError("the connection to \(moniker) was lost", errno: errno))
        }
        guard count > 0 else {
            return .failed(IOError(.endOfStream, "\(moniker) closed the connection"))
        }
        return deliver(count)
    }

    private func deliver(_ count: Int) -> ReadOutcome {
        let (packets, failure) = split(input.span.extracting(first: count), &framer)
        if !packets.isEmpty { transport?.didReceive(packets) }
        guard let failure else { return .received }
        return .failed(
            IOError(.framingLost, "\(moniker) does not send H4 packets: \(text(of: failure))"))
    }

    /// One access to the framer for all packets, because Swift checks each access.
    private func split(
        _ octets: Span<UInt8>, _ framer: inout H4Framer
    ) -> (packets: [HCIPacket], failure: H4Framer.Failure?) {
        var octets = octets
        var packets: [HCIPacket] = []
        packets.reserveCapacity(4)
        while let found = framer.next(from: &octets) {
            switch consume found {
            case .packet(let packet):
                record(packet, .received)
                packets.append(packet)
            case .failed(let reason): return (packets, reason)
            }
        }
        return (packets, nil)
    }

    private func text(of failure: H4Framer.Failure) -> String {
        switch failure {
        case .unknownIndicator(let indicator): "\(indicator) is not a packet indicator"
        case .tooLong(let indicator, let length):
            "a packet with indicator \(indicator) claims \(length) octets"
        }
    }

    // MARK: Ending

    private func finish(_ error: IOError) {
        // The owner may have closed the transport while it handled packets.
        guard !isClosed else { return }
        transport?.finish(moniker.isRemovableDevice ? Self.removal(error, of: moniker) : error)
    }

    /// A device that has disappeared can cause various errors: an error of a pipe (a User Channel), an input
    /// error (a terminal), the end of a file, or ENODEV. They all mean the same.
    private static func removal(_ error: IOError, of moniker: TransportMoniker) -> IOError {
        switch error.code {
        case .hangUp, .endOfStream, .notFound:
            IOError(
                .hangUp, errno: error.errno,
                "\(moniker) has disappeared: it was unplugged, or its driver has reset it")
        default: error
        }
    }

    /// Recorded packets reach the file within a second, also when the link becomes idle.
    private func record(_ packet: HCIPacket, _ direction: BtsnoopWriter.Direction) {
        tap?(packet, direction, loop.now)
        guard let capture else { return }
        capture.record(packet, direction: direction, at: loop.captureTime)
        if captureTimer.deadline == nil { captureTimer.deadline = loop.now + .seconds(1) }
    }

    private func setTCPOption(_ option: CInt) {
        var on: CInt = 1
        setsockopt(
            descriptor.number, CInt(IPPROTO_TCP), option, &on, socklen_t(MemoryLayout<CInt>.size))
    }
}
