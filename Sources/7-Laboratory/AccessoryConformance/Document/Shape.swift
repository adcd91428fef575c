package import Kinds

/// The form of a value in a scenario file: how it is read, and how the JSON Schema describes it.
package struct Shape<Value: Sendable>: Sendable {
    package typealias Reading =
        @Sendable (DocumentCursor, inout StepReader) throws(DocumentError) -> Value

    package var schema: SchemaFragment
    package var read: Reading

    package init(_ schema: SchemaFragment, read: @escaping Reading) {
        self.schema = schema
        self.read = read
    }

    /// The same form with its value transformed.
    package func map<Other: Sendable>(_ transform: @escaping @Sendable (Value) -> Other) -> Shape<
        Other
    > {
        Shape<Other>(schema) { [read] cursor, reader throws(DocumentError) in
            transform(try read(cursor, &reader))
        }
    }

    /// The same form with a definition of its own in the JSON Schema.
    package func named(_ name: String, _ description: String? = nil) -> Self {
        Self(schema.described(description).defined(as: name), read: read)
    }

    /// The same form, typed in another way at the prompt.
    package func typed(_ word: WordForm) -> Self { Self(schema.typed(word), read: read) }

    /// The same form with additions to its JSON Schema.
    package func described(
        _ description: String? = nil, adding members: [JSONValue.Member] = []
    ) -> Self { Self(schema.described(description).adding(members), read: read) }
}

// MARK: Plain values

extension Shape {
    /// A value that needs nothing of the rest of the document.
    package init(_ kind: Kind<Value>) {
        self.init(kind.schema) { cursor, _ throws(DocumentError) in try cursor.read(kind) }
    }

    /// One of several words.
    package static func word(of words: [(String, Value)], _ what: String) -> Self {
        Self(.word(of: words, what))
    }
}

extension Shape where Value == Bool { package static var boolean: Self { Self(.boolean) } }

extension Shape where Value == Int {
    package static func integer(in range: ClosedRange<Int>) -> Self { Self(.integer(in: range)) }
}

extension Shape where Value == Duration { package static var seconds: Self { Self(.seconds) } }

extension Shape where Value == String {
    package static var text: Self { Self(Kind.text) }

    /// A string in which `{n}` stands for the number of the round.
    static func numberedText(_ what: String = "a string") -> Self {
        Self(.text) { cursor, reader throws(DocumentError) in
            try cursor.string(what).numbered(reader.round)
        }
    }

    /// A numbered string that must not be empty.
    static func numberedName(_ what: String) -> Self {
        Self(.nonemptyText) { cursor, reader throws(DocumentError) in
            try cursor.name(what).numbered(reader.round)
        }
    }
}

extension Shape {
    /// The value `true`, standing for the given value.
    package static func plain(_ value: Value) -> Self {
        Self(SchemaFragment.true_.defined(as: "true")) { cursor, _ throws(DocumentError) in
            guard cursor.value == .boolean(true) else { throw cursor.error(expected: "true") }
            return value
        }
    }
}

extension Shape where Value: RawRepresentable<String> & CaseIterable {
    /// A word defined by the program.
    package static func word(_ what: String) -> Self {
        word(of: Value.allCases.map { ($0.rawValue, $0) }, what)
    }
}

extension Shape {
    /// A list.
    package static func list<Element>(_ what: String, of element: Shape<Element>) -> Self
    where Value == [Element] {
        Self(.list(of: element.schema)) { cursor, reader throws(DocumentError) in
            let cursors = try cursor.elements(what)
            let elements = cursors.compactMap { cursor in
                reader.keep { reader throws(DocumentError) in try element.read(cursor, &reader) }
            }
            guard elements.count == cursors.count else { throw .kept }
            return elements
        }
    }
}

// MARK: Objects

/// The form of a member of an object. A class, because the readers of all types of objects are compiled one by one,
/// and each handles it as one reference.
package final class MemberForm: Sendable {
    package let name: String
    package let schema: SchemaFragment
    /// A description of a required member; `nil` if it is optional.
    package let requirement: String?
    /// Whether other members decide if it is allowed.
    let isConditional: Bool

    fileprivate init(
        _ name: String, _ schema: SchemaFragment, required requirement: String? = nil,
        isConditional: Bool = false
    ) {
        (self.name, self.schema, self.requirement) = (name, schema, requirement)
        self.isConditional = isConditional
    }

    fileprivate var conditional: MemberForm {
        MemberForm(name, schema, required: requirement, isConditional: true)
    }

    /// The member in the JSON Schema.
    package var property: (name: String, schema: SchemaFragment, isRequired: Bool) {
        (name, schema, requirement != nil)
    }
}

