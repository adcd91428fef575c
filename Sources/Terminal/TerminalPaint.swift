/// Colors text for a terminal that supports it.
package struct TerminalPaint: Sendable {
    package enum Style: String, Sendable {
        case bold = "1"
        case dim = "2"
        case good = "32"
        case bad = "31"
        case link = "36"
        case caption = "1;35"
    }

    package var isColored: Bool

    package init(isColored: Bool) {
        self.isColored = isColored
    }

    package func callAsFunction(_ text: String, _ style: Style) -> String {
        isColored && !text.isEmpty ? "\u{1B}[\(style.rawValue)m\(text)\u{1B}[0m" : text
    }
}
