package import DBus

/// An interface of an object on the bus: the table that answers calls and provides the introspection data.
package struct BusInterface<Object>: Sendable {
    /// An argument or a result.
    package struct Argument: Equatable, Sendable {
        package var name: String
        /// Its signature.
        package var type: String

        package init(_ name: String, _ type: String) {
            (self.name, self.type) = (name, type)
        }
    }

    /// Replies to a call, exactly once, immediately or later.
    package typealias Reply = @Sendable (Result<[BusValue], ServiceError>) -> Void

    package struct Method: Sendable {
        var name: String
        var arguments: [Argument] = []
        var results: [Argument] = []
        var call: @Sendable (Object, [BusValue], @escaping Reply) throws(ServiceError) -> Void
    }

    package struct Property: Sendable {
        var name: String
        var type: String
        /// Whether it is part of signals. Text of notifications is not, because any program on the bus can
        /// receive signals.
        var isReported = true
        var value: @Sendable (Object) -> BusValue
    }

    package struct Signal: Sendable {
        var name: String
        var arguments: [Argument]
    }

    package var name: String
    var methods: [Method] = []
    var properties: [Property] = []
    var signals: [Signal] = []
}

extension BusInterface.Method {
    /// A method that replies immediately.
    init(
        name: String, arguments: [BusInterface.Argument] = [],
        results: [BusInterface.Argument] = [],
        answer: @escaping @Sendable (Object, [BusValue]) throws(ServiceError) -> [BusValue]
    ) {
        self.init(name: name, arguments: arguments, results: results) {
            object, values, reply throws(ServiceError) in
            reply(.success(try answer(object, values)))
        }
    }
}

extension BusInterface {
    /// The properties of an object, as `a{sv}`: those in signals, or all.
    func properties(of object: Object, forSignal: Bool) -> BusValue {
        let entries = properties.filter { $0.isReported || !forSignal }
            .map { ($0.name, BusValue.variant($0.value(object))) }
        return .dictionary(
            Dictionary(uniqueKeysWithValues: entries.map { (.string($0.0), $0.1) }), key: "s",
            value: "v")
    }

    /// Answers a call of one of the methods.
    func answer(_ call: BusMethodCall, at object: Object, _ reply: BusReply) {
        guard let method = methods.first(where: { $0.name == call.member }) else {
            return reply.fail(
                BusError(BusError.unknownMethod, "\(name) has no method \(call.member)"))
        }
        let signature = call.arguments.map(\.signature).joined()
        guard signature == method.arguments.map(\.type).joined() else {
            let list = method.arguments.map { "\($0.name) (\($0.type))" }
            let wanted = list.isEmpty ? "no arguments" : list.joined(separator: ", ")
            return reply.fail(
                BusError(BusError.invalidArguments, "\(method.name) takes \(wanted)"))
        }
        do throws(ServiceError) {
            try method.call(object, call.arguments) { result in
                switch result {
                case .success(let values): reply.succeed(values)
                case .failure(let error): reply.fail(BusError(error))
                }
            }
        } catch { reply.fail(BusError(error)) }
    }

    /// Answers `Get` and `GetAll`; properties cannot be set.
    func answerProperties(_ call: BusMethodCall, at object: Object, _ reply: BusReply) {
        guard call.member != "Set" else {
            return reply.fail(
                BusError("org.freedesktop.DBus.Error.PropertyReadOnly", "properties are read-only"))
        }
        let words = call.arguments.compactMap(\.string)
        guard words.count == call.arguments.count, words.first == name || words.first == "" else {
            return reply.fail(
                BusError(BusError.unknownInterface, "the object has the interface \(name)"))
        }
        switch (call.member, words.count) {
        case ("GetAll", 1): reply.succeed([properties(of: object, forSignal: false)])
        case ("Get", 2):
            guard let property = properties.first(where: { $0.name == words[1] }) else {
                return reply.fail(
                    BusError(BusError.unknownProperty, "\(name) has no property \(words[1])"))
            }
            reply.succeed([.variant(property.value(object))])
        case _: reply.fail(BusError(BusError.unknownMethod, "no such method with these arguments"))
        }
    }

    /// Answers a call of this interface or of its properties. D-Bus allows callers to omit the interface.
    func answerAny(_ call: BusMethodCall, at object: Object, _ reply: BusReply) {
        switch call.interface {
        case name, "": answer(call, at: object, reply)
        case "org.freedesktop.DBus.Properties": answerProperties(call, at: object, reply)
        case _:
            reply.fail(
                BusError(BusError.unknownInterface, "the object has the interface \(name)"))
        }
    }

    /// The interface in the *Introspection Data Format*.
    var introspection: String {
        var lines = ["  <interface name=\"\(name)\">"]
        for method in methods {
            let arguments = method.arguments.map { Self.line($0, direction: "in") }
            let results = method.results.map { Self.line($0, direction: "out") }
            lines += Self.element("method", method.name, arguments + results)
        }
        for property in properties {
            let opening = "name=\"\(property.name)\" type=\"\(property.type)\" access=\"read\""
            guard !property.isReported else {
                lines.append("    <property \(opening)/>")
                continue
            }
            let annotation = "org.freedesktop.DBus.Property.EmitsChangedSignal"
            lines += [
                "    <property \(opening)>",
                "      <annotation name=\"\(annotation)\" value=\"false\"/>",
                "    </property>",
            ]
        }
        for signal in signals {
            lines += Self.element(
                "signal", signal.name, signal.arguments.map { Self.line($0, direction: nil) })
        }
        return (lines + ["  </interface>\n"]).joined(separator: "\n")
    }

    private static func element(_ kind: String, _ name: String, _ lines: [String]) -> [String] {
        lines.isEmpty
            ? ["    <\(kind) name=\"\(name)\"/>"]
            : ["    <\(kind) name=\"\(name)\">"] + lines + ["    </\(kind)>"]
    }

    private static func line(_ argument: Argument, direction: String?) -> String {
        let direction = direction.map { " direction=\"\($0)\"" } ?? ""
        return "      <arg name=\"\(argument.name)\" type=\"\(argument.type)\"\(direction)/>"
    }
}

extension BusError {
    /// The error with a name that programs can test: `org.swift_ancs.Error.NotConnected`.
    init(_ error: ServiceError) {
        let code = error.code.rawValue
        self.init(
            BusNames.errors + code.prefix(1).uppercased() + code.dropFirst(),
            error.message.fitForBus)
    }
}

extension ServiceError {
    /// Parses an error of the daemon; `nil` for an error of the bus.
    package init?(_ error: BusError) {
        guard error.name.hasPrefix(BusNames.errors) else { return nil }
        let name = error.name.dropFirst(BusNames.errors.count)
        guard let code = Code(rawValue: name.prefix(1).lowercased() + name.dropFirst()) else {
            return nil
        }
        self.init(code, error.message)
    }
}

/// The daemon's names on the bus.
package enum BusNames {
    package static let service = "org.swift_ancs.ANCS1"
    package static let root: ObjectPath = "/org/swift_ancs/ANCS1"
    package static let manager = "org.swift_ancs.Manager1"
    package static let phone = "org.swift_ancs.Phone1"
    package static let notification = "org.swift_ancs.Notification1"
    static let errors = "org.swift_ancs.Error."
    static let objectManager = "org.freedesktop.DBus.ObjectManager"
}
