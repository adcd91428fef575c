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
    /// It is active: it was answered, or made on the phone.
    case answered
    /// It is over: see ``CallOutcome``.
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
        let app = notification.app
        return [JSONValue.Member](present: [
            "category": .string(notification.category.description),
            "flags": .array(notification.flags.names.map { .string($0) }),
            "app": text(app.identifier), "appName": text(app.displayName ?? ""),
            "appNamePlain": text(app.plainName ?? ""),
            "rule": record.verdict.rule.map { .string($0) },
            "outcome": record.outcome.map { .string($0.rawValue) },
        ])
    }

    private var texts: [JSONValue.Member] {
        guard content == .full else { return [] }
        let notification = record.notification
        return [JSONValue.Member](present: [
            "title": text(notification.title), "subtitle": text(notification.subtitle),
            "message": text(notification.message),
            "date": notification.date.map { .string($0.text(at: notification.utcOffset)) },
            "code": record.code.map { .string($0) },
        ])
    }

    private var caller: [JSONValue.Member] {
        guard content == .full else { return [] }
        return [JSONValue.Member](present: ["caller": text(record.notification.title)])
    }

    /// The text, cut; `nil` if it is empty.
    private func text(_ text: String) -> JSONValue? {
        guard !text.isEmpty else { return nil }
        return .string(String(String.UnicodeScalarView(text.unicodeScalars.prefix(Self.textLimit))))
    }
}
