import JSONText

extension JSONValue {
    /// The value over several lines: what fits into 100 columns stays on one line, and lists are filled.
    func pretty(indentation: Int = 0, after used: Int = 0) -> String {
        let compact = compactText
        if indentation + used + compact.count < 100 { return compact }
        let inner = String(repeating: " ", count: indentation + 2)
        let outer = String(repeating: " ", count: indentation)
        switch self {
        case .array(let elements):
            return "[\n\(Self.filled(elements, inner).joined(separator: ",\n"))\n\(outer)]"
        case .object(let members):
            let lines = members.map { member in
                let name = "\(inner)\(JSONValue.string(member.name).text): "
                return name
                    + member.value.pretty(
                        indentation: indentation + 2, after: name.count - indentation - 2)
            }
            return "{\n\(lines.joined(separator: ",\n"))\n\(outer)}"
        case .null, .boolean, .integer, .number, .string: return compact
        }
    }

    /// The elements of a list in lines, as many as fit into each.
    private static func filled(_ elements: [JSONValue], _ inner: String) -> [String] {
        elements.reduce(into: [String]()) { lines, element in
            let text = element.pretty(indentation: inner.count)
            if let last = lines.last, !last.contains("\n"), !text.contains("\n"),
                last.count + text.count + 2 < 100
            {
                lines[lines.count - 1] += ", " + text
            } else {
                lines.append(inner + text)
            }
        }
    }

    private var compactText: String {
        switch self {
        case .array(let elements):
            "[\(elements.map(\.compactText).joined(separator: ", "))]"
        case .object(let members):
            "{"
                + members.map { "\(JSONValue.string($0.name).text): \($0.value.compactText)" }
                .joined(separator: ", ") + "}"
        case .null, .boolean, .integer, .number, .string: text
        }
    }
}
