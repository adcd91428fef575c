internal import Printing

/// One item that a demo shows.
struct DemoItem: Equatable, Sendable {
    /// What is shown; its texts are safe for a terminal.
    var view: Line.View
    var side: DemoSide
    /// The phone's number of the notification that it is about.
    var subject: Int?

    init(_ view: Line.View, _ side: DemoSide, about subject: Int? = nil) {
        (self.view, self.side, self.subject) = (view, side, subject)
    }
}

/// Where something happens: on one of the devices, or in the script that the phone follows.
enum DemoSide: String, Equatable, Sendable {
    case phone
    case accessory
    case scenario
}

extension Line.View {
    /// The same, safe for a terminal.
    var visible: Line.View {
        func safe(_ texts: [String]) -> [String] { texts.map { TerminalText.visible($0) } }
        return switch self {
        case .caption(let text): .caption(TerminalText.visible(text))
        case .link(let arrow, let text): .link(arrow, TerminalText.visible(text))
        case .sight(let heading, let texts, let details):
            .sight(TerminalText.visible(heading), texts: safe(texts), details: safe(details))
        case .press(let label): .press(TerminalText.visible(label))
        case .traffic(let arrow, let text): .traffic(arrow, TerminalText.visible(text))
        case .note(let lines): .note(safe(lines))
        }
    }
}
