internal import ANCSService
internal import ANCS
internal import ANCSKit
internal import JSONText
internal import Octets

/// Decodes lines `ns HEX`, `cp HEX` and `ds HEX [HEX...]`. A `ds` line answers the `cp` line before it;
/// its words are the values in which the answer came.
struct LineDecoder {
    /// The command that a Data Source line answers.
    private var command: ControlPointCommand?

    /// What a line says, as an object with a `kind`; `nil` for blank lines and comments.
    mutating func decode(_ line: String) -> JSONValue? {
        let words = line.prefix { $0 != "#" }.split(whereSeparator: \.isWhitespace)
        guard let keyword = words.first else { return nil }
        guard let kind = Kind(keyword: keyword) else {
            let shown = TerminalText.visible(String(keyword.prefix(20)))
            return Self.failure("unknown", "a line starts with ns, cp or ds, not with '\(shown)'")
        }
        if kind == .controlPoint { command = nil }
        let values: [[UInt8]]
        switch octets(of: words.dropFirst()) {
        case .success(let octets): values = octets
        case .failure(let error): return Self.failure(kind.rawValue, error.text)
        }
        switch kind {
        case .notificationSource: return Self.notificationSource(values.flatMap { $0 })
        case .controlPoint:
            let octets = values.flatMap { $0 }
            command = try? ControlPointCommand(decoding: octets.span)
            return Self.controlPoint(octets)
        case .dataSource: return DataSourceDecoder(command: command).decode(values)
        }
    }

    /// What a value of the Notification Source says.
    static func notificationSource(_ octets: [UInt8]) -> JSONValue {
        do throws(DecodingError) {
            let value = try NotificationSourceValue(decoding: octets.span)
            return .object([JSONValue.Member("kind", "notificationSource")] + value.jsonMembers)
        } catch {
            let rule = "a Notification Source value has exactly 8 octets, this one \(octets.count)"
            let fault = octets.count < NotificationSourceValue.count ? "truncated" : "excess"
            let offset = min(octets.count, NotificationSourceValue.count)
            return failure("notificationSource", "\(fault) at octet \(offset): \(rule)")
        }
    }

    /// What a write to the Control Point says.
    static func controlPoint(_ octets: [UInt8]) -> JSONValue {
        do throws(ControlPointCommand.Rejection) {
            let command = try ControlPointCommand(decoding: octets.span)
            return .object([JSONValue.Member("kind", "controlPoint")] + command.jsonMembers)
        } catch {
            return [
                "kind": "controlPoint", "error": .string(error.text),
                "attError": .integer(Int(error.error.rawValue)),
            ]
        }
    }

    private static func failure(_ kind: String, _ text: String) -> JSONValue {
        ["kind": .string(kind), "error": .string(text)]
    }

    /// What a line holds, as its object names it.
    private enum Kind: String {
        case notificationSource
        case controlPoint
        case dataSource

        init?(keyword: some StringProtocol) {
            switch keyword.lowercased() {
            case "ns": self = .notificationSource
            case "cp": self = .controlPoint
            case "ds": self = .dataSource
            default: return nil
            }
        }
    }

    private struct HexadecimalError: Error {
        var text: String
    }

    private func octets(
        of words: some Sequence<Substring>
    ) -> Result<[[UInt8]], HexadecimalError> {
        var values: [[UInt8]] = []
        for word in words {
            guard let octets = Hexadecimal.octets(String(word)) else {
                let shown = TerminalText.visible(String(word.prefix(20)))
                let offset = values.reduce(0) { $0 + $1.count }
                return .failure(
                    HexadecimalError(
                        text:
                            "not hexadecimal at octet \(offset): '\(shown)' is not an even number "
                            + "of hexadecimal digits"))
            }
            values.append(octets)
        }
        return .success(values)
    }
}

extension ControlPointCommand {
    /// The command and its parameters.
    var jsonMembers: [JSONValue.Member] {
        [JSONValue.Member("command", .string(commandID.description))] + parameters
    }

    private var parameters: [JSONValue.Member] {
        switch self {
        case .getNotificationAttributes(let command):
            [
                JSONValue.Member("uid", .integer(Int(command.notificationUID.rawValue))),
                JSONValue.Member("attributes", .array(command.attributes.map(\.json))),
            ]
        case .getAppAttributes(let command):
            [
                JSONValue.Member("appIdentifier", .string(command.appIdentifier.description)),
                JSONValue.Member("attributes", .array(command.attributes.map(\.json))),
            ]
        case .performNotificationAction(let command):
            [
                JSONValue.Member("uid", .integer(Int(command.notificationUID.rawValue))),
                JSONValue.Member("action", .string(command.actionID.description)),
                JSONValue.Member("actionID", .integer(Int(command.actionID.rawValue))),
            ]
        }
    }
}

extension NotificationAttributeRequest {
    fileprivate var json: JSONValue {
        var members = [
            JSONValue.Member("id", .integer(Int(id.rawValue))),
            JSONValue.Member("name", .string(id.description)),
        ]
        if let maxLength {
            members.append(JSONValue.Member("maxLength", .integer(Int(maxLength))))
        }
        return .object(members)
    }
}

extension AppAttributeID {
    fileprivate var json: JSONValue {
        ["id": .integer(Int(rawValue)), "name": .string(description)]
    }
}

extension ControlPointCommand.Rejection {
    /// What is wrong and where, in one sentence.
    fileprivate var text: String {
        switch reason {
        case .empty:
            "truncated at octet 0: a command has at least a command identifier"
        case .unknownCommand(let command):
            "unknown command at octet 0: \(command.rawValue) is reserved"
        case .truncated:
            "truncated at octet \(offset): the notification identifier or the action is missing"
        case .unterminatedAppIdentifier:
            "truncated at octet \(offset): no NUL ends the app identifier"
        case .invalidAppIdentifier:
            "invalid at octet \(offset): the app identifier is not UTF-8"
        case .missingMaximumLength(let id):
            "truncated at octet \(offset): \(id) needs a maximum length of two octets"
        case .excess(let count):
            "excess at octet \(offset): the command ends there, \(count) too many"
        }
    }
}
