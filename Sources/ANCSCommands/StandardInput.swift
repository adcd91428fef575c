internal import CLinux
internal import Glibc
internal import LinuxIO
internal import Octets

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
        var line: [UInt8] = []
        let input = StandardInput(on: loop) { octet in
            guard let octet else { return continuation.finish() }
            if octet == UInt8(ascii: "\n") {
                continuation.yield(String(decoding: line, as: UTF8.self))
                line.removeAll(keepingCapacity: true)
            } else if line.count < Self.limit {
                line.append(octet)
            }
        }
        loop.execute { input.start() }
    }
}

/// The octets of standard input. Confined to the loop's thread.
final class StandardInput: @unchecked Sendable {
    // Unchecked: see the type's comment.

    /// How often a file is read that cannot be watched: 64 KiB in all.
    private static let maximumReads = 128

    private let loop: EventLoop
    private let deliver: (UInt8?) -> Void
    private var registration: DescriptorRegistration?
    private var timer: LoopTimer?

    /// Not read yet; `deliver` is given each octet, and `nil` at the end.
    init(on loop: EventLoop, deliver: @escaping (UInt8?) -> Void) {
        self.loop = loop
        self.deliver = deliver
    }

    func start() {
        do throws(IOError) {
            registration = try loop.register(STDIN_FILENO, for: .readable) { [self] _ in
                if Self.isInBackground { waitForForeground() } else { readOnce() }
            }
        } catch {
            // An ordinary file cannot be watched, and need not be: it never blocks. It may have no end,
            // as /dev/zero, and what the queue of lines does not take is lost anyway.
            var count = 0
            while count < Self.maximumReads, readOnce() { count += 1 }
            stop()
        }
    }

    /// Nothing more is read.
    func stop() {
        timer?.deadline = nil
        timer = nil
        if let registration = exchange(&registration, with: nil) { loop.unregister(registration) }
        deliver(nil)
    }

    /// Whether reading would stop the process: its terminal is in use by another one.
    static var isInBackground: Bool {
        guard isatty(STDIN_FILENO) == 1 else { return false }
        let foreground = tcgetpgrp(STDIN_FILENO)
        return foreground >= 0 && foreground != getpgrp()
    }

    /// Looks again in a second: what is there to be read would wake the loop without end.
    private func waitForForeground() {
        if let registration = exchange(&registration, with: nil) { loop.unregister(registration) }
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
            stop()
            return false
        }
        for octet in octets.prefix(count) { deliver(octet) }
        return true
    }
}
