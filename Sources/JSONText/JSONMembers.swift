/// Receives the members of an object in order: as a tree (an array of ``JSONValue/Member``) or as octets
/// (``JSONWriter``). A type thus describes its members once, for both.
public protocol JSONMembers {
    /// Adds a member.
    mutating func add(_ name: StaticString, _ value: JSONValue)

    /// Adds a member that is an array of objects, whose members `describe` adds.
    mutating func add<Object>(
        _ name: StaticString, objects: [Object], _ describe: (Object, inout Self) -> Void)
}

extension [JSONValue.Member]: JSONMembers {
    /// Appends a member.
    public mutating func add(_ name: StaticString, _ value: JSONValue) {
        append(JSONValue.Member(name.description, value))
    }

    /// Appends a member that is an array of objects.
    public mutating func add<Object>(
        _ name: StaticString, objects: [Object], _ describe: (Object, inout Self) -> Void
    ) {
        let values = objects.map { object in
            var members = Self()
            describe(object, &members)
            return JSONValue.object(members)
        }
        add(name, .array(values))
    }
}

extension [JSONValue.Member] {
    /// Those of these members that have a value, in order.
    public init(present members: KeyValuePairs<String, JSONValue?>) {
        self = members.compactMap { name, value in value.map { JSONValue.Member(name, $0) } }
    }
}

extension JSONValue {
    /// An object with those of these members that have a value.
    public static func object(present members: KeyValuePairs<String, JSONValue?>) -> JSONValue {
        .object([Member](present: members))
    }
}
