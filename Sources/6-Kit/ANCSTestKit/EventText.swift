internal import ANCSKit
internal import EventLines

/// Describes events in words, for the messages of failures: `peer(id, .disconnected(.left))` becomes `peer 1
/// disconnected "this side ended the session"`. It uses reflection, so it can describe new events too.
enum EventText {
    /// Longer texts are cut.
    private static var limit: Int { 160 }

    static func text(of event: Any, side: Reporter.Side = .adapter) -> String {
        if let sentence = sentence(of: event, side) { return sentence }
        let text = parts(of: event).joined(separator: " ")
        return text.count > limit ? text.prefix(limit) + "…" : text
    }

    /// What the commands say of an event of a device or of a peer.
    private static func sentence(of event: Any, _ side: Reporter.Side) -> String? {
        switch event {
        case AdapterEvent.device(let event): sentence(of: event, side)
        case AdapterEvent.peer(_, let event): sentence(of: event, side)
        case ConsumerEvent.device(let event): sentence(of: event, .accessory)
        case ConsumerEvent.peer(_, let event): sentence(of: event, .accessory)
        case ConsumerEvent.notification(let notification): words(of: notification, "")
        case ConsumerEvent.session(_, .announced(let notification)):
            words(of: notification, "announced: ")
        case ProviderEvent.device(let event): sentence(of: event, .phone)
        case ProviderEvent.peer(_, let event): sentence(of: event, .phone)
        case let event as DeviceEvent: event.line(for: Reporter(side: side, name: "it")).log
        case let event as PeerEvent: event.line(for: Reporter(side: side, name: "it")).log
        default: nil
        }
    }

    /// What happened to a notification, with its texts.
    private static func words(of notification: ReceivedNotification, _ start: String) -> String? {
        let texts = [notification.title, notification.subtitle, notification.message]
        let quoted = texts.filter { !$0.isEmpty }.map { " “\($0)”" }.joined()
        let text =
            "\(start)\(notification.event) uid \(notification.uid) \(notification.category)\(quoted)"
        return text.count > limit ? text.prefix(limit) + "…" : text
    }

    /// The parts of a value that are worth reporting.
    private static func parts(of value: Any) -> [String] {
        let mirror = Mirror(reflecting: value)
        switch (value, mirror.displayStyle) {
        case (let reason as DisconnectReason, _): return [reason.message.debugDescription]
        case (let failure as SecurityFailure, _): return [failure.message.debugDescription]
        case (let failure as ControllerFailure, _): return [failure.message.debugDescription]
        case (let warning as DeviceWarning, _): return [warning.message.debugDescription]
        case (_, .optional): return mirror.children.flatMap { parts(of: $0.value) }
        case (let text as String, _): return text.isEmpty ? [] : [text.debugDescription]
        case (let octets as [UInt8], _): return ["\(octets.count) octets"]
        case (let value as any RawRepresentable, .struct): return parts(of: value.rawValue)
        case (_, .enum):
            // A case without associated values has no children, and its description is its name.
            guard let child = mirror.children.first else { return [words("\(value)")] }
            // What happened to the device itself needs no topic.
            if child.value is DeviceEvent { return parts(of: child.value) }
            return [child.label.map(words) ?? ""] + parts(of: child.value)
        case (let value as any CustomStringConvertible, _): return [value.description]
        case (_, .class), (_, .foreignReference): return [words("\(mirror.subjectType)")]
        case (_, .struct), (_, .tuple), (_, .collection), (_, .set), (_, .dictionary):
            return mirror.children.flatMap { parts(of: $0.value) }
        case (_, nil): return ["\(value)"]
        @unknown default: return []
        }
    }

    /// Separates the words of a name: `sessionStarted` becomes `session started`.
    private static func words(_ name: String) -> String {
        name.reduce(into: "") { words, character in
            if character.isUppercase, !words.isEmpty, words.last != " " { words.append(" ") }
            words += character.lowercased()
        }
    }
}
