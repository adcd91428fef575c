internal import ANCSService
internal import ANCS
internal import JSONText
internal import Octets

/// Explains an answer on the Data Source, with the command that it answers or without.
struct DataSourceDecoder {
    /// The command that the answer belongs to, if it is known.
    var command: ControlPointCommand?

    private static let limits = ResponseLimits()
    /// So many of the octets after an answer are shown.
    private static let trailingLimit = 64

    /// The answer that came in these values.
    func decode(_ values: [[UInt8]]) -> JSONValue {
        let count = values.reduce(0) { $0 + $1.count }
        guard count <= Self.limits.maximumOctets else {
            let limit = Self.limits.maximumOctets
            return failure("too long at octet \(limit): an answer has at most \(limit) octets")
        }
        let expected = command.flatMap {
            ResponseAssembler(answering: $0, limits: Self.limits, keepingEverything: true)
        }
        var assembler = expected ?? ResponseAssembler(limits: Self.limits)
        var trailing: [UInt8] = []
        for value in values {
            if case .complete = assembler.progress {
                trailing += value
                continue
            }
            assembler.receive(value.span)
            if case .complete(let excess) = assembler.progress { trailing += value.suffix(excess) }
        }
        switch assembler.progress {
        case .failed(.unexpectedIdentity(let identity)):
            return mismatch(identity, values)
        case .failed(.unexpectedCommand(let id)):
            return failure("unexpected command at octet 0: \(id.rawValue) has no answer")
        case .failed(.tooLong):
            return failure("invalid at octet 1: no NUL ends the app identifier")
        case .incomplete:
            return object(
                assembler, why: why(assembler, count, isAnswer: expected != nil))
        case .complete:
            return object(assembler, trailing: trailing)
        }
    }

    private func failure(_ text: String) -> JSONValue {
        ["kind": "dataSource", "complete": false, "error": .string(text)]
    }

    /// An answer to another command is shown, and said to be one.
    private func mismatch(_ identity: ResponseIdentity, _ values: [[UInt8]]) -> JSONValue {
        var assembler = ResponseAssembler(limits: Self.limits)
        for value in values { assembler.receive(value.span) }
        let asked = command.flatMap { ResponseIdentity(answering: $0) }?.text ?? "nothing"
        let offset = identity.commandID == command?.commandID ? 1 : 0
        return object(
            assembler,
            error: "mismatch at octet \(offset): the answer is about \(identity.text), "
                + "the command before it about \(asked)")
    }

    private func object(
        _ assembler: ResponseAssembler, why: String? = nil, trailing: [UInt8] = [],
        error: String? = nil
    ) -> JSONValue {
        var members = [JSONValue.Member("kind", "dataSource")]
        if let identity = assembler.identity { members += identity.jsonMembers }
        let isApp = assembler.identity?.commandID == .getAppAttributes
        let attributes = assembler.attributes.map { json($0, isApp: isApp) }
        members.append(JSONValue.Member("attributes", .array(attributes)))
        members.append(JSONValue.Member("complete", .boolean(why == nil && error == nil)))
        if let why { members.append(JSONValue.Member("why", .string(why))) }
        if !trailing.isEmpty {
            let shown = Array(trailing.prefix(Self.trailingLimit))
            members.append(JSONValue.Member("trailing", .string(Hexadecimal.text(shown))))
            members.append(JSONValue.Member("trailingCount", .integer(trailing.count)))
        }
        if let error { members.append(JSONValue.Member("error", .string(error))) }
        return .object(members)
    }

    private func json(_ attribute: AttributeValue, isApp: Bool) -> JSONValue {
        var members = [
            JSONValue.Member("id", .integer(Int(attribute.id))),
            JSONValue.Member("name", .string(Self.name(attribute.id, isApp: isApp))),
            JSONValue.Member("length", .integer(Int(attribute.length))),
            JSONValue.Member("value", .string(attribute.text)),
        ]
        if !attribute.isValidUTF8 {
            members.append(JSONValue.Member("octets", .string(Hexadecimal.text(attribute.octets))))
        }
        return .object(members)
    }

    private static func name(_ id: UInt8, isApp: Bool) -> String {
        isApp
            ? AppAttributeID(rawValue: id).description
            : NotificationAttributeID(rawValue: id).description
    }

    /// What is missing, and where it would come; `nil` if an answer to an unknown command could end
    /// here.
    private func why(
        _ assembler: ResponseAssembler, _ count: Int, isAnswer: Bool
    ) -> String? {
        guard let identity = assembler.identity else {
            return "truncated at octet \(count): the answer ends in its header"
        }
        let isApp = identity.commandID == .getAppAttributes
        if let partial = assembler.partial {
            return "truncated at octet \(count): \(Self.name(partial.id, isApp: isApp)) has "
                + "\(partial.received) of \(partial.length) octets"
        }
        guard assembler.isBetweenAttributes else {
            return "truncated at octet \(count): the length of an attribute is missing"
        }
        guard isAnswer else { return nil }
        let missing = requested.filter { id in
            !assembler.attributes.contains { $0.id == id }
        }
        let names = missing.map { Self.name($0, isApp: isApp) }.joined(separator: ", ")
        return "truncated at octet \(count): \(names) missing"
    }

    private var requested: [UInt8] {
        switch command {
        case .getNotificationAttributes(let command): command.attributes.map(\.id.rawValue)
        case .getAppAttributes(let command): command.attributes.map(\.rawValue)
        case .performNotificationAction, nil: []
        }
    }
}

extension ResponseIdentity {
    fileprivate var jsonMembers: [JSONValue.Member] {
        let command = JSONValue.Member("command", .string(commandID.description))
        switch self {
        case .notification(let uid):
            return [command, JSONValue.Member("uid", .integer(Int(uid.rawValue)))]
        case .app(let app):
            return [command, JSONValue.Member("appIdentifier", .string(app.description))]
        }
    }

    fileprivate var text: String {
        switch self {
        case .notification(let uid): "notification \(uid)"
        case .app(let app): "app '\(app)'"
        }
    }
}
