internal import Terminal
internal import JSONText

/// Prints lines: as JSON Lines, or as text for people.
struct LinePrinter: Sendable {
    let isJSON: Bool
    let isVerbose: Bool
    let paint: TerminalPaint

    init(isJSON: Bool, isVerbose: Bool = false, isColored: Bool) {
        self.isJSON = isJSON
        self.isVerbose = isVerbose
        paint = TerminalPaint(isColored: isColored)
    }

    /// What standard output and standard error get. With `--verbose`, standard error is a log of everything.
    func printed(_ line: Line) -> Printed {
        Printed(output: output(line), diagnostics: diagnostics(line))
    }

    /// What standard output gets. `mark` stands before the text.
    func output(_ line: Line, mark: String = "") -> [String] {
        if isJSON { return line.json.map { [$0.text] } ?? [] }
        return text(line, mark: mark)
    }

    /// What standard error gets.
    func diagnostics(_ line: Line) -> [String] {
        let isUrgent =
            switch line.emphasis {
            case .problem: true
            case .alarm: isJSON
            case .stage, .hint, .item, .heading: false
            }
        let text = isVerbose ? line.log : isUrgent ? line.sentence : nil
        return text.map { ["ancs: " + TerminalText.visible($0)] } ?? []
    }

    /// What people read on standard output.
    func text(_ line: Line, mark: String = "") -> [String] {
        guard let sentence = line.sentence else { return [] }
        let text = TerminalText.visible(sentence)
        let first: String
        switch line.emphasis {
        case .stage, .alarm: first = paint("● " + text, .link)
        case .hint: first = paint("  " + text, .dim)
        case .item: first = "  " + text
        case .heading: first = paint(text, .bold)
        case .problem: return []
        }
        return [mark + first]
            + line.below.map { below in
                switch below {
                case .hint(let text): paint("  " + TerminalText.visible(text), .dim)
                case .text(let text): "    " + TerminalText.visible(text)
                }
            }
    }
}

/// The lines that something brings.
struct Printed: Equatable, Sendable {
    /// For standard output.
    var output: [String] = []
    /// For standard error.
    var diagnostics: [String] = []
}
