internal import Printing

/// Shows a demo in three columns: what the phone shows, the traffic on the link, and what the accessory
/// shows.
///
/// A row is written once the accessory has shown the notification; ``flush()`` writes incomplete rows.
struct DemoColumns: Sendable {
    /// The width, in columns, below which everything is shown in one column.
    static let minimumWidth = 72
    /// The largest width used; longer lines are hard to read.
    private static let maximumWidth = 112
    private static let arrowWidth = 16
    /// The number of lines after which a text is cut.
    private static let maximumLines = 4

    private struct Row {
        let subject: Int?
        var left: [DemoLine] = []
        var middle: [String] = []
        var right: [DemoLine] = []
    }

    /// A line of one column, without its color.
    private struct DemoLine {
        var text: String
        var style: TerminalPaint.Style?
    }

    private let columnWidth: Int
    private let paint: TerminalPaint
    private var rows: [Row] = []

    /// Creates columns for a terminal of this width.
    init(width: Int, paint: TerminalPaint) {
        let width = min(max(width, Self.minimumWidth), Self.maximumWidth)
        columnWidth = (width - Self.arrowWidth - 2) / 2
        self.paint = paint
    }

    /// Whether a row is incomplete.
    var isWaiting: Bool { !rows.isEmpty }

    private var width: Int { 2 * columnWidth + Self.arrowWidth + 2 }

    /// The heading with the names of both sides.
    func opening(phone: String, accessory: String) -> [String] {
        let left = DemoLine(text: TerminalText.cut(phone, to: columnWidth), style: .bold)
        let right = DemoLine(text: TerminalText.cut(accessory, to: columnWidth), style: .bold)
        let rule = String(repeating: "─", count: width)
        return [line(left, "", right), paint(rule, .dim)]
    }

    /// The lines that can be written after an item.
    mutating func lines(of item: DemoItem) -> [String] {
        let subject = item.subject
        switch item.view {
        case .caption(let text):
            let lines = TerminalText.wrapped(text, to: width, limit: 4)
            return flush() + [""] + lines.map { paint($0, .caption) }
        case .note(let lines): return flush() + lines
        case .link(let arrow, let text):
            return flush() + [paint(Self.arrow(arrow, text, width: width), .link)]
        case .sight(let heading, let texts, let details):
            let lines = block(heading, texts, details)
            guard item.side == .phone else {
                withRow(about: subject) { $0.right += lines }
                return finishRow(about: subject)
            }
            withRow(about: subject) { $0.left += lines }
            return subject == nil ? flush() : []
        case .press(let label):
            let lines = block(label)
            withRow(about: subject) { $0.right += lines }
            return []
        case .traffic(let arrow, let text):
            let line = Self.arrow(arrow, text, width: Self.arrowWidth)
            withRow(about: subject) { $0.middle.append(line) }
            return []
        }
    }

    /// Returns the incomplete rows.
    mutating func flush() -> [String] { exchange(&rows, with: []).flatMap(lines(of:)) }

    // MARK: Rows

    private mutating func withRow(about subject: Int?, _ body: (inout Row) -> Void) {
        if rows.last?.subject != subject || subject == nil,
            !rows.contains(where: { $0.subject == subject && subject != nil })
        {
            rows.append(Row(subject: subject))
        }
        let index = rows.lastIndex { $0.subject == subject } ?? rows.count - 1
        body(&rows[index])
    }

    private mutating func finishRow(about subject: Int?) -> [String] {
        guard let index = rows.lastIndex(where: { $0.subject == subject }) else { return [] }
        return lines(of: rows.remove(at: index))
    }

    private func lines(of row: Row) -> [String] {
        let count = max(row.left.count, row.middle.count, row.right.count)
        return (0..<count).map { index in
            line(
                row.left.indices.contains(index) ? row.left[index] : nil,
                row.middle.indices.contains(index) ? row.middle[index] : "",
                row.right.indices.contains(index) ? row.right[index] : nil)
        }
    }

    private func block(
        _ heading: String, _ texts: [String] = [], _ details: [String] = []
    ) -> [DemoLine] {
        var lines = TerminalText.wrapped(heading, to: columnWidth, limit: 3).map {
            DemoLine(text: $0, style: .bold)
        }
        for text in texts {
            lines += TerminalText.wrapped(text, to: columnWidth - 2, limit: Self.maximumLines).map {
                DemoLine(text: "  " + $0)
            }
        }
        return lines + wrapped(details).map { DemoLine(text: "  " + $0, style: .dim) }
    }

    /// Joins details into lines that break between details rather than within them.
    private func wrapped(_ details: [String]) -> [String] {
        let text = details.map { Self.replace(" ", by: Self.glue, in: $0) }.joined(separator: " · ")
        return TerminalText.wrapped(text, to: columnWidth - 2, limit: 3).map { line in
            let line = line.hasSuffix(" ·") ? String(line.dropLast(2)) : line
            return Self.replace(Self.glue, by: " ", in: line)
        }
    }

    /// The no-break space, U+00A0: a space at which no line is broken.
    private static let glue: Character = "\u{A0}"

    private static func replace(_ old: Character, by new: Character, in text: String) -> String {
        String(text.map { $0 == old ? new : $0 })
    }

    private func line(_ left: DemoLine?, _ middle: String, _ right: DemoLine?) -> String {
        let leftGap = columnWidth - TerminalText.width(of: left?.text ?? "")
        var line = painted(left) + String(repeating: " ", count: max(0, leftGap) + 1)
        if right == nil && middle.isEmpty { return painted(left) }
        line += paint(TerminalText.padded(middle, to: Self.arrowWidth), .dim)
        return right == nil ? line : line + " " + painted(right)
    }

    private func painted(_ line: DemoLine?) -> String {
        guard let line else { return "" }
        return line.style.map { paint(line.text, $0) } ?? line.text
    }

    /// An arrow with words in its middle, `width` columns wide in all.
    static func arrow(_ arrow: Line.Arrow, _ text: String, width: Int) -> String {
        let words = TerminalText.cut(text, to: width - 4)
        let room = width - TerminalText.width(of: words) - 2
        var before = String(repeating: "─", count: room / 2)
        var after = String(repeating: "─", count: room - room / 2)
        switch arrow {
        case .left: before = "◀" + before.dropFirst()
        case .right: after = after.dropLast() + "▶"
        case .none: break
        }
        return "\(before) \(words) \(after)"
    }
}
