package import JSONText

/// The object that programs read of a value: its members in order, each with its schema and with where it comes from.
/// The object and its schema are both made of this description.
package struct ObjectForm<Value>: Sendable {
    /// A member of the object.
    package struct Member: Sendable {
        fileprivate var description: LineKind.Member
        fileprivate var value: @Sendable (Value) -> JSONValue?

        /// - Parameters:
        ///   - name: its name; with `?` at the end, it is left out if there is no value.
        ///   - schema: what the value may be.
        ///   - value: takes it from what is described.
        package init(
            _ name: String, _ schema: SchemaFragment,
            _ value: @escaping @Sendable (Value) -> JSONValue?
        ) {
            description = LineKind.Member(name, schema)
            self.value = value
        }
    }

    fileprivate let members: [Member]
    /// The schema of the object.
    package private(set) var schema: SchemaFragment

    package init(_ members: Member...) { self.init(members) }

    package init(_ members: [Member]) {
        self.members = members
        schema = .object(
            members.map { ($0.description.name, $0.description.value, $0.description.isRequired) })
    }

    /// The same, whose schema stands among the definitions of a schema that has it.
    package func defined(as name: String) -> Self {
        var form = self
        form.schema = schema.defined(as: name)
        return form
    }

    /// The members that a value has.
    package func members(of value: Value) -> [JSONValue.Member] {
        members.compactMap { member in
            member.value(value).map { JSONValue.Member(member.description.name, $0) }
        }
    }

    /// A value as an object.
    package func json(of value: Value) -> JSONValue { .object(members(of: value)) }
}

extension ObjectForm.Member {
    package static func text(
        _ name: String, _ text: @escaping @Sendable (Value) -> String?
    ) -> Self { .text(name, .text, text) }

    package static func text(
        _ name: String, _ schema: SchemaFragment, _ text: @escaping @Sendable (Value) -> String?
    ) -> Self { Self(name, schema) { text($0).map { .string($0) } } }

    package static func texts(
        _ name: String, _ schema: SchemaFragment, _ texts: @escaping @Sendable (Value) -> [String]?
    ) -> Self { Self(name, schema) { texts($0).map { .array($0.map { .string($0) }) } } }

    /// One of the words of an enumeration.
    package static func word<Word: RawRepresentable<String> & CaseIterable & Sendable>(
        _ name: String, _ word: @escaping @Sendable (Value) -> Word?
    ) -> Self { .text(name, .words(Word.allCases.map(\.rawValue))) { word($0)?.rawValue } }

    package static func number(
        _ name: String, _ schema: SchemaFragment, _ number: @escaping @Sendable (Value) -> Int?
    ) -> Self { Self(name, schema) { number($0).map { .integer($0) } } }

    package static func flag(
        _ name: String, _ flag: @escaping @Sendable (Value) -> Bool?
    ) -> Self { Self(name, .boolean) { flag($0).map { .boolean($0) } } }

    package static func object<Part>(
        _ name: String, _ form: ObjectForm<Part>, _ part: @escaping @Sendable (Value) -> Part?
    ) -> Self { Self(name, form.schema) { part($0).map(form.json) } }

    package static func objects<Part>(
        _ name: String, _ form: ObjectForm<Part>, _ parts: @escaping @Sendable (Value) -> [Part]?
    ) -> Self { Self(name, .list(of: form.schema)) { parts($0).map { .array($0.map(form.json)) } } }

    /// The same, which is null if there is no value.
    package var orNull: Self {
        let value = value
        return Self(description.name, .oneOf([.null, description.value])) { value($0) ?? .null }
    }
}

extension LineKind {
    /// A kind of line whose members are those of a value, after others.
    package init<Value>(
        _ event: String, as name: String? = nil, _ meaning: String, _ first: Members = [:],
        then form: ObjectForm<Value>
    ) {
        self.init(
            event, as: name, meaning,
            members: first.map(Member.init) + form.members.map(\.description))
    }

    /// A kind of line whose members are those of a value.
    package init<Value>(_ event: String, _ meaning: String, _ form: ObjectForm<Value>) {
        self.init(event, meaning, then: form)
    }
}
