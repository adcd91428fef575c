package import JSONText

/// A part of a JSON Schema, with the definitions that it refers to, and with what is typed at the prompt.
///
/// A class, so that the tables that consist of them handle each as one reference.
package final class SchemaFragment: Sendable, ExpressibleByDictionaryLiteral {
    package let members: [JSONValue.Member]
    package let definitions: [String: JSONValue]
    package let word: WordForm

    package init(
        _ members: [JSONValue.Member], _ definitions: [String: JSONValue] = [:],
        word: WordForm = .text
    ) { (self.members, self.definitions, self.word) = (members, definitions, word) }

    package convenience init(dictionaryLiteral elements: (String, JSONValue)...) {
        self.init(elements.map { JSONValue.Member($0.0, $0.1) })
    }

    package var json: JSONValue { .object(members) }

    package func described(_ description: String?) -> SchemaFragment {
        guard let description else { return self }
        return SchemaFragment(
            [.init("description", .string(description))] + members, definitions, word: word)
    }

    package func defaulting(to value: JSONValue?) -> SchemaFragment {
        value.map { adding([.init("default", $0)]) } ?? self
    }

    /// The same with more members.
    package func adding(_ more: [JSONValue.Member]) -> SchemaFragment {
        SchemaFragment(members + more, definitions, word: word)
    }

    package func defined(as name: String) -> SchemaFragment {
        SchemaFragment(
            [.init("$ref", .string("#/$defs/\(name)"))],
            definitions.merging([name: json]) { _, new in new }, word: word)
    }

    /// The same, typed in another form.
    package func typed(_ word: WordForm) -> SchemaFragment {
        SchemaFragment(members, definitions, word: word)
    }

    /// A schema that any one of several schemas satisfies.
    package static func oneOf(_ fragments: [SchemaFragment]) -> SchemaFragment {
        SchemaFragment(
            [.init("oneOf", .array(fragments.map(\.json)))],
            fragments.reduce(into: [:]) { all, fragment in
                all.merge(fragment.definitions) { _, new in new }
            }, word: .oneOf(fragments.map(\.word)))
    }

    package static let boolean = SchemaFragment([.init("type", "boolean")], word: .boolean)
    package static let text: SchemaFragment = ["type": "string"]
    package static let nonemptyText: SchemaFragment = ["type": "string", "minLength": 1]
    package static let integer: SchemaFragment = ["type": "integer"]
    package static let count: SchemaFragment = ["type": "integer", "minimum": 0]
    package static let ordinal: SchemaFragment = ["type": "integer", "minimum": 1]
    package static let number: SchemaFragment = ["type": "number"]
    package static let amount: SchemaFragment = ["type": "number", "minimum": 0]
    package static let milliseconds = amount.described("in milliseconds")
    package static let seconds = amount.described("in seconds")
    package static let texts = list(of: .text)
    package static let true_ = constant(true)
    package static let null = SchemaFragment([.init("type", "null")], word: .constant(.null))

    package static func constant(_ value: JSONValue) -> SchemaFragment {
        SchemaFragment([.init("const", value)], word: .constant(value))
    }

    package static func integer(in range: ClosedRange<Int>) -> SchemaFragment {
        SchemaFragment(
            [
                .init("type", "integer"), .init("minimum", .integer(range.lowerBound)),
                .init("maximum", .integer(range.upperBound)),
            ], word: .number)
    }

    /// A list of such values.
    package static func list(of element: SchemaFragment) -> SchemaFragment {
        SchemaFragment(
            [.init("type", "array"), .init("items", element.json)], element.definitions,
            word: .list(element.word))
    }

    package static func words(_ words: [String]) -> SchemaFragment {
        SchemaFragment([.init("enum", .array(words.map { .string($0) }))], word: .words(words))
    }
}

extension SchemaFragment {
    /// An object with these members and no others.
    package static func object(
        _ properties: [(name: String, schema: SchemaFragment, isRequired: Bool)]
    ) -> SchemaFragment {
        var members: [JSONValue.Member] = [.init("type", "object")]
        let required = properties.filter(\.isRequired).map { JSONValue.string($0.name) }
        if !required.isEmpty { members.append(.init("required", .array(required))) }
        members.append(.init("additionalProperties", false))
        if !properties.isEmpty {
            let list = properties.map { JSONValue.Member($0.name, $0.schema.json) }
            members.append(.init("properties", .object(list)))
        }
        return SchemaFragment(
            members, oneOf(properties.map(\.schema)).definitions,
            word: .members(
                properties.map {
                    .init(name: $0.name, form: $0.schema.word, isRequired: $0.isRequired)
                }))
    }
}
