import JSONText
import LinuxIO
import Testing

@testable import ANCSCommands
@testable import Kinds

/// Holds lines against the schema of a command: the part of JSON Schema that the descriptions of lines use, and
/// the order of the members, which JSON Schema cannot say.
struct SchemaCheck: Sendable {
    private let schema: JSONValue
    private let definitions: [String: JSONValue]
    /// The kinds of lines, by the value of the member that says the kind.
    private let kinds: [String: [String]]

    init(_ schema: LineSchema) {
        self.schema = schema.json
        let members = self.schema["$defs"]?.members ?? []
        definitions = Dictionary(uniqueKeysWithValues: members.map { ($0.name, $0.value) })
        kinds = schema.kinds.reduce(into: [:]) { all, kind in
            for event in kind.events.isEmpty ? [""] : kind.events {
                all[event, default: []].append(kind.name)
            }
        }
    }

    /// The checks of all commands.
    static let all: [String: SchemaCheck] = Tool.schemas.reduce(into: [:]) { all, schema in
        for command in schema.commands { all[command] = SchemaCheck(schema) }
    }

    /// What is wrong with the lines that a command printed on standard output.
    static func mistakes(in lines: [String], of command: String) -> [String] {
        guard let check = all[command] else { return ["\(command) has no schema"] }
        return lines.compactMap(check.mistake)
    }

    /// What is wrong with a line; `nil` if it is as the schema says.
    func mistake(in line: String) -> String? {
        guard let value = try? JSONValue(parsing: Array(line.utf8)) else {
            return "\(line) is not JSON"
        }
        return mistake(in: value, schema, "$").map { "\(line): \($0)" }
    }

    /// The name of the kind of a valid line.
    func kind(of value: JSONValue) -> String? {
        guard schema["oneOf"] != nil else { return kinds[""]?.first }
        return candidates(value).first { mistake(in: value, reference($0), "$") == nil }
    }

    /// The kinds that a line can be of, by its event; values of characteristics have only a kind there.
    private func candidates(_ line: JSONValue) -> [String] {
        kinds[line["event"]?.string ?? ""] ?? kinds[line["kind"]?.string ?? ""] ?? []
    }

    private func reference(_ name: String) -> JSONValue { ["$ref": .string("#/$defs/\(name)")] }

    private func mistake(in value: JSONValue, _ schema: JSONValue, _ path: String) -> String? {
        let isRoot = path == "$"
        for keyword in schema.members ?? [] {
            let fault: String? =
                switch keyword.name {
                case "$schema", "title", "description", "$defs": nil
                case "$ref": mistake(in: value, definition(keyword.value), path)
                case "oneOf": mistake(in: value, choices: keyword.value.array ?? [], path)
                case "properties": properties(value, keyword.value, path)
                case "additionalProperties": others(value, schema, keyword.value, path)
                case "items":
                    (value.array ?? []).enumerated().lazy.compactMap { index, element in
                        mistake(in: element, keyword.value, "\(path)[\(index)]")
                    }.first
                default: simple(keyword, value).map { "\(path) \($0)" }
                }
            if let fault { return fault }
        }
        return isRoot && value.members == nil ? "not an object" : nil
    }

    private func definition(_ reference: JSONValue) -> JSONValue {
        let name = reference.string?.split(separator: "/").last.map(String.init) ?? ""
        // A definition that is missing allows nothing.
        return definitions[name] ?? ["missing definition": .string(name)]
    }

    /// A line has to be of one kind exactly.
    private func mistake(
        in value: JSONValue, choices: [JSONValue], _ path: String
    ) -> String? {
        // Of the kinds of lines, only those of the same event and side can be meant.
        let meant =
            path != "$"
            ? choices
            : candidates(value).filter { name in
                let side = definitions[name]?["properties"]?["side"]?["const"]
                return side == nil || side == value["side"]
            }.map(reference)
        let faults = meant.map { mistake(in: value, $0, path) }
        switch faults.count(where: { $0 == nil }) {
        case 1: return nil
        case 0 where faults.isEmpty: return "\(path) is of no kind"
        case 0: return faults.compactMap { $0 }.joined(separator: "; ")
        case let count: return "\(path) is of \(count) kinds"
        }
    }

    private func properties(_ value: JSONValue, _ properties: JSONValue, _ path: String) -> String?
    {
        guard let members = value.members else { return nil }
        // The kind first, so that a mistake says which kind it is about.
        for property in properties.members ?? [] {
            guard let member = value[property.name] else { continue }
            if let fault = mistake(in: member, property.value, "\(path).\(property.name)") {
                return fault
            }
        }
        let names = members.map(\.name)
        let order = (properties.members ?? []).map(\.name).filter(names.contains)
        let known = names.filter(order.contains)
        return order == known ? nil : "\(path) has \(known) in another order than \(order)"
    }

    private func others(
        _ value: JSONValue, _ schema: JSONValue, _ rest: JSONValue, _ path: String
    ) -> String? {
        for member in value.members ?? [] where schema["properties"]?[member.name] == nil {
            if rest == false { return "\(path) has the unknown member \(member.name)" }
            if let fault = mistake(in: member.value, rest, "\(path).\(member.name)") {
                return fault
            }
        }
        return nil
    }

    /// What is wrong with a value by itself. A word of JSON Schema that is not known here fails.
    private func simple(_ keyword: JSONValue.Member, _ value: JSONValue) -> String? {
        let wanted = keyword.value
        let isRight =
            switch keyword.name {
            case "type":
                (wanted.array ?? [wanted]).contains { Self.type($0.string ?? "", of: value) }
            case "const": value == wanted
            case "enum": wanted.array?.contains(value) ?? false
            case "required":
                wanted.array?.allSatisfy { value[$0.string ?? ""] != nil } ?? false
            case "pattern":
                Self.isMatch(value.string ?? "", wanted.string ?? "")
            case "minimum": Self.number(value) >= Self.number(wanted)
            case "maximum": Self.number(value) <= Self.number(wanted)
            case "minItems": value.array.map { $0.count >= wanted.integer ?? .max } ?? false
            case "maxItems": value.array.map { $0.count <= wanted.integer ?? 0 } ?? false
            case "minLength": value.string.map { $0.count >= wanted.integer ?? .max } ?? false
            case "uniqueItems": value.array.map { Set($0).count == $0.count } ?? false
            default: false
            }
        return isRight ? nil : "is \(value.text), not \(keyword.name) \(wanted.text)"
    }

    /// Whether a text has a form. What is known is kept: a test holds many lines with the same few addresses.
    private static func isMatch(_ text: String, _ pattern: String) -> Bool {
        if let known = matches.withLock({ $0[pattern]?[text] }) { return known }
        let isMatch = (try? Regex(pattern).firstMatch(in: text)) != nil
        matches.withLock { matches in
            if matches[pattern, default: [:]].count > 1000 { matches[pattern] = [:] }
            matches[pattern, default: [:]][text] = isMatch
        }
        return isMatch
    }

    private static let matches = Lock<[String: [String: Bool]]>([:])

    private static func type(_ name: String, of value: JSONValue) -> Bool {
        switch (name, value) {
        case ("null", .null), ("boolean", .boolean), ("integer", .integer), ("number", .integer),
            ("number", .number), ("string", .string), ("array", .array), ("object", .object):
            true
        default: false
        }
    }

    private static func number(_ value: JSONValue) -> Double {
        switch value {
        case .integer(let value): Double(value)
        case .number(let value): value
        case .null, .boolean, .string, .array, .object: .nan
        }
    }
}
