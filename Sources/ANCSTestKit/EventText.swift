internal import ANCSKit
internal import BluetoothLE

/// Events in words, for the reader of a failure: `disconnected(id, .left)` is
/// `disconnected "this side ended the session"`. It knows no event, so that it tells of new ones as well.
enum EventText {
    /// Longer ones are cut.
    private static var limit: Int { 160 }

    static func text(of event: Any) -> String {
        let text = parts(of: event).joined(separator: " ")
        return text.count > limit ? text.prefix(limit) + "…" : text
    }

    /// What is worth telling of a value.
    private static func parts(of value: Any) -> [String] {
        let mirror = Mirror(reflecting: value)
        switch (value, mirror.displayStyle) {
        case (let reason as DisconnectReason, _): return [reason.message.debugDescription]
        case (let failure as SecurityFailure, _): return [failure.message.debugDescription]
        case (let trouble as ControllerTrouble, _): return [trouble.message.debugDescription]
        case (let warning as DeviceWarning, _): return [warning.message.debugDescription]
        case (_, .optional): return mirror.children.flatMap { parts(of: $0.value) }
        case (let text as String, _): return text.isEmpty ? [] : [text.debugDescription]
        case (let octets as [UInt8], _): return ["\(octets.count) octets"]
        case (let value as any RawRepresentable, .struct): return parts(of: value.rawValue)
        case (_, .enum):
            // A case without anything beside it has no children, and its description is its name.
            guard let child = mirror.children.first else { return [words("\(value)")] }
            return [child.label.map(words) ?? ""] + parts(of: child.value)
        case (let value as any CustomStringConvertible, _): return [value.description]
        case (_, .class), (_, .foreignReference): return [words("\(mirror.subjectType)")]
        case (_, .struct), (_, .tuple), (_, .collection), (_, .set), (_, .dictionary):
            return mirror.children.flatMap { parts(of: $0.value) }
        case (_, nil): return ["\(value)"]
        @unknown default: return []
        }
    }

    /// `sessionStarted` is `session started`.
    private static func words(_ name: String) -> String {
        name.reduce(into: "") { words, character in
            if character.isUppercase, !words.isEmpty, words.last != " " { words.append(" ") }
            words += character.lowercased()
        }
    }
}
