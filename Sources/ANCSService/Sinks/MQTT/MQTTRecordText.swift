internal import ANCS
internal import ANCSKit
internal import JSONText
internal import LinuxIO

/// What happens to a notification, as the topic `event` has it.
enum MQTTNotificationEvent: String, Hashable, Sendable, CaseIterable {
    case added
    case modified
    case removed
}

/// What happens to a call, as the topic `call/event` has it.
enum MQTTCallEvent: String, Hashable, Sendable, CaseIterable {
    /// It rings; this is said at its header, before its text is known.
    case incoming
    /// It rings no more: it was answered, declined, or given up.
    case ended
    /// It was missed.
    case missed
    /// A message was left.
    case voicemail
}

/// A record as a broker gets it: as much of it as the configuration, or a rule, says.
struct MQTTRecordText: Sendable {
    /// What has more characters (Unicode scalars) than this is cut: a broker and a recorder keep it.
    private static let textLimit = 1024

    let record: Record
    let content: ServiceConfiguration.Content

    /// Something happened to it.
    func event(_ type: String) -> JSONValue {
        .object([.init("event_type", .string(type))] + identity + header + texts)
    }

    /// A call that rings.
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
