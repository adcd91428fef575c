package import DBus

/// An argument or a result of a method, or an argument of a signal.
package struct BusArgument: Equatable, Sendable {
    package var name: String
    /// Its signature.
    package var type: String

    package init(_ name: String, _ type: String) { (self.name, self.type) = (name, type) }
}

/// An interface of an object on the bus: the table that answers calls and provides the introspection data.
///
/// What does not depend on the object is outside, because the rest is compiled for each type of object.
package struct BusInterface<Object>: Sendable {
    package typealias Argument = BusArgument

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
        /// Sets it to a value of its type; `nil` if it is read-only.
        var set: (@Sendable (Object, BusValue) throws(ServiceError) -> Void)?
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
        var values: [(name: String, value: BusValue)] = []
        for property in properties where property.isReported || !forSignal {
            values.append((property.name, property.value(object)))
        }
        return .variants(values)
    }

    /// Answers a call of one of the methods.
    func answer(_ call: BusMethodCall, at object: Object, _ reply: BusReply) {
        guard let method = methods.first(where: { $0.name == call.member }) else {
            return reply.fail(.noMethod(call, of: name))
        }
        if let error = BusError(call, takes: method.arguments) { return reply.fail(error) }
        do throws(ServiceError) {
            try method.call(object, call.arguments) { reply.finish($0) }
        } catch { reply.fail(BusError(error)) }
    }

    /// Answers `Get`, `GetAll` and `Set`.
    func answerProperties(_ call: BusMethodCall, at object: Object, _ reply: BusReply) {
        switch BusPropertyCall(call, of: name) {
        case .all: reply.succeed([properties(of: object, forSignal: false)])
        case .one(let wanted):
            guard let property = properties.first(where: { $0.name == wanted }) else {
                return reply.fail(.noProperty(wanted, of: name))
            }
            reply.succeed([.variant(property.value(object))])
        case .set(let wanted, let value):
            guard let property = properties.first(where: { $0.name == wanted }) else {
                return reply.fail(.noProperty(wanted, of: name))
            }
            guard let set = property.set else { return reply.fail(.readOnly(wanted)) }
            guard case .variant(let value) = value, value.signature == property.type else {
                return reply.fail(
                    BusError(BusError.invalidArguments, "\(wanted) has the type \(property.type)"))
            }
            do throws(ServiceError) {
                try set(object, value)
                reply.succeed()
            } catch { reply.fail(BusError(error)) }
        case .wrong(let error): reply.fail(error)
        }
    }

    /// Answers a call of this interface or of its properties. D-Bus allows callers to omit the interface.
    func answerAny(_ call: BusMethodCall, at object: Object, _ reply: BusReply) {
        switch call.interface {
        case name, "": answer(call, at: object, reply)
        case "org.freedesktop.DBus.Properties": answerProperties(call, at: object, reply)
        case _: reply.fail(.otherInterface(than: name))
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
            let access = property.set == nil ? "read" : "readwrite"
            let opening = "name=\"\(property.name)\" type=\"\(property.type)\" access=\"\(access)\""
            guard !property.isReported else {
                lines.append("    <property \(opening)/>")
                continue
            }
            let annotation = "org.freedesktop.DBus.Property.EmitsChangedSignal"
            lines += [
                "    <property \(opening)>",
                "      <annotation name=\"\(annotation)\" value=\"false\"/>", "    </property>",
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

/// A call about the properties of an interface.
private enum BusPropertyCall {
    case all
    case one(String)
    case set(String, BusValue)
    case wrong(BusError)

    init(_ call: BusMethodCall, of interface: String) {
        let isSetting = call.member == "Set" && call.arguments.count == 3
        let names = isSetting ? call.arguments.dropLast() : call.arguments[...]
        let words = names.compactMap(\.string)
        switch (call.member, words.count) {
        case _ where words.count != names.count || words.first != interface && words.first != "":
            self = .wrong(.otherInterface(than: interface))
        case ("Set", 2) where isSetting: self = .set(words[1], call.arguments[2])
        case ("GetAll", 1): self = .all
        case ("Get", 2): self = .one(words[1])
        case _:
            self = .wrong(BusError(BusError.unknownMethod, "no such method with these arguments"))
        }
    }
}

extension BusValue {
    /// A dictionary of the type `a{sv}`.
    fileprivate static func variants(_ values: [(name: String, value: BusValue)]) -> BusValue {
        let entries = values.map { (BusValue.string($0.name), BusValue.variant($0.value)) }
        return .dictionary(Dictionary(uniqueKeysWithValues: entries), key: "s", value: "v")
    }
}

extension BusReply {
    fileprivate func finish(_ result: Result<[BusValue], ServiceError>) {
        switch result {
        case .success(let values): succeed(values)
        case .failure(let error): fail(BusError(error))
        }
    }
}

extension BusError {
    fileprivate static func noMethod(_ call: BusMethodCall, of interface: String) -> BusError {
        BusError(unknownMethod, "\(interface) has no method \(call.member)")
    }

    fileprivate static func noProperty(_ name: String, of interface: String) -> BusError {
        BusError(unknownProperty, "\(interface) has no property \(name)")
    }

    fileprivate static func readOnly(_ property: String) -> BusError {
        BusError("org.freedesktop.DBus.Error.PropertyReadOnly", "\(property) is read-only")
    }

    fileprivate static func otherInterface(than interface: String) -> BusError {
        BusError(unknownInterface, "the object has the interface \(interface)")
    }

    /// The error for other arguments than a method takes; `nil` if they are right.
    fileprivate init?(_ call: BusMethodCall, takes arguments: [BusArgument]) {
        let signature = call.arguments.map(\.signature).joined()
        guard signature != arguments.map(\.type).joined() else { return nil }
        let list = arguments.map { "\($0.name) (\($0.type))" }
        let wanted = list.isEmpty ? "no arguments" : list.joined(separator: ", ")
        self.init(BusError.invalidArguments, "\(call.member) takes \(wanted)")
    }

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
