import CLinux
import Glibc
import LinuxIO
import Testing

/// The signals that a source has told of; a test waits for the next.
private final class Told: Sendable {
    private let stream: AsyncStream<CInt>
    private let continuation: AsyncStream<CInt>.Continuation

    init() { (stream, continuation) = AsyncStream.makeStream() }

    func take(_ number: CInt) { continuation.yield(number) }

    /// Each signal ends its process at once where it is not taken, so that they come one by one.
    func next() async -> CInt? {
        var iterator = stream.makeAsyncIterator()
        return await iterator.next()
    }
}

/// A write that no reader ends.
private func writeForEver() {
    var ends: [CInt] = [-1, -1]
    pipe(&ends)
    let octets = [UInt8](repeating: 0, count: 1 << 20)
    while true { _ = write(ends[1], octets, octets.count) }
}

/// What a child of this thread would ignore and block.
private func inherited() -> [Substring] {
    let status = String(
        decoding: contents(of: "/proc/thread-self/status") ?? [], as: UTF8.self)
    return status.split(separator: "\n").filter {
        $0.hasPrefix("SigIgn") || $0.hasPrefix("SigBlk")
    }
}

/// Another thread may take a signal that ends the process: this one does not end it before.
private func awaitEnd() -> Never { while true { pause() } }

@Suite("Signals as events")
struct SignalSourceTests {
    @Test("a signal is an event on the loop until its source is cancelled")
    func events() async {
        await #expect(processExitsWith: .signal(SIGTERM)) {
            let loop = try EventLoop()
            let told = Told()
            let source = try SignalSource([SIGTERM, SIGUSR1], on: loop) { number in
                guard loop.isCurrent else { exit(9) }
                told.take(number)
            }
            #expect(throws: IOError.self) { try SignalSource([SIGTERM], on: loop) { _ in } }
            for number in [SIGUSR1, SIGTERM, SIGUSR1] {
                kill(getpid(), number)
                guard await told.next() == number else { exit(9) }
            }
            source.cancel()
            kill(getpid(), SIGTERM)
            awaitEnd()
        }
    }

    @Test("a second request to end ends the process although everything is blocked")
    func secondRequest() async {
        await #expect(processExitsWith: .signal(SIGINT)) {
            let loop = try EventLoop()
            let told = Told()
            let source = try SignalSource([SIGINT, SIGTERM], on: loop) { told.take($0) }
            kill(getpid(), SIGTERM)
            guard await told.next() == SIGTERM else { exit(9) }
            loop.execute { writeForEver() }
            kill(getpid(), SIGINT)
            withExtendedLifetime(source) { awaitEnd() }
        }
    }

    @Test("a request counts even if its loop is blocked")
    func requestToBlockedLoop() async {
        await #expect(processExitsWith: .signal(SIGTERM)) {
            let loop = try EventLoop()
            let source = try SignalSource([SIGTERM], on: loop) { _ in exit(9) }
            loop.execute { writeForEver() }
            // Two signals that wait at the same time are one: signal(7).
            while true { kill(getpid(), SIGTERM) }
            withExtendedLifetime(source) {}
        }
    }

    @Test("a run that does not end on request is ended by the formerly ignored signal")
    func ignoredBefore() async {
        await #expect(processExitsWith: .signal(SIGINT)) {
            signal(SIGINT, SIG_IGN)
            let loop = try EventLoop()
            let told = Told()
            let source = try SignalSource([SIGINT, SIGTERM], on: loop) { told.take($0) }
            kill(getpid(), SIGINT)
            guard await told.next() == SIGINT else { exit(9) }
            source.cancel()
            kill(getpid(), SIGINT)
            awaitEnd()
        }
        await #expect(processExitsWith: .success) {
            signal(SIGINT, SIG_IGN)
            let loop = try EventLoop()
            try SignalSource([SIGINT, SIGTERM], on: loop) { _ in exit(9) }.cancel()
            kill(getpid(), SIGINT)
            loop.shutdown()
        }
    }

    @Test("other signals, and requests to an earlier run, do not count")
    func forgottenRequest() async {
        await #expect(processExitsWith: .success) {
            let loop = try EventLoop()
            let told = Told()
            for _ in 1...2 {
                let source = try SignalSource([SIGINT, SIGTERM], on: loop) { told.take($0) }
                kill(getpid(), SIGINT)
                guard await told.next() == SIGINT else { exit(9) }
                SignalSource.forgetRequest()
                kill(getpid(), SIGTERM)
                guard await told.next() == SIGTERM else { exit(9) }
                source.cancel()
            }
            loop.shutdown()
        }
    }

    @Test("nothing is ignored or blocked for it, which children would inherit")
    func inheritance() async {
        await #expect(processExitsWith: .success) {
            let loop = try EventLoop()
            // The same thread is asked, for each has its own mask.
            let lines = Lock<[[Substring]]>([])
            let told = Told()
            loop.execute { lines.withLock { $0.append(inherited()) } }
            let source = try SignalSource([SIGINT, SIGTERM], on: loop) { number in
                lines.withLock { $0.append(inherited()) }
                told.take(number)
            }
            kill(getpid(), SIGTERM)
            guard await told.next() == SIGTERM else { exit(9) }
            lines.withLock { lines in
                guard lines.count == 2, lines[0].count == 2, lines[0] == lines[1] else { exit(9) }
            }
            source.cancel()
            loop.shutdown()
        }
    }

    @Test("a terminal is given back as it was when a second request ends the process")
    func terminal() async throws {
        var (controlling, serial): (CInt, CInt) = (-1, -1)
        let name = CText.written(capacity: 64) {
            clinux_pseudo_terminal_open(&controlling, &serial, $0, $1)
        }
        try #require(name.result == 0)
        defer {
            close(controlling)
            close(serial)
        }
        let path = name.text
        var before = termios()
        tcgetattr(serial, &before)
        before.c_lflag |= tcflag_t(ECHO)
        tcsetattr(serial, TCSANOW, &before)
        await #expect(processExitsWith: .signal(SIGTERM)) { [path = path as String] in
            let terminal = open(path, O_RDWR | O_NOCTTY)
            var settings = termios()
            guard tcgetattr(terminal, &settings) == 0 else { exit(9) }
            clinux_terminal_keep(terminal, &settings, "farewell")
            settings.c_lflag &= ~tcflag_t(ECHO)
            tcsetattr(terminal, TCSANOW, &settings)
            let loop = try EventLoop()
            let told = Told()
            let source = try SignalSource([SIGTERM], on: loop) { told.take($0) }
            kill(getpid(), SIGTERM)
            guard await told.next() == SIGTERM else { exit(9) }
            kill(getpid(), SIGTERM)
            withExtendedLifetime(source) { awaitEnd() }
        }
        var after = termios()
        #expect(tcgetattr(serial, &after) == 0)
        #expect(after.c_lflag == before.c_lflag)
        var octets = [UInt8](repeating: 0, count: 64)
        let count = read(controlling, &octets, octets.count)
        #expect(Array("farewell".utf8) == Array(octets.prefix(max(0, count))))
    }
}
