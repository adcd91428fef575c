internal import Terminal
internal import ANCSService
internal import ANCS
internal import ANCSKit

/// A notification in the form in which `ancs receive` shows it to users.
struct NotificationReport {
    var notification: ReceivedNotification
    /// The app and title that were shown before, which a removal does not repeat.
    var shown: String?
    /// How far the local time of this machine is ahead of UTC, at a time in seconds since 1970.
    var offsetHere: @Sendable (Int) -> UTCOffset? = LocalClock.utcOffset

    /// The text for users: a heading, then the text, indented. Everything that came over the air is made
    /// safe for a terminal.
    func lines(isColored: Bool) -> [String] {
        let first = mark + " " + heading
        var lines = [TerminalPaint(isColored: isColored)(first, .bold)]
        guard notification.event != .removed else { return lines }
        lines += texts.map { "    " + $0 }
        lines.append("    " + details().joined(separator: " · "))
        return lines
    }

    /// The line for a ringing call whose texts have not arrived yet.
    static func line(announcing call: ReceivedNotification, isColored: Bool) -> String {
        let line = "! a call rings · uid \(call.uid.rawValue)"
        return TerminalPaint(isColored: isColored)(line, .bold)
    }

    /// The subtitle and the message, where present.
    var texts: [String] {
        [notification.subtitle, notification.message].filter { !$0.isEmpty }
            .map { TerminalText.visible($0) }
    }

    /// The app, the title and the flags.
    private var heading: String {
        guard notification.event != .removed else {
            let title = shown ?? notification.category.description
            return "\(title) · uid \(notification.uid.rawValue)"
        }
        var heading = title
        if let origin { heading += " (\(origin))" }
        if notification.isImportant { heading += " !" }
        return heading
    }

    /// The sign for added, modified, removed, or completed later.
    var mark: String { notification.isCompletion ? "…" : Self.mark(notification.event) }

    /// A remark on a notification that is older than the session.
    var origin: String? {
        guard notification.isPreExisting else { return nil }
        return notification.wasSeen == false ? "new since last time" : "was there before"
    }

    /// The app and the title.
    var title: String {
        let app = notification.app.displayName ?? notification[.appIdentifier]?.text
        let title = TerminalText.visible(app ?? notification.category.description)
        guard !notification.title.isEmpty else { return title }
        return title + " · " + TerminalText.visible(notification.title)
    }

    /// The remaining details.
    func details(withDate hasDate: Bool = true) -> [String] {
        var details = ["uid \(notification.uid.rawValue)", notification.category.description]
        if hasDate, let date = notification[.date], !date.octets.isEmpty {
            details.append(date.date.map(text) ?? TerminalText.visible(date.text))
        }
        let labels: [(String, NotificationAttributeID)] = [
            ("✓", .positiveActionLabel), ("✗", .negativeActionLabel),
        ]
        for (sign, id) in labels {
            guard let label = notification[id]?.text, !label.isEmpty else { continue }
            details.append("\(sign) " + TerminalText.visible(label))
        }
        if !notification.truncatedTexts.isEmpty { details.append("truncated by the phone") }
        if let failure = notification.failure { details.append("incomplete: \(failure.message)") }
        return details
    }

    /// A date in the phone's local time; with its offset from UTC where that is not the one here.
    private func text(of date: NotificationDate) -> String {
        guard let offset = notification.utcOffset,
            offset != offsetHere(date.secondsSince1970(at: offset))
        else { return date.description }
        return date.text(at: offset)
    }

    /// The sign for added, modified or removed.
    static func mark(_ event: EventID) -> String {
        switch event {
        case .added: "+"
        case .modified: "~"
        case .removed: "-"
        default: "?"
        }
    }
}
