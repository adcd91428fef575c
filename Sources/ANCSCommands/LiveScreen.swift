internal import CLinux
internal import Glibc

/// A page on a terminal that is drawn again and again in the same place. It has a screen of its own, so
/// that what was there before is there again afterwards, and a window may change its size meanwhile.
struct LiveScreen: Sendable {
    private static let enter = "\u{1B}[?1049h\u{1B}[?25l"
    private static let leave = "\u{1B}[?25h\u{1B}[?1049l"
    private static let home = "\u{1B}[H"
    private static let clearLine = "\u{1B}[K"
    private static let clearBelow = "\u{1B}[J"

    /// `nil` where standard output is no terminal.
    init?() {
        guard StandardStreams.window != nil else { return nil }
    }

    /// Takes the screen.
    func open() async {
        clinux_terminal_keep(STDOUT_FILENO, nil, Self.leave)
        await StandardStreams.deliver(Self.enter)
    }

    /// Shows the lines that `draw` makes for a window of so many columns and rows.
    func show(_ draw: (_ columns: Int, _ rows: Int) -> [String]) async {
        guard let window = StandardStreams.window else { return }
        // The cursor stands below the last line.
        let lines = draw(window.columns, max(1, window.rows - 1))
        let page = lines.map { $0 + Self.clearLine }.joined(separator: "\n")
        await StandardStreams.deliver(Self.home + page + Self.clearBelow)
    }

    /// Gives the screen back, and writes the lines that stay.
    func close(_ draw: (_ columns: Int) -> [String]) async {
        let lines = draw(StandardStreams.window?.columns ?? 80)
        await StandardStreams.deliver(Self.leave + lines.joined(separator: "\n"))
        clinux_terminal_release()
    }
}
