internal import LinuxIO

/// Where a person, or a program in one's place, types commands and reads what happens. Used on the
/// loop's thread.
protocol Console: AnyObject, Sendable {
    /// What is typed, a line each, until there is nothing more; for one reader.
    var lines: any AsyncSequence<String, Never> & Sendable { get }
    /// Whether the end of input ends the run.
    var endsWithInput: Bool { get }
    /// The signals that it wants to know of.
    var signals: [CInt] { get }

    /// Begins; `complete` is given the line up to the cursor, and returns the words that it may go on
    /// with.
    func open(_ complete: @escaping @Sendable (String) -> [String])
    /// Gives the terminal back as it was.
    func close()
    /// Takes a signal; whether it was for the console alone.
    func take(_ signal: CInt) -> Bool
    /// Writes a line to standard output.
    func write(_ line: String) async
    /// Writes a line to standard error.
    func writeError(_ line: String)
}

/// Lines in, lines out: for pipes, and for terminals that cannot do more.
final class PlainConsole: Console {
    private let input: InputLines

    init(on loop: EventLoop) { input = InputLines(on: loop) }

    var lines: any AsyncSequence<String, Never> & Sendable { input.lines }
    var endsWithInput: Bool { false }
    var signals: [CInt] { [] }

    func open(_ complete: @escaping @Sendable (String) -> [String]) {}
    func close() {}
    func take(_ signal: CInt) -> Bool { false }
    func write(_ line: String) async { await StandardStreams.deliver(line) }
    func writeError(_ line: String) { StandardStreams.writeError(line) }
}
