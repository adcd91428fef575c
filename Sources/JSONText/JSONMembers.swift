/// What takes the members of an object, in order: a tree (an array of ``JSONValue/Member``) or a line of octets
/// (``JSONWriter``). What has members says them once, to either.
public protocol JSONMembers {
    /// Takes a member.
    mutating func add(_ name: StaticString, _ value: JSONValue)

    /// Takes a member that is an array of objects, whose members `describe` says.
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
