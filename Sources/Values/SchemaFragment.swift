package import JSONText

/// A part of a JSON Schema, with the definitions that it refers to, and with what is typed at the prompt.
package struct SchemaFragment: Sendable, ExpressibleByDictionaryLiteral {
    package var members: [JSONValue.Member]
    package var definitions: [String: JSONValue] = [:]
    package var word: WordForm

    package init(
        _ members: [JSONValue.Member], _ definitions: [String: JSONValue] = [:],
        word: WordForm = .text
    ) {
        self.members = members
        self.definitions = definitions
        self.word = word
    }

    package init(dictionaryLiteral elements: (String, JSONValue)...) {
        self.init(elements.map { JSONValue.Member($0.0, $0.1) })
    }

    package var json: JSONValue { .object(members) }

    package func described(_ description: String?) -> Self {
        guard let description else { return self }
        var fragment = self
        fragment.members.insert(.init("description", .string(description)), at: 0)
        return fragment
    }

    package func defaulting(to value: JSONValue?) -> Self {
        guard let value else { return self }
        var fragment = self
        fragment.members.append(.init("default", value))
        return fragment
    }

    package func defined(as name: String) -> Self {
        Self(
            [.init("$ref", .string("#/$defs/\(name)"))],
            definitions.merging([name: json]) { _, new in new }, word: word)
    }

    /// The same, typed in another form.
    package func typed(_ word: WordForm) -> Self {
        var fragment = self
        fragment.word = word
        return fragment
    }

    /// A schema that any one of several schemas satisfies.
    package static func oneOf(_ fragments: [SchemaFragment]) -> Self {
        Self(
            [.init("oneOf", .array(fragments.map(\.json)))],
            fragments.reduce(into: [:]) { all, fragment in
                all.merge(fragment.definitions) { _, new in new }
            }, word: .oneOf(fragments.map(\.word)))
    }

    package static let boolean = SchemaFragment([.init("type", "boolean")], word: .boolean)
    package static let text: Self = ["type": "string"]
    package static let nonemptyText: Self = ["type": "string", "minLength": 1]
    package static let integer: Self = ["type": "integer"]
    package static let count: Self = ["type": "integer", "minimum": 0]
    package static let ordinal: Self = ["type": "integer", "minimum": 1]
    package static let number: Self = ["type": "number"]
    package static let amount: Self = ["type": "number", "minimum": 0]
    package static let milliseconds = amount.described("in milliseconds")
    package static let seconds = amount.described("in seconds")
    package static let texts = list(of: .text)
    package static let true_ = constant(true)
    package static let null = SchemaFragment([.init("type", "null")], word: .constant(.null))

    package static func constant(_ value: JSONValue) -> Self {
        Self([.init("const", value)], word: .constant(value))
    }

    package static func integer(in range: ClosedRange<Int>) -> Self {
        Self(
            [
                .init("type", "integer"), .init("minimum", .integer(range.lowerBound)),
                .init("maximum", .integer(range.upperBound)),
            ], word: .number)
    }

    /// A list of such values.
    package static func list(of element: Self) -> Self {
        Self(
            [.init("type", "array"), .init("items", element.json)], element.definitions,
            word: .list(element.word))
    }

    package static func words(_ words: [String]) -> Self {
        Self([.init("enum", .array(words.map { .string($0) }))], word: .words(words))
    }
}

extension SchemaFragment {
    /// An object with these members and no others.
    package static func object(
        _ properties: [(name: String, schema: SchemaFragment, isRequired: Bool)]
    ) -> Self {
        var members: [JSONValue.Member] = [.init("type", "object")]
        let required = properties.filter(\.isRequired).map { JSONValue.string($0.name) }
        if !required.isEmpty { members.append(.init("required", .array(required))) }
        members.append(.init("additionalProperties", false))
        if !properties.isEmpty {
            let list = properties.map { JSONValue.Member($0.name, $0.schema.json) }
            members.append(.init("properties", .object(list)))
        }
        return Self(
            members, oneOf(properties.map(\.schema)).definitions,
            word: .members(
                properties.map {
                    .init(name: $0.name, form: $0.schema.word, isRequired: $0.isRequired)
                }))
    }
}
