/// Rows of text under headings, every column as wide as its widest text. If there is not enough room, columns
/// that allow it are narrowed, the widest first, and longer texts end with an ellipsis; if that is not
/// enough, the last columns are left out.
///
/// The texts must already be safe for a terminal; see ``TerminalText/visible(_:)``.
package struct TextTable: Sendable {
    /// A column.
    package struct Column: Equatable, Sendable {
        package var title: String
        /// The smallest width in columns; `nil` if the column must not be cut.
        package var minimumWidth: Int?
        /// Whether the column is right-aligned, as numbers are.
        package var isFlushRight: Bool

        package init(_ title: String, minimumWidth: Int? = nil, isFlushRight: Bool = false) {
            (self.title, self.minimumWidth, self.isFlushRight) = (title, minimumWidth, isFlushRight)
        }
    }

    private static let gap = "  "

    package var columns: [Column]
    /// A text for each column.
    package var rows: [[String]] = []

    package init(_ columns: [Column]) { self.columns = columns }

    /// The headings and the rows, none wider than `width` columns if it is given, and where the last column of the
    /// table begins. A column without any text is left out.
    package func lines(width: Int?) -> (heading: String, rows: [String], last: Int) {
        let widths = widths(within: width)
        func line(_ texts: [String]) -> String {
            var line = ""
            var isFirst = true
            for index in columns.indices where widths[index] > 0 {
                let text = TerminalText.clipped(texts[index], to: widths[index])
                let space = String(
                    repeating: " ", count: max(0, widths[index] - TerminalText.width(of: text)))
                line += isFirst ? "" : Self.gap
                line += columns[index].isFlushRight ? space + text : text + space
                isFirst = false
            }
            while line.last == " " { line.removeLast() }
            return width.map { TerminalText.clipped(line, to: $0) } ?? line
        }
        let last = widths.dropLast().reduce(0) { $0 + ($1 > 0 ? $1 + Self.gap.count : 0) }
        return (line(columns.map(\.title)), rows.map(line), last)
    }

    /// The width of each column in columns of text; 0 for one that is left out.
    private func widths(within limit: Int?) -> [Int] {
        var widths = columns.indices.map { index in
            let widest = rows.reduce(0) { max($0, TerminalText.width(of: $1[index])) }
            return widest == 0 ? 0 : max(widest, TerminalText.width(of: columns[index].title))
        }
        guard let limit else { return widths }
        while widths.count(where: { $0 > 0 }) > 1, total(narrowed(widths, to: limit)) > limit,
            let last = widths.lastIndex(where: { $0 > 0 })
        { widths[last] = 0 }
        return narrowed(widths, to: limit)
    }

    private func total(_ widths: [Int]) -> Int {
        widths.reduce(Self.gap.count * max(0, widths.count { $0 > 0 } - 1), +)
    }

    /// The widths after taking as little as necessary from the widest columns.
    private func narrowed(_ widths: [Int], to limit: Int) -> [Int] {
        var widths = widths
        var excess = total(widths) - limit
        while excess > 0 {
            let narrowable = columns.indices.filter {
                widths[$0] > columns[$0].minimumWidth ?? .max
            }
            guard let widest = narrowable.max(by: { widths[$0] < widths[$1] }) else { break }
            widths[widest] -= 1
            excess -= 1
        }
        return widths
    }
}
