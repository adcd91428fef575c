/// Colors text for a terminal that supports it.
///
/// The colors are those of the fixed part of xterm's palette of 256, whose values no terminal and no theme changes, and
/// each can be read on black as well as on white. The first sixteen are not used: as terminals define them, green, yellow
/// and cyan cannot be read on white, nor blue on black. Faint text (SGR 2) is not used either: how much of it is left is
/// up to the terminal.
package struct TerminalPaint: Sendable {
    /// The parameters of *Select Graphic Rendition*: ECMA-48, 8.3.117, with the colors of ISO 8613-6.
    package enum Style: String, CaseIterable, Sendable {
        case bold = "1"
        /// Gray.
        case dim = "38;5;243"
        /// Green.
        case good = "38;5;28"
        /// Brown.
        case partly = "38;5;130"
        /// Red.
        case bad = "38;5;161"
        /// Blue.
        case link = "38;5;31"
        /// Magenta.
        case caption = "1;38;5;133"

        /// What begins the style.
        package var sequence: String { "\u{1B}[\(rawValue)m" }
    }

    /// What ends every style.
    package static let end = "\u{1B}[0m"

    package var isColored: Bool

    package init(isColored: Bool) { self.isColored = isColored }

    package func callAsFunction(_ text: String, _ style: Style) -> String {
        isColored && !text.isEmpty ? style.sequence + text + Self.end : text
    }
}
