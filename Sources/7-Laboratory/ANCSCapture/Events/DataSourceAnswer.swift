public import ANCS

/// An answer on the Data Source, to a known command or to an unknown one, decoded once for the text and the
/// JSON.
public struct DataSourceAnswer: Equatable, Sendable {
    /// What is wrong with an incomplete answer.
    public enum Fault: Equatable, Sendable {
        /// Octets are missing.
        case incomplete(String)
        /// The octets are not the answer to the command.
        case error(String)

        /// What is missing and where, or what is wrong and where.
        public var message: String {
            switch self {
            case .incomplete(let text), .error(let text): text
            }
        }
    }

    /// What the octets are an answer about, if they begin as one.
    public var identity: ResponseIdentity?
    /// The complete attributes, in the order in which they arrived; `nil` if the octets are not an answer.
    public var attributes: [AttributeValue]?
    /// The octets after the answer.
    public var trailing: [UInt8] = []
    /// What is wrong.
    public var fault: Fault?

    private static let limits = ResponseLimits()
    /// How many of the octets after an answer are shown.
    package static let trailingLimit = 64

    private init(fault: Fault) { self.fault = fault }

    private init(_ assembler: ResponseAssembler) {
        identity = assembler.identity
        attributes = assembler.attributes
    }

    /// The result of an assembler that received `count` octets, as the answer to a command or to an unknown
    /// one.
    ///
    /// It does not include the octets after the answer. An answer to another command is reported as an error
    /// only.
    package init(
        _ assembler: ResponseAssembler, ofOctets count: Int, to command: ControlPointCommand?
    ) {
        guard count <= Self.limits.maximumOctets else {
            let limit = Self.limits.maximumOctets
            self.init(
                fault: .error("too long at octet \(limit): an answer has at most \(limit) octets"))
            return
        }
        if case .failed(let failure) = assembler.progress {
            self.init(fault: .error(Self.text(failure, command)))
            return
        }
        self.init(assembler)
        guard assembler.progress == .incomplete else { return }
        fault = missing(assembler, count, command).map { .incomplete($0) }
    }

    /// Decodes values as the answer to a command or to an unknown one.
    package init(_ values: [[UInt8]], to command: ControlPointCommand?) {
        let expected = command.flatMap { Self.assembler(answering: $0) }
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
        let count = values.reduce(0) { $0 + $1.count }
        self.init(assembler, ofOctets: count, to: expected == nil ? nil : command)
        if attributes != nil { self.trailing = trailing }
        guard case .failed(.unexpectedIdentity) = assembler.progress,
            count <= Self.limits.maximumOctets
        else { return }
        // An answer to another command is shown, and reported as such.
        var other = ResponseAssembler(limits: Self.limits)
        for value in values { other.receive(value.span) }
        identity = other.identity
        attributes = other.attributes
    }

    /// An assembler for the answer to a command, which keeps all of it; `nil` for an action, which has none.
    static func assembler(answering command: ControlPointCommand) -> ResponseAssembler? {
        ResponseAssembler(answering: command, limits: limits, keepingEverything: true)
    }

    /// Whether the attributes are those of an app.
    private var isOfApp: Bool { identity?.commandID == .getAppAttributes }

    /// The name of an attribute.
    package func name(_ id: UInt8) -> String {
        isOfApp
            ? AppAttributeID(rawValue: id).description
            : NotificationAttributeID(rawValue: id).description
    }
}

// MARK: What is wrong

extension DataSourceAnswer {
    private static func text(
        _ failure: ResponseFailure, _ command: ControlPointCommand?
    ) -> String {
        switch failure {
        case .unexpectedIdentity(let identity): mismatch(identity, command)
        case .unexpectedCommand(let id):
            "unexpected command at octet 0: \(id.rawValue) has no answer"
        case .tooLong: "invalid at octet 1: no NUL ends the app identifier"
        }
    }

    private static func mismatch(
        _ identity: ResponseIdentity, _ command: ControlPointCommand?
    ) -> String {
        let asked = command.flatMap { ResponseIdentity(answering: $0) }?.text ?? "nothing"
        let offset = identity.commandID == command?.commandID ? 1 : 0
        return "mismatch at octet \(offset): the answer is for \(identity.text), "
            + "but the command before it is for \(asked)"
    }

    /// What is missing, and where it should be; `nil` if an answer to an unknown command could end here.
    private func missing(
        _ assembler: ResponseAssembler, _ count: Int, _ command: ControlPointCommand?
    ) -> String? {
        guard identity != nil else {
            return "truncated at octet \(count): the answer ends in its header"
        }
        if let partial = assembler.partial {
            return "truncated at octet \(count): \(name(partial.id)) has "
                + "\(partial.received) of \(partial.length) octets"
        }
        guard assembler.isBetweenAttributes else {
            return "truncated at octet \(count): the length of an attribute is missing"
        }
        guard let command else { return nil }
        let missing = command.requestedAttributes.filter { id in
            !assembler.attributes.contains { $0.id == id }
        }
        let names = missing.map(name).joined(separator: ", ")
        return "truncated at octet \(count): \(names) missing"
    }
}

extension ResponseIdentity {
    fileprivate var text: String {
        switch self {
        case .notification(let uid): "notification \(uid)"
        case .app(let app): "app '\(app)'"
        }
    }
}
