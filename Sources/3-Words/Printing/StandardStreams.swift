internal import CLinux
internal import Glibc
internal import LinuxIO
internal import Synchronization

/// Writes whole lines to standard output and standard error, unbuffered.
package enum StandardStreams {
    /// Writes a line to standard output. Returns whether that succeeded; a failure has been reported.
    @discardableResult
    package static func writeLine(_ line: String) -> Bool { write(folded(line) + "\n") }

    package static func writeError(_ line: String) {
        let line = isatty(STDERR_FILENO) == 1 ? folded(line) : line
        _ = OutputDescriptor.write(octets(of: line, "\n", for: STDERR_FILENO), to: STDERR_FILENO)
    }

    /// The text as it fits on standard output, if that is a terminal: no word is broken at its edge.
    private static func folded(_ text: String) -> String {
        guard let columns else { return text }
        return text.split(separator: "\n", omittingEmptySubsequences: false)
            .flatMap { FoldedLine.lines(of: String($0), width: columns) }.joined(separator: "\n")
    }

    /// The octets of a text and of its end, in ASCII for a terminal without UTF-8. Files and programs get UTF-8 always.
    private static func octets(
        of text: String, _ end: StaticString = "", for descriptor: CInt
    ) -> [UInt8] {
        let isLimited = !ability.hasUTF8 && isatty(descriptor) == 1
        let text = (isLimited ? ASCIIText.shown(text) : text).utf8
        var octets: [UInt8] = []
        octets.reserveCapacity(text.count + end.utf8CodeUnitCount)
        octets.append(contentsOf: text)
        end.withUTF8Buffer { octets.append(contentsOf: $0) }
        return octets
    }

    private static let ability = TerminalAbility.ofEnvironment

    /// Writes text other than lines, such as a prompt, to standard output.
    @discardableResult package static func write(_ text: String) -> Bool {
        isWritten(standardOutput.write(octets(of: text, for: STDOUT_FILENO)))
    }

    /// Writes whole lines to standard output, in UTF-8; as octets, where they need not fit a terminal.
    package static func write(lines: [UInt8]) -> Bool {
        guard isTerminal else { return isWritten(standardOutput.write(lines)) }
        return write(folded(String(decoding: lines, as: UTF8.self)))
    }

    /// Reports a failure.
    private static func isWritten(_ outcome: OutputDescriptor.Outcome) -> Bool {
        if case .failed(let code) = outcome { WriteFailures.outputFailed(code) }
        return outcome == .written
    }

    /// Writes a line to standard output without blocking the caller's thread, on which links depend: if the
    /// reader is slow, another thread writes while the caller's task is suspended.
    package static func deliver(_ text: String) async { await deliverWhole(folded(text)) }

    /// The same for what is as wide as the terminal already, or moves the cursor.
    static func deliverWhole(_ line: String) async {
        let isDone = output.withLockIfAvailable { _ in
            let outcome = standardOutput.writeAtOnce(octets(of: line, "\n", for: STDOUT_FILENO))
            guard outcome != .wouldBlock else { return false }
            _ = isWritten(outcome)
            return true
        }
        if isDone == true { return }
        await withCheckedContinuation { continuation in write(line) { continuation.resume() } }
    }

    /// Writes a line on a thread of its own, where the write may block, and then calls `done`. Swift's thread
    /// pool is not used: once it is started, its supervisor wakes up every second.
    private static func write(_ line: String, _ done: @escaping @Sendable () -> Void) {
        waiting.withLock { $0.lines += 1 }
        let body: @Sendable () -> Void = {
            _ = output.withLock { _ in write(line + "\n") }
            done()
            let readers = waiting.withLock { waiting in
                waiting.lines -= 1
                return waiting.lines == 0 ? exchange(&waiting.readers, with: []) : []
            }
            for reader in readers { reader.resume() }
        }
        do throws(IOError) {
            try startDetachedThread(named: "ancs-output", body)
        } catch {
            // Without a new thread, the caller's thread has to wait.
            body()
        }
    }

    /// Returns when every line that was delivered is written, or has failed: the task that delivered one may have
    /// been given up, and the program must not end within a line.
    package static func finish() async {
        await withCheckedContinuation { continuation in
            let isDone = waiting.withLock { waiting in
                if waiting.lines > 0 { waiting.readers.append(continuation) }
                return waiting.lines == 0
            }
            if isDone { continuation.resume() }
        }
    }

    /// How many lines wait for a reader of standard output, and who waits for them.
    private static let waiting = Mutex<(lines: Int, readers: [CheckedContinuation<Void, Never>])>(
        (0, []))

    /// Locked while a line is written, so that lines of several tasks do not mix.
    private static let output = Mutex<Void>(())
    private static let standardOutput = OutputDescriptor(STDOUT_FILENO)

    /// Whether standard output is a terminal: asked once, not for each line.
    private static let isTerminal = isatty(STDOUT_FILENO) == 1

    /// Whether standard output is a terminal that understands escape sequences.
    package static var hasEscapes: Bool { isTerminal && ability.hasEscapes }

    /// Whether standard output is a terminal with colors, and they are wanted (no-color.org).
    package static var isColored: Bool { hasEscapes && getenv("NO_COLOR") == nil }

    /// The width in columns if standard output is a terminal, or `nil`.
    package static var columns: Int? { window?.columns }

    /// The size if standard output is a terminal, or `nil`. `COLUMNS` and `LINES` take precedence, as usual;
    /// the default is 80 by 24.
    package static var window: (columns: Int, rows: Int)? {
        guard isTerminal else { return nil }
        var (columns, rows): (UInt16, UInt16) = (0, 0)
        _ = clinux_terminal_size(STDOUT_FILENO, &columns, &rows)
        return (
            wanted("COLUMNS") ?? (columns > 0 ? Int(columns) : 80),
            wanted("LINES") ?? (rows > 0 ? Int(rows) : 24)
        )
    }

    private static func wanted(_ variable: String) -> Int? {
        getenv(variable).flatMap { size(String(cString: $0)) }
    }

    /// Parses a size given by the user; terminals use 16 bits (ioctl_tty(2)).
    package static func size(_ text: String) -> Int? {
        Int(text).flatMap { $0 > 0 ? min($0, Int(UInt16.max)) : nil }
    }
}
