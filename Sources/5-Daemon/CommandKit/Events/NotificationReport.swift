package import ANCSReceiver
internal import ANCSService
internal import EventLines
package import Printing

/// A notification in the form in which `ancs receive` shows it to users. Its texts are as received. A class, because its
/// line has it twice.
package final class NotificationReport: Sendable {
    package let notification: ReceivedNotification
    /// What was shown of it before: a removal repeats the app and the title.
    package let shown: ReceivedNotification?
    /// How far the local time of this machine is ahead of UTC, at a time in seconds since 1970.
    private let offsetHere: @Sendable (Int) -> UTCOffset?

    package init(
        notification: ReceivedNotification, shown: ReceivedNotification? = nil,
        offsetHere: @escaping @Sendable (Int) -> UTCOffset? = LocalClock.utcOffset
    ) { (self.notification, self.shown, self.offsetHere) = (notification, shown, offsetHere) }

    /// The notification: a heading, then the text, indented.
    package var line: Line { Line(notification.event.description, of: self, .heading) }

    /// A ringing call whose texts have not arrived yet.
    package var announcement: Line {
        Line(
            "announced",
            [JSONValue.Member](describedBy: self.notification.delivery.source.describeNotification),
            "! a call rings · uid \(self.notification.uid.rawValue)", .heading
        ).viewed(.sight("● a call rings"))
    }

    /// The subtitle and the message, where present.
    private var texts: [String] {
        [notification.subtitle, notification.message].filter { !$0.isEmpty }
    }

    /// The app, the title and the flags.
    private var heading: String {
        guard notification.event != .removed else {
            let title = shown.map { Self(notification: $0).title }
            return
                "\(title ?? notification.category.description) · uid \(notification.uid.rawValue)"
        }
        var heading = title
        if let origin { heading += " (\(origin))" }
        if notification.isImportant { heading += " !" }
        return heading
    }

    /// The sign for added, modified, removed, or completed later.
    private var mark: String { notification.isCompletion ? "…" : notification.event.mark }

    /// A remark on a notification that is older than the session.
    private var origin: String? {
        guard notification.isPreExisting else { return nil }
        return notification.wasSeen == false ? "new since last time" : "was there before"
    }

    /// The app and the title.
    private var title: String {
        let app = notification.app.displayName ?? notification[.appIdentifier]?.text
        let title = app ?? notification.category.description
        return notification.title.isEmpty ? title : title + " · " + notification.title
    }

    /// The remaining details.
    package func details(withDate hasDate: Bool = true) -> [String] {
        var details = ["uid \(notification.uid.rawValue)", notification.category.description]
        if hasDate, let date = notification[.date], !date.octets.isEmpty {
            details.append(date.date.map(text) ?? date.text)
        }
        let labels: [(String, NotificationAttributeID)] = [
            ("✓", .positiveActionLabel), ("✗", .negativeActionLabel),
        ]
        for (sign, id) in labels {
            guard let label = notification[id]?.text, !label.isEmpty else { continue }
            details.append("\(sign) " + label)
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
}

extension NotificationReport: LineParts {
    package var sentence: String? { "\(mark) \(heading)" }

    package var below: [Line.Below] {
        guard notification.event != .removed else { return [] }
        return (texts + [details().joined(separator: " · ")]).map { .text($0) }
    }

    /// The notification beside that of the phone, which has the date.
    package var view: Line.View? {
        guard notification.event != .removed else {
            return .sight(
                "\(mark) \(shown.map { Self(notification: $0).title } ?? "a notification")",
                details: ["uid \(notification.uid.rawValue)", notification.category.description])
        }
        return .sight(
            "\(mark) \(title)" + (notification.isImportant ? " !" : ""), texts: texts,
            details: details(withDate: false) + (origin.map { [$0] } ?? []))
    }

    package var detail: String? { nil }
}

extension NotificationReport: JSONDescribed {
    /// Describes the notification without what happened to it; one that is gone, by what was shown of it.
    package func describe(to object: inout some JSONMembers) {
        notification.delivery.source.describeNotification(to: &object)
        if notification.event == .removed {
            shown?.delivery.describeNames(to: &object)
        } else {
            notification.delivery.describeAttributes(to: &object)
        }
    }
}
