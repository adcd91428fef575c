internal import ANCSKit
internal import ANCSProvider
internal import JSONText
internal import Terminal

/// A notification as the phone shows it.
struct PostedNotification: Equatable, Sendable {
    var notification: ProviderNotification
    /// The name of its app.
    var appName: String?

    /// The members of its object: those of `ancs receive`, for what the phone knows of it.
    var jsonMembers: [JSONValue.Member] {
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
        ])
    }

    /// The subtitle and the message, where present.
    var texts: [String] {
        [notification.subtitle, notification.message].filter { !$0.isEmpty }.map(text)
    }

    /// The labels of its actions, each with its sign.
    var signedLabels: [String] { labels.map { "\($0.sign) \($0.label)" } }

    var title: String { text(notification.title) }

    /// The notification as the phone shows it to its user; one that is gone, by its name alone.
    func view(_ mark: String, isGone: Bool) -> Line.View {
        let app = appName ?? notification.appIdentifier.description
        let heading = "\(mark) " + (title.isEmpty ? app : "\(app) · \(title)")
        guard !isGone else { return .sight(heading) }
        return .sight(
            heading + (notification.isImportant ? " !" : ""), texts: texts, details: signedLabels)
    }

    /// The heading of the notification at its prompt.
    func heading(_ id: NotificationID, _ mark: String) -> String {
        let heading = [
            "\(mark) \(id.rawValue)", notification.categoryID.description,
            notification.appIdentifier.description, title,
        ].filter { !$0.isEmpty }
        return heading.joined(separator: " · ") + (notification.isImportant ? " !" : "")
    }

    /// What is below that heading.
    var below: [Line.Below] {
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
    func posted(_ id: NotificationID) -> PostedNotification? {
        notification(id).map { notification in
            PostedNotification(
                notification: notification, appName: displayName(of: notification.appIdentifier))
        }
    }
}
