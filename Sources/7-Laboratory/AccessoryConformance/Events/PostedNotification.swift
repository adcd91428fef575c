package import ANCSKit
package import Kinds

/// A notification as the phone shows it.
package struct PostedNotification: Equatable, Sendable {
    package var notification: ProviderNotification
    /// The name of its app.
    package var appName: String?

    package init(notification: ProviderNotification, appName: String?) {
        self.notification = notification
        self.appName = appName
    }

    /// The members of its object: those of `ancs receive`, for what the phone knows of it.
    package var jsonMembers: [JSONValue.Member] {
        let actions = labels.map { JSONValue.Member($0.name, .string($0.label)) }
        let app = [JSONValue.Member](present: [
            "identifier": .string(notification.appIdentifier.description),
            "displayName": appName.map { .string($0) },
        ])
        return [JSONValue.Member](present: [
            "flags": .array(notification.eventFlags.names.map { .string($0) }),
            "category": .string(notification.categoryID.description),
            "categoryID": .integer(Int(notification.categoryID.rawValue)), "app": .object(app),
            "title": .string(title), "subtitle": .string(text(notification.subtitle)),
            "message": .string(text(notification.message)),
            "date": notification.date.map { .string($0.description) },
            "actions": actions.isEmpty ? nil : .object(actions),
        ]) + actions
    }

    /// The subtitle and the message, where present.
    package var texts: [String] {
        [notification.subtitle, notification.message].filter { !$0.isEmpty }.map(text)
    }

    /// The labels of its actions, each with its sign.
    package var signedLabels: [String] { labels.map { "\($0.sign) \($0.label)" } }

    package var title: String { text(notification.title) }

    /// The notification as the phone shows it to its user; one that is gone, by its name alone.
    package func view(_ mark: String, isGone: Bool) -> Line.View {
        let app = appName ?? notification.appIdentifier.description
        let heading = "\(mark) " + (title.isEmpty ? app : "\(app) · \(title)")
        guard !isGone else { return .sight(heading) }
        return .sight(
            heading + (notification.isImportant ? " !" : ""), texts: texts, details: signedLabels)
    }

    /// The heading of the notification at its prompt.
    package func heading(_ id: NotificationID, _ mark: String) -> String {
        let heading = [
            "\(mark) \(id.rawValue)", notification.categoryID.description,
            notification.appIdentifier.description, title,
        ].filter { !$0.isEmpty }
        return heading.joined(separator: " · ") + (notification.isImportant ? " !" : "")
    }

    /// What is below that heading.
    package var below: [Line.Below] {
        let details = (notification.date.map { [$0.description] } ?? []) + signedLabels
        return (texts + (details.isEmpty ? [] : [details.joined(separator: " · ")]))
            .map { .text($0) }
    }

    private var labels: [(name: String, sign: String, label: String)] {
        [
            ("positive", "✓", notification.positiveActionLabel),
            ("negative", "✗", notification.negativeActionLabel),
        ].compactMap { name, sign, label in label.map { (name, sign, text($0)) } }
    }

    private func text(_ octets: [UInt8]) -> String { String(decoding: octets, as: UTF8.self) }
}

extension NotificationProvider {
    /// A notification with the name of its app, or `nil` if there is no such notification.
    package func posted(_ id: NotificationID) -> PostedNotification? {
        notification(id).map { notification in
            PostedNotification(
                notification: notification, appName: displayName(of: notification.appIdentifier))
        }
    }
}

extension PostedNotification {
    /// What the phone shows of a notification.
    package static let content: LineKind.Members = [
        "flags?": .flags, "category?": .text, "categoryID?": .octet, "app?": .app, "title?": .text,
        "subtitle?": .text, "message?": .text, "date?": .text, "actions?": .labels,
        "positive?": .text.described("as in `actions`, where version 0.1 had it"),
        "negative?": .text.described("likewise"),
    ]
}
