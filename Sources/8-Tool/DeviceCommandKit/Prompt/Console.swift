package import LinuxIO
internal import Printing

/// Where a user or a program types commands and reads the output. Used on the loop's thread.
package protocol Console: AnyObject, Sendable {
    /// The typed lines, until the end of the input. For one reader.
    var lines: any AsyncSequence<String, Never> & Sendable { get }
    /// Whether the end of input ends the run.
    var endsWithInput: Bool { get }
    /// The signals that the console handles.
    var signals: [CInt] { get }

    /// Starts reading. `complete` is called with the line up to the cursor, and returns the words that can
    /// follow.
    func open(_ complete: @escaping @Sendable (String) -> [String])
    /// Restores the terminal.
    func close()
    /// Handles a signal. Returns whether the signal was meant for the console alone.
    func take(_ signal: CInt) -> Bool
    /// Writes a line to standard output.
    func write(_ line: String) async
    /// Writes a line to standard error.
    func writeError(_ line: String)
}

/// A console without line editing, for pipes and simple terminals.
package final class PlainConsole: Console {
    private let input: InputLines

    package init(on loop: EventLoop) { input = InputLines(on: loop) }

    package var lines: any AsyncSequence<String, Never> & Sendable { input.lines }
    package var endsWithInput: Bool { false }
    package var signals: [CInt] { [] }

    package func open(_ complete: @escaping @Sendable (String) -> [String]) {}
    package func close() {}
    package func take(_ signal: CInt) -> Bool { false }
    package func write(_ line: String) async { await StandardStreams.deliver(line) }
    package func writeError(_ line: String) { StandardStreams.writeError(line) }
}
