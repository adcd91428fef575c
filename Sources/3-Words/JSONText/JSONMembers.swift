internal import Octets

/// Receives the members of an object in order: as a tree (an array of ``JSONValue/Member``) or as octets
/// (``JSONWriter``). A type thus describes its members once, for both.
public protocol JSONMembers {
    /// Adds a member.
    mutating func add(_ name: StaticString, _ value: JSONValue)

    /// Adds a member that is a text in UTF-8, with U+FFFD in place of what is not.
    mutating func add(_ name: StaticString, text octets: [UInt8])

    /// Adds a member that is a text of at most this many octets without anything to escape, which `write` appends.
    mutating func addText(
        _ name: StaticString, atMost count: Int, _ write: (inout OutputSpan<UInt8>) -> Void)

    /// Adds a member that is an array of texts.
    mutating func add(_ name: StaticString, texts: [String])

    /// Adds members.
    mutating func add(_ members: [JSONValue.Member])

    /// Adds a member that is an object, whose members `describe` adds.
    mutating func add(_ name: StaticString, object describe: (inout Self) -> Void)

    /// Adds a member that is an array of objects, whose members `describe` adds.
    mutating func add<Object>(
        _ name: StaticString, objects: [Object], _ describe: (Object, inout Self) -> Void)
}

extension JSONMembers {
    /// Adds a member that is a text.
    public mutating func add(_ name: StaticString, text octets: [UInt8]) {
        add(name, .string(UTF8Text.repaired(octets)))
    }

    /// Adds a member that is a text of at most this many octets without anything to escape, which `write` appends.
    public mutating func addText(
        _ name: StaticString, atMost count: Int, _ write: (inout OutputSpan<UInt8>) -> Void
    ) { add(name, text: [UInt8](count: count, write)) }

    /// Adds a member that is an array of texts.
    public mutating func add(_ name: StaticString, texts: [String]) {
        add(name, .array(texts.map { .string($0) }))
    }

    /// Adds a member if it has a value.
    public mutating func add(_ name: StaticString, present value: JSONValue?) {
        if let value { add(name, value) }
    }
}

/// What describes itself as an object, member by member.
package protocol JSONDescribed {
    /// Adds the members, in order.
    func describe(to object: inout some JSONMembers)
}

extension JSONDescribed {
    /// The members.
    package var jsonMembers: [JSONValue.Member] { [JSONValue.Member](describedBy: describe) }
}

extension [JSONValue.Member]: JSONMembers {
    /// The members that `describe` adds.
    public init(describedBy describe: (inout Self) -> Void) {
        self = []
        describe(&self)
    }

    /// Appends a member.
    public mutating func add(_ name: StaticString, _ value: JSONValue) {
        append(JSONValue.Member(name.description, value))
    }

    /// Appends members.
    public mutating func add(_ members: [JSONValue.Member]) { self += members }

    /// Appends a member that is an object.
    public mutating func add(_ name: StaticString, object describe: (inout Self) -> Void) {
        add(name, .object(Self(describedBy: describe)))
    }

    /// Appends a member that is an array of objects.
    public mutating func add<Object>(
        _ name: StaticString, objects: [Object], _ describe: (Object, inout Self) -> Void
    ) {
        let values = objects.map { object in
            JSONValue.object(Self(describedBy: { members in describe(object, &members) }))
        }
        add(name, .array(values))
    }
}

extension [JSONValue.Member] {
    /// Those of these members that have a value, in order.
    public init(present members: KeyValuePairs<String, JSONValue?>) {
        self = []
        reserveCapacity(members.count)
        for (name, value) in members { if let value { append(JSONValue.Member(name, value)) } }
    }
}

extension JSONValue {
    /// An object with those of these members that have a value.
    public static func object(present members: KeyValuePairs<String, JSONValue?>) -> JSONValue {
        .object([Member](present: members))
    }
}
