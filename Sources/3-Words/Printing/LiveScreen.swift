internal import CLinux
internal import Glibc

/// A page that is redrawn in place on the terminal's alternate screen, so that the previous contents reappear
/// afterwards. The window may be resized meanwhile.
package struct LiveScreen: Sendable {
    private static let enter = "\u{1B}[?1049h\u{1B}[?25l"
    private static let leave = "\u{1B}[?25h\u{1B}[?1049l"
    private static let home = "\u{1B}[H"
    private static let clearLine = "\u{1B}[K"
    private static let clearBelow = "\u{1B}[J"
    /// Empties the screen, without what has been scrolled out of it.
    package static let empty = home + clearBelow

    /// `nil` if standard output is not a terminal that can be redrawn.
    package init?() { guard StandardStreams.hasEscapes else { return nil } }

    /// Switches to the alternate screen.
    package func open() async {
        clinux_terminal_keep(STDOUT_FILENO, nil, Self.leave)
        await StandardStreams.deliverWhole(Self.enter)
    }

    /// Shows the lines that `draw` returns for a window of the given number of columns and rows.
    package func show(_ draw: (_ columns: Int, _ rows: Int) -> [String]) async {
        guard let window = StandardStreams.window else { return }
        // The cursor is placed below the last line.
        let lines = draw(window.columns, max(1, window.rows - 1))
        let page = lines.map { $0 + Self.clearLine }.joined(separator: "\n")
        await StandardStreams.deliverWhole(Self.home + page + Self.clearBelow)
    }

    /// Switches back, and writes the lines that remain on the terminal.
    package func close(_ draw: (_ columns: Int) -> [String]) async {
        let lines = draw(StandardStreams.window?.columns ?? 80)
        await StandardStreams.deliverWhole(Self.leave + lines.joined(separator: "\n"))
        clinux_terminal_release()
    }
}
