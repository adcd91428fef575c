internal import CLinux
internal import Glibc
package import LinuxIO
internal import Printing

/// A ``Console`` at a terminal. Output appears above the line being typed, and Tab completes. The terminal is
/// restored at the end, at a signal, and while the process is suspended.
package final class TerminalConsole: Console, @unchecked Sendable {
    // Unchecked: confined to the loop's thread.

    package let lines: any AsyncSequence<String, Never> & Sendable
    package let endsWithInput = true
    package let signals = [SIGHUP, SIGQUIT, SIGTSTP, SIGWINCH]

    private let loop: EventLoop
    private let continuation: AsyncStream<String>.Continuation
    private let prompt: String
    private var editor = LineEditor()
    private var input: StandardInput?
    private var complete: (@Sendable (String) -> [String])?
    /// The original settings of the terminal.
    private var settings: termios?

    /// Whether standard input and output are a capable terminal, and this process is in the foreground.
    package static var isPossible: Bool {
        isatty(STDIN_FILENO) == 1 && StandardStreams.hasEscapes && !StandardInput.isInBackground
    }

    package init(on loop: EventLoop, prompt: String) {
        self.loop = loop
        self.prompt = prompt
        let (lines, continuation) = AsyncStream<String>.makeStream(
            bufferingPolicy: .bufferingOldest(64))
        self.lines = lines
        self.continuation = continuation
    }

    package func open(_ complete: @escaping @Sendable (String) -> [String]) {
        self.complete = complete
        takeTerminal()
        redraw()
        let input = StandardInput(on: loop) { [unowned self] octet in
            if let octet { receive(octet) } else { continuation.finish() }
        }
        self.input = input
        input.start()
    }

    package func close() {
        exchange(&input, with: nil)?.stop()
        Self.put(LineEditor.eraser)
        giveTerminalBack()
    }

    package func take(_ signal: CInt) -> Bool {
        switch signal {
        case SIGTSTP:
            Self.put(LineEditor.eraser)
            giveTerminalBack()
            // The process stops here until it is in the foreground again.
            kill(getpid(), SIGSTOP)
            takeTerminal()
            redraw()
            return true
        case SIGWINCH:
            redraw()
            return true
        case SIGINT:
            // As in a shell, Control-C discards the line being typed; on an empty line, it ends the program.
            let line = editor.shown
            guard editor.abandon() else { return false }
            SignalSource.forgetRequest()
            Self.put(LineEditor.eraser + prompt + line + "^C\n")
            redraw()
            return true
        default: return false
        }
    }

    package func write(_ line: String) async { above { StandardStreams.writeLine(line) } }

    package func writeError(_ line: String) { above { StandardStreams.writeError(line) } }

    // MARK: The terminal

    /// Reads keys one by one without echo; signals and output processing are unchanged.
    private func takeTerminal() {
        var settings = termios()
        guard tcgetattr(STDIN_FILENO, &settings) == 0 else { return }
        if self.settings == nil {
            self.settings = settings
            clinux_terminal_keep(STDIN_FILENO, &settings, LineEditor.eraser)
        }
        settings.c_lflag &= ~tcflag_t(ICANON | ECHO)
        tcsetattr(STDIN_FILENO, TCSADRAIN, &settings)
    }

    private func giveTerminalBack() {
        guard var settings = exchange(&settings, with: nil) else { return }
        tcsetattr(STDIN_FILENO, TCSADRAIN, &settings)
        clinux_terminal_release()
    }

    private func above(_ write: () -> Void) {
        Self.put(LineEditor.eraser)
        write()
        redraw()
    }

    private func redraw() {
        guard settings != nil else { return }
        Self.put(editor.display(prompt: prompt, columns: StandardStreams.columns ?? 80))
    }

    private static func put(_ text: String) { StandardStreams.write(text) }

    // MARK: Keys

    private func receive(_ octet: UInt8) {
        switch editor.receive(octet) {
        case .redraw: redraw()
        case .submit(let line):
            Self.put(LineEditor.eraser + prompt + LineEditor.shown(line) + "\n")
            redraw()
            continuation.yield(line)
        case .complete: completeWord()
        case .clear:
            Self.put("\u{1B}[H\u{1B}[2J")
            redraw()
        case .end: continuation.finish()
        case nil: break
        }
    }

    private func completeWord() {
        guard let complete else { return }
        let candidates = complete(editor.completionContext.before)
        let left = editor.complete(with: candidates)
        if !left.isEmpty {
            above { StandardStreams.writeLine("  " + left.joined(separator: "  ")) }
        }
        redraw()
    }
}
