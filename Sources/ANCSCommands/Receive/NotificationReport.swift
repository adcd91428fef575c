internal import ANCS
internal import ANCSKit

/// A notification as `ancs receive` shows it to a person.
struct NotificationReport {
    var delivery: NotificationFeed.Delivery
    /// What was shown of it before, the app and who or what: a removal does not say that again.
    var shown: String?

    /// What a person reads: a line with what and who, then the text, indented. Everything that came
    /// over the air is made safe for a terminal.
    func lines(isColored: Bool) -> [String] {
        let first = mark + " " + heading
        var lines = [isColored ? "\u{1B}[1m\(first)\u{1B}[0m" : first]
        guard source.eventID != .removed else { return lines }
        lines += texts.map { "    " + $0 }
        lines.append("    " + details().joined(separator: " · "))
        return lines
    }

    /// A call that rings, whose texts are still to come.
    static func line(announcing value: NotificationSourceValue, isColored: Bool) -> String {
        let line = "! a call rings · uid \(value.notificationUID.rawValue)"
        return isColored ? "\u{1B}[1m\(line)\u{1B}[0m" : line
    }

    /// The subtitle and the message, as far as there are any.
    var texts: [String] {
        [NotificationAttributeID.subtitle, .message].compactMap { id in
            guard let text = delivery[id]?.text, !text.isEmpty else { return nil }
            return TerminalText.visible(text)
        }
    }

    private var source: NotificationSourceValue { delivery.source }

    /// The app, who or what, and what the flags say.
    private var heading: String {
        guard source.eventID != .removed else {
            return
                "\(shown ?? source.categoryID.description) · uid \(source.notificationUID.rawValue)"
        }
        var heading = title
        if let origin { heading += " (\(origin))" }
        if source.eventFlags.contains(.important) { heading += " !" }
        return heading
    }

    /// A sign for added, modified, removed, or completed later.
    var mark: String { delivery.isCompletion ? "…" : Self.mark(source.eventID) }

    /// What is to be said of a notification that the phone had before the session.
    var origin: String? {
        guard delivery.isPreExisting else { return nil }
        return delivery.wasSeen == false ? "new since last time" : "was there before"
    }

    /// The app, and who or what.
    var title: String {
        let app = delivery.displayName?.text ?? delivery[.appIdentifier]?.text
        let title = TerminalText.visible(app ?? source.categoryID.description)
        guard let text = delivery[.title]?.text, !text.isEmpty else { return title }
        return title + " · " + TerminalText.visible(text)
    }

    /// What else there is to know.
    func details(withDate hasDate: Bool = true) -> [String] {
        var details = ["uid \(source.notificationUID.rawValue)", source.categoryID.description]
        if hasDate, let date = delivery[.date], !date.octets.isEmpty {
            details.append(TerminalText.visible(date.date?.description ?? date.text))
        }
        let labels: [(String, NotificationAttributeID)] = [
            ("✓", .positiveActionLabel), ("✗", .negativeActionLabel),
        ]
        for (sign, id) in labels {
            guard let label = delivery[id]?.text, !label.isEmpty else { continue }
            details.append("\(sign) " + TerminalText.visible(label))
        }
        if !delivery.truncatedTexts.isEmpty { details.append("cut by the phone") }
        if let failure = delivery.failure { details.append("incomplete: \(RequestError(failure: failure).message)") }
        return details
    }

    /// A sign for added, modified or removed.
    static func mark(_ event: EventID) -> String {
        switch event {
        case .added: "+"
        case .modified: "~"
        case .removed: "-"
        default: "?"
        }
    }
}
