import BluetoothLE
import CLinux
import Glibc
import Octets

@testable import HCITransports
@testable import LinuxIO

func mode(of path: String) -> mode_t? {
    var status = stat()
    return lstat(path, &status) == 0 ? status.st_mode & 0o777 : nil
}

func contents(of path: String) -> [UInt8]? {
    let descriptor = open(path, O_RDONLY)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var octets = [UInt8](repeating: 0, count: 65_536)
    let count = read(descriptor, &octets, octets.count)
    return count >= 0 ? Array(octets.prefix(count)) : nil
}

extension HCITransport.Configuration {
    /// Where nobody listens, nobody is waited for.
    static var impatient: Self {
        var configuration = Self()
        configuration.connectPatience = .zero
        return configuration
    }
}

/// Runs a body on a loop of its own, and ends the loop.
func onLoop<Value: Sendable>(
    _ clock: LoopClock, _ body: @escaping @Sendable (EventLoop) async throws -> Value
) async throws -> Value {
    let loop = try EventLoop(clock: clock)
    defer { loop.shutdown() }
    return try await Task(executorPreference: loop) { try await body(loop) }.value
}

/// The owner of a transport, as a host would be: an actor on the loop that is entered synchronously.
actor Owner {
    nonisolated let loop: EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    private let transport: HCITransport
    private var events: [HCITransport.Event] = []
    private var waiter: CheckedContinuation<HCITransport.Event, Never>?
    private(set) var closeCount = 0
    private var closesOnPacket = false

    init(
        _ moniker: TransportMoniker, on loop: EventLoop,
        configuration: HCITransport.Configuration = .init(),
        interfaces: any HCIInterfaces = LinuxHCIInterfaces()
    ) {
        self.loop = loop
        transport = HCITransport(
            moniker, on: loop, configuration: configuration, interfaces: interfaces)
    }

    func open() {
        transport.open { [self] event in assumeIsolated { $0.happened(event) } }
    }

    /// Opens the transport and waits until it is open; what it told before that is returned.
    func opened() async -> [HCITransport.Event] {
        open()
        return await waitUntilOpen()
    }

    func waitUntilOpen() async -> [HCITransport.Event] {
        var before: [HCITransport.Event] = []
        while true {
            let event = await next()
            if event == .opened { return before }
            before.append(event)
            if case .closed = event { return before }
        }
    }

    func send(_ packets: HCIPacket...) {
        for packet in packets { transport.send(packet) }
    }

    func close() { transport.close() }

    func closeOnPacket() { closesOnPacket = true }

    var pendingOctets: Int { transport.pendingOctets }

    /// The next event, in the order in which they happened.
    func next() async -> HCITransport.Event {
        if !events.isEmpty { return events.removeFirst() }
        return await withCheckedContinuation { continuation in
            if events.isEmpty {
                waiter = continuation
            } else {
                continuation.resume(returning: events.removeFirst())
            }
        }
    }

    /// Packets, however they were batched.
    func packets(_ count: Int) async -> [HCIPacket] {
        var packets: [HCIPacket] = []
        while packets.count < count {
            guard case .received(let batch) = await next() else { break }
            packets += batch
        }
        return packets
    }

    /// The error of the end, whatever came before it.
    func end() async -> IOError {
        while true {
            if case .closed(let error) = await next() { return error }
        }
    }

    /// The events that are there.
    func drain() -> [HCITransport.Event] { exchange(&events, with: []) }

    private func happened(_ event: HCITransport.Event) {
        if case .closed = event { closeCount += 1 }
        if case .received = event, closesOnPacket { transport.close() }
        if let waiter = exchange(&waiter, with: nil) {
            waiter.resume(returning: event)
        } else {
            events.append(event)
        }
    }
}

extension EventLoop {
    /// How often the loop wakes up in 20 ms in which nothing happens: twice is enough for the
    /// timer that measures them, a loop that spins needs thousands.
    func iterationsWhileIdle() async -> UInt64 {
        let before = iterations
        await withCheckedContinuation { continuation in
            execute { [self] in
                let timer = LoopTimer(on: self) { continuation.resume() }
                timer.deadline = now + .milliseconds(20)
            }
        }
        return iterations - before
    }

    /// Comes back when everything that was enqueued before has run, and a turn more.
    func settle() async {
        for _ in 0..<3 {
            await withCheckedContinuation { continuation in
                execute { continuation.resume() }
            }
        }
    }
}

/// A peer without manners: a blocking Unix socket.
struct RawPeer {
    /// Closed in the processes that exit tests start meanwhile: they would keep peers alive.
    private static let kind = CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)

    let descriptor: CInt

    /// Connects to the socket at `path`, or says why not.
    init(connectingTo path: String) throws {
        descriptor = socket(AF_UNIX, Self.kind, 0)
        try check(Self.withAddress(path) { connect(descriptor, $0, $1) })
    }

    private init(descriptor: CInt) { self.descriptor = descriptor }

    /// A listening socket at `path`, on which nobody accepts.
    static func listening(at path: String) throws -> RawPeer {
        let peer = RawPeer(descriptor: socket(AF_UNIX, kind, 0))
        try peer.check(withAddress(path) { bind(peer.descriptor, $0, $1) })
        try peer.check(listen(peer.descriptor, 1))
        return peer
    }

    func write(_ octets: [UInt8]) { _ = Glibc.write(descriptor, octets, octets.count) }

    func read(_ count: Int) -> [UInt8] {
        var octets = [UInt8](repeating: 0, count: count)
        let got = recv(descriptor, &octets, count, CInt(MSG_WAITALL))
        return Array(octets.prefix(max(got, 0)))
    }

    func close() { Glibc.close(descriptor) }

    private func check(_ result: CInt) throws {
        guard result < 0 else { return }
        let reason = errno
        close()
        throw IOError("raw peer", errno: reason)
    }

    private static func withAddress(
        _ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> CInt
    ) -> CInt {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
        let length = socklen_t(MemoryLayout<sockaddr_un>.size)
        return withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, length) }
        }
    }
}

/// HCI_Reset, its answer, and a little data.
enum Sample {
    static let reset = HCIPacket.command([0x03, 0x0C, 0x00])
    static let resetComplete = HCIPacket.event([0x0E, 0x04, 0x01, 0x03, 0x0C, 0x00])
    static let data = HCIPacket.acl([0x40, 0x20, 0x03, 0x00, 0xAA, 0xBB, 0xCC])
}
