import Glibc
import LinuxIO
import Octets
import Testing

@testable import DBus

/// A bus of its own for one test, and the loop of the connections to it.
final class TestBus: Sendable {
    let loop: EventLoop
    let address: String
    private let daemon: pid_t

    /// Runs a test with a bus, which ends with it.
    static func with(_ body: (TestBus) async throws -> Void) async throws {
        let directory = try makeTemporaryDirectory()
        let bus = try TestBus(in: directory)
        defer {
            bus.loop.shutdown()
            bus.kill()
            var status: CInt = 0
            waitpid(bus.daemon, &status, 0)
            for name in ["bus", "bus.conf"] { unlink("\(directory)/\(name)") }
            rmdir(directory)
        }
        try await body(bus)
    }

    private init(in directory: String) throws {
        let configuration = """
            <busconfig>
              <type>session</type>
              <listen>unix:path=\(directory)/bus</listen>
              <auth>EXTERNAL</auth>
              <policy context="default">
                <allow send_destination="*"/><allow receive_sender="*"/><allow own="*"/>
              </policy>
            </busconfig>
            """
        let file = fopen("\(directory)/bus.conf", "w")
        try #require(file != nil)
        fputs(configuration, file)
        fclose(file)
        let (reading, writing) = try makePipe()
        defer { close(reading) }
        daemon = try spawn(
            [
                "dbus-daemon", "--config-file=\(directory)/bus.conf", "--nofork", "--nopidfile",
                "--print-address=1",
            ], output: writing)
        close(writing)
        // It says where it is when it can be connected to.
        address = line(from: reading)
        try #require(address.hasPrefix("unix:"), "is dbus-daemon installed?")
        loop = try EventLoop()
    }

    /// The bus goes, without a word.
    func kill() { Glibc.kill(daemon, SIGKILL) }

    /// Holds the loop's thread up until the closure is called.
    func standStill() async throws -> @Sendable () -> Void {
        let (reading, writing) = try makePipe()
        let standsStill = Box(false)
        loop.execute {
            standsStill.value = true
            var octet: UInt8 = 0
            _ = read(reading, &octet, 1)
            close(reading)
        }
        while !standsStill.value { await Task.yield() }
        return { close(writing) }
    }

    /// Another connection, which the bus has greeted.
    func connect(on other: EventLoop? = nil) async throws -> TestPeer {
        let peer = TestPeer(try BusConnection(.address(address), on: other ?? loop))
        await peer.run { [ends = peer.ends.continuation] in $0.open { ends.yield($0) } }
        _ = try await peer.bus("GetId").get()
        return peer
    }
}

/// A connection, from outside of its loop.
struct TestPeer: Sendable {
    let connection: BusConnection
    /// What it was told of its end.
    let ends = AsyncStream<BusError>.makeStream()

    init(_ connection: BusConnection) { self.connection = connection }

    /// Does something with the connection, on its loop.
    func run<Value: Sendable>(
        _ body: @escaping @Sendable (BusConnection) -> Value
    ) async -> Value {
        await withCheckedContinuation { continuation in
            connection.loop.execute { [connection] in
                continuation.resume(returning: body(connection))
            }
        }
    }

    /// Calls a method; a second answer would trap.
    func call(
        _ call: BusCall, within limit: Duration = .seconds(600)
    ) async -> Result<[BusValue], BusError> {
        await withCheckedContinuation { continuation in
            connection.loop.execute { [connection] in
                connection.call(call, within: limit) { continuation.resume(returning: $0) }
            }
        }
    }

    /// Calls the bus itself, which answers after everything that was sent before has been passed on.
    @discardableResult
    func bus(_ member: String, _ arguments: [BusValue] = []) async -> Result<[BusValue], BusError> {
        await call(.bus(member, arguments))
    }

    var name: String {
        get async throws { try #require(await run(\.uniqueName)) }
    }

    /// Asks for a name, which is free.
    func own(_ name: String) async throws {
        let outcome = await withCheckedContinuation { continuation in
            connection.loop.execute { [connection] in
                connection.requestName(name) { continuation.resume(returning: $0) }
            }
        }
        #expect(try outcome.get() == .owned)
    }

    /// Has an object answer calls.
    @discardableResult
    func export(
        _ path: ObjectPath, handler: @escaping @Sendable (BusMethodCall, BusReply) -> Void
    ) async -> BusExport {
        await run { $0.export(path, handler: handler) }
    }

    /// The signals that are told from now on.
    func signals(_ match: BusMatch) async -> (BusSubscription, AsyncStream<BusSignal>) {
        let (stream, continuation) = AsyncStream<BusSignal>.makeStream()
        let subscription = await run {
            $0.signals(match) { signal in continuation.yield(signal) }
        }
        await bus("GetId")
        return (subscription, stream)
    }

    /// Sends a signal, and returns when it was passed on.
    func emit(_ member: String, _ arguments: [BusValue] = [], to destination: String? = nil) async {
        await run {
            let signal = BusSignal("/test", "org.test.Interface", member, arguments)
            do { try $0.emit(signal, to: destination) } catch { Issue.record(error) }
        }
        await bus("GetId")
    }
}

extension BusCall {
    /// A call of the object that the tests export.
    static func test(
        _ destination: String, _ member: String, _ arguments: [BusValue] = []
    ) -> BusCall {
        BusCall(destination, "/test", "org.test.Interface", member, arguments)
    }
}

/// What a handler was given, from any thread.
final class Box<Value: Sendable>: @unchecked Sendable {
    // Unchecked: the value is behind the lock.
    private let lock: Lock<Value>
    init(_ value: Value) { lock = Lock(value) }
    var value: Value {
        get { lock.withLock { $0 } }
        set { lock.withLock { $0 = newValue } }
    }
}

extension AsyncStream where Element: Sendable {
    /// The first elements.
    func first(_ count: Int) async -> [Element] {
        var elements: [Element] = []
        guard count > 0 else { return [] }
        for await element in self {
            elements.append(element)
            if elements.count == count { break }
        }
        return elements
    }
}

// MARK: The system

func makeTemporaryDirectory() throws -> String {
    var template = Array("/tmp/swift-ancs-test-XXXXXX".utf8CString)
    try #require(mkdtemp(&template) != nil)
    return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
}

func makePipe() throws -> (reading: CInt, writing: CInt) {
    var ends: [CInt] = [-1, -1]
    try #require(pipe(&ends) == 0)
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return (ends[0], ends[1])
}

/// Two ends that keep messages apart, as BlueZ gives one of.
func makeSocketPair() throws -> (CInt, CInt) {
    var ends: [CInt] = [-1, -1]
    let kind = CInt(SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue)
    try #require(socketpair(AF_UNIX, kind, 0, &ends) == 0)
    return (ends[0], ends[1])
}

/// Starts a program whose output goes to a descriptor.
func spawn(_ arguments: [String], output: CInt) throws -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, output, 1)
    // It says that it may not have as many descriptors as it would like.
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
    var process: pid_t = 0
    var words = arguments.map { strdup($0) } + [nil]
    defer { for word in words { free(word) } }
    let result = posix_spawnp(&process, arguments[0], &actions, nil, &words, environ)
    try #require(result == 0, "\(arguments[0]) cannot be started")
    return process
}

/// What a program writes until the end of a line.
private func line(from descriptor: CInt) -> String {
    var octets: [UInt8] = []
    var octet: UInt8 = 0
    while read(descriptor, &octet, 1) == 1, octet != UInt8(ascii: "\n") { octets.append(octet) }
    return String(decoding: octets, as: UTF8.self)
}
