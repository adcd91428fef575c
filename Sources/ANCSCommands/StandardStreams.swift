internal import CLinux
internal import Glibc
internal import LinuxIO
internal import Octets
internal import Synchronization

/// Standard output and standard error: whole lines, at once.
enum StandardStreams {
    /// Whether the line was written; `errno` says why it was not.
    @discardableResult
    static func writeLine(_ line: String) -> Bool { write(line + "\n", to: STDOUT_FILENO) }

    static func writeError(_ line: String) {
        _ = write(line + "\n", to: STDERR_FILENO)
    }

    /// Writes a line to standard output and never keeps the caller's thread, which links depend on,
    /// waiting for a slow reader: another thread does that, and the caller's task with it.
    static func deliver(_ line: String) async {
        let isWritten = output.withLockIfAvailable { _ in
            guard canTakeLine(of: line.utf8.count + 1) else { return false }
            writeLine(line)
            return true
        }
        if isWritten == true { return }
        await withTaskExecutorPreference(globalConcurrentExecutor) { await wait(toWrite: line) }
    }

    /// Held while a line is written, so that lines of several tasks do not mix.
    private static let output = Mutex<Void>(())

    @concurrent
    private static func wait(toWrite line: String) async {
        _ = output.withLock { _ in writeLine(line) }
    }

    /// What is ready takes so many octets at once, be it a pipe, a terminal or a file: pipe(7).
    private static func canTakeLine(of count: Int) -> Bool {
        var event = pollfd(fd: STDOUT_FILENO, events: Int16(POLLOUT), revents: 0)
        return count <= Int(PIPE_BUF) && poll(&event, 1, 0) == 1
    }

    /// Whether a person reads standard output and colours are wanted (no-color.org).
    static var isColored: Bool {
        isatty(STDOUT_FILENO) == 1 && getenv("NO_COLOR") == nil
    }

    private static func write(_ text: String, to descriptor: CInt) -> Bool {
        let octets = Array(text.utf8)
        var written = 0
        while written < octets.count {
            let count = octets.withUnsafeBytes { all in
                Glibc.write(descriptor, all.baseAddress?.advanced(by: written), all.count - written)
            }
            if count < 0, errno == EINTR { continue }
            if count < 0, errno == EAGAIN {
                var event = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                poll(&event, 1, -1)
                continue
            }
            guard count > 0 else { return false }
            written += count
        }
        return true
    }
}

/// The lines that a user or another program types, as long as there are any.
struct InputLines {
    /// A line that is longer is no command; what is beyond is dropped.
    private static let limit = 1024

    let lines: AsyncStream<String>

    /// Reads standard input on a loop. At most 64 lines wait; the oldest ones are kept.
    init(on loop: EventLoop) {
        let (lines, continuation) = AsyncStream<String>.makeStream(
            bufferingPolicy: .bufferingOldest(64))
        self.lines = lines
        loop.execute {
            let reader = LineReader(loop: loop, limit: Self.limit, continuation: continuation)
            reader.start()
        }
    }

    /// Confined to the loop's thread.
    private final class LineReader: @unchecked Sendable {
        /// How often a file is read that cannot be watched: 64 KiB in all.
        private static let maximumReads = 128

        private let loop: EventLoop
        private let limit: Int
        private let continuation: AsyncStream<String>.Continuation
        private var registration: DescriptorRegistration?
        private var timer: LoopTimer?
        private var line: [UInt8] = []

        init(loop: EventLoop, limit: Int, continuation: AsyncStream<String>.Continuation) {
            self.loop = loop
            self.limit = limit
            self.continuation = continuation
        }

        func start() {
            do throws(IOError) {
                registration = try loop.register(STDIN_FILENO, for: .readable) { [self] _ in
                    if isInBackground { waitForForeground() } else { readOnce() }
                }
            } catch {
                // An ordinary file cannot be watched, and need not be: it never blocks. It may have no
                // end, as /dev/zero, and what the queue of lines does not take is lost anyway.
                var count = 0
                while count < Self.maximumReads, readOnce() { count += 1 }
                finish()
            }
        }

        /// Whether reading would stop the process: its terminal is in use by another one.
        private var isInBackground: Bool {
            guard isatty(STDIN_FILENO) == 1 else { return false }
            let foreground = tcgetpgrp(STDIN_FILENO)
            return foreground >= 0 && foreground != getpgrp()
        }

        /// Looks again in a second: what is there to be read would wake the loop without end.
        private func waitForForeground() {
            if let registration = exchange(&registration, with: nil) {
                loop.unregister(registration)
            }
            let timer = LoopTimer(on: loop) { [self] in start() }
            timer.deadline = loop.now + .seconds(1)
            self.timer = timer
        }

        /// Whether there may be more.
        @discardableResult
        private func readOnce() -> Bool {
            var octets = [UInt8](repeating: 0, count: 512)
            let count = read(STDIN_FILENO, &octets, octets.count)
            if count < 0, errno == EINTR || errno == EAGAIN { return true }
            guard count > 0 else {
                finish()
                return false
            }
            for octet in octets.prefix(count) { take(octet) }
            return true
        }

        private func take(_ octet: UInt8) {
            if octet == UInt8(ascii: "\n") {
                continuation.yield(String(decoding: line, as: UTF8.self))
                line.removeAll(keepingCapacity: true)
            } else if line.count < limit {
                line.append(octet)
            }
        }

        private func finish() {
            if let registration = exchange(&registration, with: nil) {
                loop.unregister(registration)
            }
            continuation.finish()
        }
    }
}