/// A member of an object, and where its value is stored.
package struct Field<Root: Sendable>: Sendable {
    package let form: MemberForm
    package var name: String { form.name }
    package let read:
        @Sendable (DocumentCursor, inout StepReader, inout Root) throws(DocumentError) -> Void

    private init(
        _ form: MemberForm,
        read:
            @escaping @Sendable (DocumentCursor, inout StepReader, inout Root)
            throws(DocumentError) -> Void
    ) {
        self.form = form
        self.read = read
    }

    /// A member whose value replaces the current one.
    package init<Value>(
        _ name: String, _ shape: Shape<Value>,
        replacing path: any WritableKeyPath<Root, Value> & Sendable,
        required requirement: String? = nil, default value: JSONValue? = nil,
        _ description: String? = nil
    ) {
        let schema = shape.schema.described(description).defaulting(to: value)
        self.init(MemberForm(name, schema, required: requirement)) {
            cursor, reader, root throws(DocumentError) in
            root[keyPath: path] = try shape.read(cursor, &reader)
        }
    }

    /// An optional member.
    package init<Value>(
        _ name: String, _ shape: Shape<Value>,
        into path: any WritableKeyPath<Root, Value?> & Sendable,
        required requirement: String? = nil, default value: JSONValue? = nil,
        _ description: String? = nil
    ) {
        self.init(
            name, shape.map(Value?.some), replacing: path, required: requirement, default: value,
            description)
    }

    /// An optional member that becomes a change of something else, after the other changes.
    package init<Value: Sendable, Target>(
        _ name: String, _ shape: Shape<Value>,
        setting path: any WritableKeyPath<Target, Value> & Sendable,
        in changes: any WritableKeyPath<Root, [@Sendable (inout Target) -> Void]> & Sendable,
        _ description: String
    ) {
        self.init(MemberForm(name, shape.schema.described(description))) {
            cursor, reader, root throws(DocumentError) in
            let value = try shape.read(cursor, &reader)
            root[keyPath: changes].append { $0[keyPath: path] = value }
        }
    }

    /// An optional member of which nothing is stored here.
    static func unstored(
        _ name: String,
        read: @escaping @Sendable (DocumentCursor, inout StepReader) throws(DocumentError) -> Void
    ) -> Self {
        Self(MemberForm(name, [:])) { cursor, reader, _ throws(DocumentError) in
            try read(cursor, &reader)
        }
    }

    /// The same member, allowed only in some objects; `fault` says in which.
    package func allowed(
        where condition: @escaping @Sendable (Root) -> Bool, otherwise fault: String
    ) -> Self {
        Self(form.conditional) { [read] cursor, reader, root throws(DocumentError) in
            guard condition(root) else { throw cursor.error(expected: fault) }
            try read(cursor, &reader, &root)
        }
    }

    /// The same member in a containing value.
    func inside<Whole>(_ path: any WritableKeyPath<Whole, Root> & Sendable) -> Field<Whole> {
        Field<Whole>(form) { [read] cursor, reader, whole throws(DocumentError) in
            try read(cursor, &reader, &whole[keyPath: path])
        }
    }
}

extension Shape {
    /// An object with these members; `empty` is the value if there are none.
    package static func object(
        _ what: String, _ fields: [Field<Value>], from empty: Value,
        finish: (@Sendable (inout Value, DocumentObject) -> Void)? = nil
    ) -> Self {
        let forms = fields.map(\.form)
        return Self(.object(forms.map(\.property))) { cursor, reader throws(DocumentError) in
            let reading = TypedReading(of: fields, into: empty)
            let object = try cursor.object(what, forms, &reader, into: reading)
            var value = reading.value
            finish?(&value, object)
            return value
        }
    }

    /// `true`, or an object with these members.
    static func trueOrObject(_ fields: [Field<Value>], from empty: Value) -> Self {
        let names = fields.map(\.name).listed
        let object = Self.object(
            fields.isEmpty ? "true" : "true, or an object with \(names)", fields, from: empty)
        return Self(.oneOf([.true_, object.schema])) { cursor, reader throws(DocumentError) in
            cursor.value == .boolean(true) ? empty : try object.read(cursor, &reader)
        }
    }
}

extension DocumentCursor {
    /// Reads an object with these members and no others. All mistakes are kept.
    fileprivate func object(
        _ what: String, _ forms: [MemberForm], _ reader: inout StepReader,
        into reading: ObjectReading
    ) throws(DocumentError) -> DocumentObject {
        let (object, strangers) = try objectAndStrangers(what, allowing: forms.map(\.name))
        for stranger in strangers { reader.keep(stranger) }
        try object.read(forms, &reader, into: reading, isRight: strangers.isEmpty)
        return object
    }
}

extension DocumentObject {
    /// Reads the members that are present; a required one must be. All mistakes are kept.
    package func read<Root>(
        _ fields: [Field<Root>], _ reader: inout StepReader, into root: inout Root
    ) throws(DocumentError) {
        let reading = TypedReading(of: fields, into: root)
        try read(fields.map(\.form), &reader, into: reading, isRight: true)
        root = reading.value
    }

    fileprivate func read(
        _ forms: [MemberForm], _ reader: inout StepReader, into reading: ObjectReading,
        isRight: Bool
    ) throws(DocumentError) {
        var isRight = isRight
        // What is allowed only beside certain other members cannot be judged if these are wrong.
        for (number, form) in forms.enumerated() where isRight || !form.isConditional {
            do throws(DocumentError) {
                let cursor = try form.requirement.map { what throws(DocumentError) in
                    try require(form.name, what)
                }
                if let cursor = cursor ?? self[form.name] {
                    try reading.read(number, cursor, &reader)
                }
            } catch {
                reader.keep(error)
                isRight = false
            }
        }
        guard isRight else { throw .kept }
    }
}

/// Stores the members of an object of any type. A class with a method to override, because the optimizer would
/// compile all of the reading again for each type if it were given a closure or a generic value.
private class ObjectReading {
    /// Reads the member with this number.
    func read(
        _ number: Int, _ cursor: DocumentCursor, _ reader: inout StepReader
    ) throws(DocumentError) {}
}

private final class TypedReading<Root: Sendable>: ObjectReading {
    private let fields: [Field<Root>]
    private(set) var value: Root

    init(of fields: [Field<Root>], into value: Root) { (self.fields, self.value) = (fields, value) }

    override func read(
        _ number: Int, _ cursor: DocumentCursor, _ reader: inout StepReader
    ) throws(DocumentError) { try fields[number].read(cursor, &reader, &value) }
}
