internal import Printing

/// Shows a demo in one column, each line labeled with its side, for narrow terminals, files and pipes.
struct DemoLines: Sendable {
    /// The width of the terminal in columns; `nil` for no line breaks.
    let width: Int?
    let paint: TerminalPaint
    private let names: [DemoSide: String]
    private let margin: Int

    init(phone: String, accessory: String, width: Int?, paint: TerminalPaint) {
        self.width = width
        self.paint = paint
        // A long name would leave no room for the text.
        let names = [
            DemoSide.phone: TerminalText.cut(TerminalText.visible(phone), to: 12),
            .accessory: TerminalText.cut(TerminalText.visible(accessory), to: 12),
        ]
        self.names = names
        margin = (names.values.map(TerminalText.width(of:)).max() ?? 0) + 2
    }

    func lines(of item: DemoItem) -> [String] {
        switch item.view {
        case .caption(let text): [""] + broken(text).map { paint($0, .caption) }
        case .note(let lines): lines
        case .link(let arrow, let text): lines(of: text, arrow, .link)
        case .traffic(let arrow, let text): lines(of: text, arrow, .dim)
        case .sight(let heading, let texts, let details): block(item.side, heading, texts, details)
        case .press(let label): block(item.side, label)
        }
    }

    private func lines(
        of text: String, _ arrow: Line.Arrow, _ style: TerminalPaint.Style
    ) -> [String] {
        let sign =
            switch arrow {
            case .right: "──▶"
            case .left: "◀──"
            case .none: "───"
            }
        return broken(text).enumerated().map { number, line in
            paint(TerminalText.padded(number == 0 ? sign : "", to: margin) + line, style)
        }
    }

    private func block(
        _ side: DemoSide, _ heading: String, _ texts: [String] = [], _ details: [String] = []
    ) -> [String] {
        let indent = String(repeating: " ", count: margin)
        let head = paint(TerminalText.padded(names[side] ?? "", to: margin), .dim)
        var lines = broken(heading).enumerated().map { number, line in
            (number == 0 ? head : indent) + paint(line, .bold)
        }
        for text in texts { lines += broken(text).map { indent + "  " + $0 } }
        if !details.isEmpty {
            let details = broken(details.joined(separator: " · "))
            lines += details.map { indent + "  " + paint($0, .dim) }
        }
        return lines
    }

    private func broken(_ text: String) -> [String] {
        guard let width else { return [text] }
        return TerminalText.wrapped(text, to: max(width - margin - 2, 10), limit: 6)
    }
}
