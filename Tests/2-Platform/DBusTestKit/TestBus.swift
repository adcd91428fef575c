internal import DBus
package import Glibc
package import LinuxIO
internal import Octets

/// A bus of its own for one test, and the loop of the connections to it.
package final class TestBus: Sendable {
    /// Why there is no such bus.
    package struct Failure: Error {
        let message: String
    }

    package let loop: EventLoop
    package let address: String
    private let daemon: pid_t

    /// Runs a test with a bus, which ends with it.
    package static func with(_ body: (TestBus) async throws -> Void) async throws {
        let directory = try TemporaryDirectory()
        let bus = try TestBus(in: directory.path)
        defer {
            bus.loop.shutdown()
            bus.kill()
            var status: CInt = 0
            waitpid(bus.daemon, &status, 0)
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
        guard let file = fopen("\(directory)/bus.conf", "w") else {
            throw Failure(message: "the configuration of the bus cannot be written")
        }
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
        guard address.hasPrefix("unix:") else {
            throw Failure(message: "there is no bus: is dbus-daemon installed?")
        }
        loop = try EventLoop()
    }

    /// The bus goes, without a word.
    package func kill() { Glibc.kill(daemon, SIGKILL) }

    /// Holds the loop's thread up while the body runs. It goes on if the body throws too: the end of a test
    /// waits for the loop.
    package func holdUp<Value: Sendable>(_ body: () async throws -> Value) async throws -> Value {
        let (reading, writing) = try makePipe()
        defer { close(writing) }
        let standsStill = Box(false)
        loop.execute {
            standsStill.value = true
            var octet: UInt8 = 0
            _ = read(reading, &octet, 1)
            close(reading)
        }
        while !standsStill.value { await Task.yield() }
        return try await body()
    }

    /// Another connection, which the bus has greeted.
    package func connect(on other: EventLoop? = nil) async throws -> TestPeer {
        let loop = other ?? loop
        let peer = TestPeer(try BusConnection(.address(address), on: loop), on: loop)
        await peer.run { [ends = peer.ends.continuation] in $0.open { ends.yield($0) } }
        _ = try await peer.bus("GetId").get()
        return peer
    }
}

/// What a handler was given, from any thread.
package final class Box<Value: Sendable>: @unchecked Sendable {
    // Unchecked: the value is behind the lock.
    private let lock: Lock<Value>
    package init(_ value: Value) { lock = Lock(value) }
    package var value: Value {
        get { lock.withLock { $0 } }
        set { lock.withLock { $0 = newValue } }
    }
}

// MARK: The system

/// Two connected sockets, one to read and one to write. A program that another test starts would inherit a pipe,
/// and keep it open, until both ends are marked as close-on-exec: pipe2(2) is not visible in Swift.
package func makePipe() throws -> (reading: CInt, writing: CInt) {
    let (reading, writing) = try makeSocketPair(SOCK_STREAM)
    return (reading, writing)
}

/// Two connected sockets. Those that BlueZ hands out keep messages apart.
package func makeSocketPair(_ type: __socket_type = SOCK_SEQPACKET) throws -> (CInt, CInt) {
    var ends: [CInt] = [-1, -1]
    let kind = CInt(type.rawValue | SOCK_CLOEXEC.rawValue)
    guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else {
        throw IOError("make a pair of sockets", errno: errno)
    }
    return (ends[0], ends[1])
}

/// Starts a program whose output goes to a descriptor.
package func spawn(_ arguments: [String], output: CInt) throws -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, output, 1)
    // It says that it may not have as many descriptors as it would like.
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
    // Threads of tests have signals blocked, which programs take over.
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
    var process: pid_t = 0
    var words = arguments.map { strdup($0) } + [nil]
    defer { for word in words { free(word) } }
    let result = posix_spawnp(&process, arguments[0], &actions, &attributes, &words, environ)
    guard result == 0 else { throw IOError("start \(arguments[0])", errno: result) }
    return process
}

/// What a program writes until the end of a line.
private func line(from descriptor: CInt) -> String {
    var octets: [UInt8] = []
    var octet: UInt8 = 0
    while read(descriptor, &octet, 1) == 1, octet != UInt8(ascii: "\n") { octets.append(octet) }
    return String(decoding: octets, as: UTF8.self)
}
