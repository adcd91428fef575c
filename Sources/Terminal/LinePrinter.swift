/// Prints lines: as JSON Lines, or as text for people.
package struct LinePrinter: Sendable {
    package let isJSON: Bool
    package let isVerbose: Bool
    package let paint: TerminalPaint

    package init(isJSON: Bool, isVerbose: Bool = false, isColored: Bool) {
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
    ) -> [String] {
        isJSON ? line.text.map { [$0] } ?? [] : text(line, mark: mark, after: speaker)
    }

    /// What standard error gets.
    package func diagnostics(_ line: Line, after speaker: () -> String = { "" }) -> [String] {
        let isUrgent =
            switch line.emphasis {
            case .problem: true
            case .alarm: isJSON
            case .stage, .hint, .item, .heading, .marked, .verdict: false
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
        let text = TerminalText.visible(speaker() + sentence)
        var first: String
        switch line.emphasis {
        case .stage, .alarm: first = paint("● " + text, .link)
        case .hint: first = paint("  " + text, .dim)
        case .item: first = "  " + text
        case .heading: first = paint(text, .bold)
        case .marked(let mark): first = "  " + paint(mark.rawValue, mark.style) + " " + text
        case .verdict(let style): first = paint(text, style)
        case .problem: return []
        }
        if let remark = line.remark {
            first += paint(TerminalText.visible(remark.text), remark.style)
        }
        return [mark + line.lead + first]
            + line.below.map { below in
                switch below {
                case .hint(let text): paint("  " + TerminalText.visible(text), .dim)
                case .text(let text): "    " + TerminalText.visible(text)
                case .details(let text): "    " + paint(TerminalText.visible(text), .dim)
                case .words(let text): "  " + TerminalText.visible(text)
                }
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
