internal import Kinds

/// What may be sent of a value: numbers, truths, and the words that its schema names. Of everything else it is said
/// what it is, and of an object that there is more in it.
struct SharedValue {
    private let definitions: [String: JSONValue]

    /// What may be sent of a value with this schema.
    static func of(_ value: JSONValue, _ schema: SchemaFragment) -> JSONValue {
        SharedValue(definitions: schema.definitions).shared(value, [schema.json])
    }

    private func shared(_ value: JSONValue, _ schemas: [JSONValue]) -> JSONValue {
        let forms = schemas.flatMap(alternatives)
        switch value {
        case .null, .boolean: return value
        case .number(let number) where !number.isFinite: return "(number)"
        case .integer, .number:
            return forms.contains { $0["type"] == "integer" || $0["type"] == "number" }
                ? value : "(number)"
        case .string:
            return forms.contains { $0["const"] == value || isWord(value, $0) } ? value : "(text)"
        case .array(let elements):
            let items = forms.compactMap { $0["items"] }
            return .array(elements.map { shared($0, items) })
        case .object(let members):
            let known = members.compactMap { member -> JSONValue.Member? in
                let found = forms.compactMap { $0["properties"]?[member.name] }
                return found.isEmpty ? nil : .init(member.name, shared(member.value, found))
            }
            let others = members.count - known.count
            return .object(known + (others > 0 ? [.init("(other keys)", .integer(others))] : []))
        }
    }

    private func isWord(_ value: JSONValue, _ schema: JSONValue) -> Bool {
        schema["enum"]?.array?.contains(value) ?? false
    }

    /// The schemas of which a value satisfies one.
    private func alternatives(_ schema: JSONValue) -> [JSONValue] {
        if let name = schema["$ref"]?.string?.split(separator: "/").last {
            return definitions[String(name)].map(alternatives) ?? []
        }
        return schema["oneOf"]?.array?.flatMap(alternatives) ?? [schema]
    }
}
