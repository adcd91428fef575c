internal import Glibc
internal import Synchronization

/// Standard output and standard error: whole lines, at once.
enum StandardStreams {
    /// Whether the line was written; if not, that was said.
    @discardableResult
    static func writeLine(_ line: String) -> Bool { write(line + "\n") }

    static func writeError(_ line: String) {
        _ = write(line + "\n", to: STDERR_FILENO)
    }

    /// Writes what is no line, such as a prompt, to standard output.
    @discardableResult
    static func write(_ text: String) -> Bool {
        let isWritten = write(text, to: STDOUT_FILENO)
        if !isWritten { WriteFailures.outputFailed(errno) }
        return isWritten
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

    /// The columns of the terminal that standard output is, or `nil` where it is none.
    static var columns: Int? { window?.columns }

    /// The size of the terminal that standard output is, or `nil` where it is none. `COLUMNS` and `LINES`
    /// go first, as everywhere; a terminal that does not know has 80 and 24.
    static var window: (columns: Int, rows: Int)? {
        guard isatty(STDOUT_FILENO) == 1 else { return nil }
        var size = winsize()
        if ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) != 0 { size = winsize() }
        return (
            wanted("COLUMNS") ?? (size.ws_col > 0 ? Int(size.ws_col) : 80),
            wanted("LINES") ?? (size.ws_row > 0 ? Int(size.ws_row) : 24)
        )
    }

    private static func wanted(_ variable: String) -> Int? {
        getenv(variable).flatMap { size(String(cString: $0)) }
    }

    /// A size that the user wants, as far as a terminal can have it: 16 bits (ioctl_tty(2)).
    static func size(_ text: String) -> Int? {
        Int(text).flatMap { $0 > 0 ? min($0, Int(UInt16.max)) : nil }
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
