internal import ANCS

/// A notification as `ancs receive` shows it to a person.
struct NotificationReport {
    var delivery: NotificationFeed.Delivery

    /// What a person reads: a line with what and who, then the text, indented. Everything that came
    /// over the air is made safe for a terminal.
    func lines(isColored: Bool) -> [String] {
        let title = (delivery.isCompletion ? "…" : Self.mark(source.eventID)) + " " + heading
        var lines = [isColored ? "\u{1B}[1m\(title)\u{1B}[0m" : title]
        guard source.eventID != .removed else { return lines }
        for id in [NotificationAttributeID.subtitle, .message] {
            guard let text = delivery[id]?.text, !text.isEmpty else { continue }
            lines.append("    " + TerminalText.visible(text))
        }
        lines.append("    " + details.joined(separator: " · "))
        return lines
    }

    private var source: NotificationSourceValue { delivery.source }

    /// The app, who or what, and what the flags say; of a removed notification only the UID is left.
    private var heading: String {
        let category = source.categoryID.description
        guard source.eventID != .removed else {
            return "uid \(source.notificationUID.rawValue) · \(category)"
        }
        let app = delivery.displayName?.text ?? delivery[.appIdentifier]?.text
        var heading = TerminalText.visible(app ?? category)
        if let title = delivery[.title]?.text, !title.isEmpty {
            heading += " · " + TerminalText.visible(title)
        }
        if delivery.isPreExisting {
            heading += delivery.wasSeen == false ? " (new since last time)" : " (was there before)"
        }
        if source.eventFlags.contains(.important) { heading += " !" }
        return heading
    }

    private var details: [String] {
        var details = ["uid \(source.notificationUID.rawValue)", source.categoryID.description]
        if let date = delivery[.date], !date.octets.isEmpty {
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
        if let failure = delivery.failure { details.append("incomplete: \(failure.explanation)") }
        return details
    }

    private static func mark(_ event: EventID) -> String {
        switch event {
        case .added: "+"
        case .modified: "~"
        case .removed: "-"
        default: "?"
        }
    }
}

extension RequestFailure {
    /// Why something is missing, in words.
    var explanation: String {
        switch self {
        case .refused(let error): "the phone refused (\(error.description))"
        case .timedOut: "the phone did not answer in time"
        case .removed: "the notification was removed meanwhile"
        case .sessionEnded: "the session ended"
        case .evicted: "too many notifications at once"
        case .responseTooLong: "the answer was too long"
        case .contentUnavailable: "the phone offers no content"
        }
    }
}
