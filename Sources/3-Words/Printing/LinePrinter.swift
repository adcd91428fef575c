/// Prints lines: as JSON Lines, or as text for people.
package struct LinePrinter: Sendable {
    package let isJSON: Bool
    package let isVerbose: Bool
    package let paint: TerminalPaint

    package init(
        isJSON: Bool, isVerbose: Bool = false, isColored: Bool = StandardStreams.isColored
    ) {
        self.isJSON = isJSON
        self.isVerbose = isVerbose
        paint = TerminalPaint(isColored: isColored)
    }

    /// What standard output and standard error get. With `--verbose`, standard error is a log of everything.
    /// People read a sentence after the words of `speaker`.
    package func printed(_ line: Line, after speaker: () -> String = { "" }) -> Printed {
        Printed(
            output: output(line, after: speaker), diagnostics: diagnostics(line, after: speaker))
    }

    /// What standard output gets. `mark` stands before the text.
    package func output(
        _ line: Line, mark: String = "", after speaker: () -> String = { "" }
    ) -> [String] { isJSON ? line.texts : text(line, mark: mark, after: speaker) }

    /// What standard output gets of lines, of which those with cells are rows of a table. `columns` has the headings of
    /// the cells and of the sentence, if there are any; a table with headings is at most `width` columns wide.
    package func output(
        _ lines: [Line], under columns: [TextTable.Column] = [], width: Int? = nil
    ) -> [String] {
        guard !isJSON else { return lines.flatMap { output($0) } }
        var texts: [String] = []
        var rest = lines.filter { $0.sentence != nil }[...]
        while let first = rest.first {
            let rows = rest.prefix { $0.cells.count == first.cells.count }
            rest = rest.dropFirst(rows.count)
            texts +=
                first.cells.isEmpty
                ? rows.flatMap { text($0) } : self.rows(first, rows, under: columns, width: width)
        }
        return texts
    }

    /// Writes lines to standard output.
    package func write(
        _ lines: [Line], under columns: [TextTable.Column] = [],
        width: Int? = StandardStreams.columns
    ) {
        for text in output(lines, under: columns, width: width) { StandardStreams.writeLine(text) }
    }

    private func rows(
        _ first: Line, _ lines: ArraySlice<Line>, under columns: [TextTable.Column], width: Int?
    ) -> [String] {
        let untitled = (0...first.cells.count).map { _ in TextTable.Column("") }
        var table = TextTable(columns.isEmpty ? untitled : columns)
        table.rows = lines.map { ($0.cells + [$0.sentence ?? ""]).map(TerminalText.visible) }
        let room = columns.isEmpty ? nil : width.map { $0 - first.emphasis.indent }
        let texts = table.lines(width: room)
        let heading = String(repeating: " ", count: first.emphasis.indent) + texts.heading
        return (columns.isEmpty ? [] : [heading])
            + zip(lines, texts.rows).flatMap { text($0, saying: $1, column: texts.last) }
    }

    /// What standard error gets.
    package func diagnostics(_ line: Line, after speaker: () -> String = { "" }) -> [String] {
        let isUrgent =
            switch line.emphasis {
            case .problem: true
            case .alarm: isJSON
            case .plain, .stage, .hint, .item, .heading, .marked, .found, .verdict: false
            }
        let urgent = isUrgent ? line.sentence.map { speaker() + $0 } : nil
        let text = isVerbose ? line.log(after: speaker) : urgent
        return text.map { ["ancs: " + TerminalText.visible($0)] } ?? []
    }

    /// What people read on standard output.
    package func text(
        _ line: Line, mark: String = "", after speaker: () -> String = { "" }
    ) -> [String] {
        guard let sentence = line.sentence else { return [] }
        return text(line, saying: TerminalText.visible(speaker() + sentence), mark: mark)
    }

    /// A line with the text of its sentence, in which `column` is where the last of its columns begins.
    private func text(
        _ line: Line, saying text: String, mark: String = "", column: Int? = nil
    ) -> [String] {
        var first: String
        switch line.emphasis {
        case .plain: first = text
        case .stage, .alarm: first = paint("● " + text, .link)
        case .hint: first = paint("  " + text, .dim)
        case .item: first = "  " + text
        case .heading: first = paint(text, .bold)
        case .marked(let mark): first = "  " + paint(mark.rawValue, mark.style) + " " + text
        case .found(let mark): first = paint(mark.rawValue, mark.style) + " " + text
        case .verdict(let style): first = paint(text, style)
        case .problem: return []
        }
        if let remark = line.remark {
            first += paint(TerminalText.visible(remark.text), remark.style)
        }
        let column = column.map { $0 + line.emphasis.indent }
        func indented(_ text: String, _ indent: Int) -> String {
            String(repeating: " ", count: column ?? indent) + text
        }
        return [mark + line.lead + first]
            + line.below.map { below in
                switch below {
                case .hint(let text): paint("  " + TerminalText.visible(text), .dim)
                case .text(let text): indented(TerminalText.visible(text), 4)
                case .details(let text): indented(paint(TerminalText.visible(text), .dim), 4)
                case .words(let text): indented(TerminalText.visible(text), 2)
                }
            }
    }
}

extension Line.Emphasis {
    /// The columns before the sentence.
    fileprivate var indent: Int {
        switch self {
        case .plain, .problem, .heading, .verdict: 0
        case .stage, .alarm, .hint, .item, .found: 2
        case .marked: 4
        }
    }
}

extension Line.Mark {
    /// The style of the sign.
    package var style: TerminalPaint.Style {
        switch self {
        case .good: .good
        case .partly: .partly
        case .bad: .bad
        case .open: .dim
        case .note, .unseen: .bold
        }
    }
}

/// The lines that something brings.
package struct Printed: Equatable, Sendable {
    /// For standard output.
    package var output: [String] = []
    /// For standard error.
    package var diagnostics: [String] = []

    package init(output: [String] = [], diagnostics: [String] = []) {
        (self.output, self.diagnostics) = (output, diagnostics)
    }

    /// Whether it brings nothing.
    package var isEmpty: Bool { output.isEmpty && diagnostics.isEmpty }

    /// Writes the lines.
    package func show() async {
        for line in diagnostics { StandardStreams.writeError(line) }
        for line in output { await StandardStreams.deliver(line) }
    }
}
