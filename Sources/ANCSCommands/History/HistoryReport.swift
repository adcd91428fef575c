internal import Terminal
internal import ANCSService
internal import ANCS
internal import JSONText

/// A stored notification, as text for users or as JSON.
struct HistoryReport {
    var entry: HistoryEntry
    var isColored: Bool

    /// The text for users: when it was posted, app and title, then the texts, indented, and the ID. Everything that came
    /// over the air is made safe for a terminal.
    var lines: [String] {
        let paint = TerminalPaint(isColored: isColored)
        let heading = [LocalClock.text(of: entry.posted), paint(title, .bold)].joined(
            separator: "  ")
        return [heading] + texts.map { "    " + $0 } + ["    " + paint(details, .dim)]
    }

    private var title: String {
        let app = [entry.appName, entry.app].compactMap { $0 }.first { !$0.isEmpty }
        let title = app ?? entry.category.description
        return [title, entry.title ?? ""].filter { !$0.isEmpty }.map { TerminalText.visible($0) }
            .joined(separator: " · ")
    }

    private var texts: [String] {
        [entry.subtitle, entry.message].compactMap { $0 }.filter { !$0.isEmpty }
            .map { TerminalText.visible($0) }
    }

    private var details: String {
        var details = [entry.id.description, entry.category.description]
        if entry.title == nil && entry.message == nil { details.append("its text was not kept") }
        return details.joined(separator: " · ")
    }
}
