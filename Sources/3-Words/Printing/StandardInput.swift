internal import CLinux
internal import Glibc
package import LinuxIO

/// Lines read from standard input.
package struct InputLines: Sendable {
    private let waiting: AsyncStream<String>
    private let reader: Reader

    /// Reads standard input on a loop. While 64 lines are queued, no more are read, so the writer is slowed
    /// down.
    package init(on loop: EventLoop) {
        let (lines, continuation) = AsyncStream<String>.makeStream()
        waiting = lines
        reader = Reader(on: loop, continuation)
        loop.execute { [reader] in reader.input?.start() }
    }

    /// The lines, for one reader.
    package var lines: some AsyncSequence<String, Never> & Sendable {
        waiting.map { [reader] line in
            reader.loop.execute { reader.taken() }
            return line
        }
    }

    /// Used on the loop's thread only.
    private final class Reader: @unchecked Sendable {
        // Unchecked: see the type's comment.

        /// The longest line in octets; the rest of a longer line is dropped.
        private static let maximumLength = 65_536
        private static let maximumWaiting = 64

        let loop: EventLoop
        private(set) var input: StandardInput?
        private let continuation: AsyncStream<String>.Continuation
        private var line: [UInt8] = []
        private var waiting = 0

        init(on loop: EventLoop, _ continuation: AsyncStream<String>.Continuation) {
            self.loop = loop
            self.continuation = continuation
            input = StandardInput(on: loop) { [weak self] octet in self?.receive(octet) }
        }

        private func receive(_ octet: UInt8?) {
            guard let octet else { return continuation.finish() }
            if octet == UInt8(ascii: "\n") {
                continuation.yield(String(decoding: line, as: UTF8.self))
                line.removeAll(keepingCapacity: true)
                waiting += 1
                if waiting == Self.maximumWaiting { input?.pause() }
            } else if line.count < Self.maximumLength {
                line.append(octet)
            }
        }

        func taken() {
            waiting -= 1
            if waiting == Self.maximumWaiting / 2 { input?.resume() }
        }
    }
}

/// Reads the octets of standard input. Used on the loop's thread only.
package final class StandardInput: @unchecked Sendable {
    // Unchecked: see the type's comment.

    /// How often a file that cannot be watched is read without a pause, 512 octets each time; then it counts
    /// as ended.
    private static let maximumReads = 128

    private let loop: EventLoop
    private let deliver: (UInt8?) -> Void
    private var registration: DescriptorRegistration?
    private var timer: LoopTimer?
    private var isPaused = false
    private var hasEnded = false

    /// Creates a paused reader. `deliver` is called with each octet, and with `nil` at the end.
    package init(on loop: EventLoop, deliver: @escaping (UInt8?) -> Void) {
        self.loop = loop
        self.deliver = deliver
    }

    package func start() {
        do throws(IOError) {
            registration = try loop.register(STDIN_FILENO, for: .readable) { [self] _ in
                if Self.isInBackground { waitForForeground() } else { readOnce() }
            }
        } catch {
            // An ordinary file cannot be watched, but never blocks either. The limit is for endless files
            // without lines, such as /dev/zero.
            var count = 0
            while count < Self.maximumReads, !isPaused, readOnce() { count += 1 }
            if !isPaused { stop() }
        }
    }

    /// Stops reading until ``resume()``.
    package func pause() {
        isPaused = true
        if let registration = exchange(&registration, with: nil) { loop.unregister(registration) }
    }

    /// Continues reading after ``pause()``.
    package func resume() {
        guard exchange(&isPaused, with: false), !hasEnded else { return }
        start()
    }

    /// Stops reading for good.
    package func stop() {
        guard !exchange(&hasEnded, with: true) else { return }
        timer?.deadline = nil
        timer = nil
        if let registration = exchange(&registration, with: nil) { loop.unregister(registration) }
        deliver(nil)
    }

    /// Whether reading would suspend the process, because another one uses its terminal.
    package static var isInBackground: Bool {
        guard isatty(STDIN_FILENO) == 1 else { return false }
        let foreground = tcgetpgrp(STDIN_FILENO)
        return foreground >= 0 && foreground != getpgrp()
    }

    /// Checks again in a second; watching the descriptor would wake the loop continually.
    private func waitForForeground() {
        if let registration = exchange(&registration, with: nil) { loop.unregister(registration) }
        let timer = LoopTimer(on: loop) { [self] in start() }
        timer.deadline = loop.now + .seconds(1)
        self.timer = timer
    }

    /// Reads once. Returns whether there may be more.
    @discardableResult private func readOnce() -> Bool {
        var octets = [UInt8](repeating: 0, count: 512)
        let count = read(STDIN_FILENO, &octets, octets.count)
        if count < 0, errno == EINTR || errno == EAGAIN { return true }
        guard count > 0 else {
            stop()
            return false
        }
        for octet in octets.prefix(count) where !hasEnded { deliver(octet) }
        return !hasEnded
    }
}
