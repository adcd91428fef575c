internal import ANCS
internal import ANCSReceiver
internal import JSONText
internal import LinuxIO

/// An event of a notification, in the topic `event`.
enum MQTTNotificationEvent: String, Equatable, Sendable, CaseIterable {
    case added
    case modified
    case removed
}

/// An event of a call, in the topic `call/event`.
enum MQTTCallEvent: String, Equatable, Sendable, CaseIterable {
    /// It is ringing; published at its header, before its text is known.
    case incoming
    /// It has stopped ringing: it was answered, declined, or ended by the caller.
    case ended
    /// It was missed.
    case missed
    /// A message was left.
    case voicemail
}

/// The published form of a record, with as much of it as the configuration or a rule allows.
struct MQTTRecordText: Sendable {
    /// The limit of a text in characters (Unicode scalars), because brokers and recorders store it.
    private static let textLimit = 1024

    let record: Record
    let content: RecordContent

    /// The JSON object of an event.
    func event(_ type: String) -> JSONValue {
        .object([.init("event_type", .string(type))] + identity + header + texts)
    }

    /// The JSON object of a ringing call.
    var call: JSONValue { .object(identity + header + caller) }

    private var identity: [JSONValue.Member] {
        [
            .init("id", .string(record.id.description)),
            .init("time", .string(record.time.text(fractionDigits: 3))),
        ]
    }

    private var header: [JSONValue.Member] {
        guard content != .none else { return [] }
        let notification = record.notification
        var members: [JSONValue.Member] = [
            .init("category", .string(notification.category.description)),
            .init("flags", .array(notification.flags.names.map { .string($0) })),
        ]
        let app = notification.app
        if !app.identifier.isEmpty { members.append(.init("app", .string(cut(app.identifier)))) }
        if let name = app.displayName, !name.isEmpty {
            members.append(.init("appName", .string(cut(name))))
        }
        if let rule = record.verdict.rule { members.append(.init("rule", .string(rule))) }
        return members
    }

    private var texts: [JSONValue.Member] {
        guard content == .full else { return [] }
        let notification = record.notification
        var members = [
            ("title", notification.title), ("subtitle", notification.subtitle),
            ("message", notification.message),
        ].filter { !$0.1.isEmpty }.map { JSONValue.Member($0.0, .string(cut($0.1))) }
        if let date = notification.date {
            members.append(.init("date", .string(date.text(at: notification.utcOffset))))
        }
        if let code = record.code { members.append(.init("code", .string(code))) }
        return members
    }

    private var caller: [JSONValue.Member] {
        let title = record.notification.title
        guard content == .full, !title.isEmpty else { return [] }
        return [.init("caller", .string(cut(title)))]
    }

    private func cut(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.prefix(Self.textLimit)))
    }
}
