import JSONText
import Testing
import Kinds

@testable import AccessoryConformance
@testable import Printing

/// The JSON Schema, the manual and the reader say the same as the table of verbs.
@Suite struct PhoneVerbTests {
    static let verbs = PhoneVerbs.all.map { $0.name } + [Repetition.name]

    /// A file of the package.
    static func text(_ path: String) throws -> String {
        let root = #filePath.split(separator: "/").dropLast(5).joined(separator: "/")
        return String(decoding: try TextFile.read("/\(root)/\(path)"), as: UTF8.self)
    }

    static let definitions = StepReader.schema.definitions

    @Test("every verb has a unique name, a summary and a line in the manual")
    func names() {
        #expect(Set(Self.verbs).count == Self.verbs.count)
        for verb in PhoneVerbs.all {
            #expect(!verb.summary.isEmpty && !verb.manual.isEmpty, "\(verb.name)")
        }
    }

    @Test("no verb is aligned so that an asynchronous call through any corrupts its task")
    func alignment() {
        func alignment<Verb>(_ type: Verb.Type) -> Int { MemoryLayout<Verb>.alignment }
        for verb in PhoneVerbs.all { #expect(alignment(verb) <= 8, "\(verb.name)") }
    }

    // MARK: The JSON Schema

    @Test("the JSON Schema in the tree is that of the verbs")
    func schema() throws {
        let schema = try JSONValue(parsing: Array(Self.text("Scenarios/scenario.schema.json").utf8))
        let written = try #require(schema["$defs"]?.members)
        #expect(Set(written.map(\.name)) == Set(Self.definitions.keys))
        for definition in written {
            let verbs = try #require(Self.definitions[definition.name])
            #expect(definition.value.sorted == verbs.sorted, "it should be \(verbs.text)")
        }
    }

    /// The objects that may stand in a place, and the members of each.
    static func objects(_ schema: JSONValue) -> [JSONValue] {
        if let path = schema["$ref"]?.string?.split(separator: "/").last {
            return definitions[String(path)].map(objects) ?? []
        }
        if let choices = schema["oneOf"]?.array { return choices.flatMap(objects) }
        return schema["type"] == "object" ? [schema] : []
    }

    static func members(_ schema: JSONValue) -> [String] {
        objects(schema).flatMap { $0["properties"]?.members ?? [] }.map(\.name)
    }

    static func property(_ verb: String) -> JSONValue? {
        definitions["step"]?["properties"]?[verb]
    }

    @Test("the reader knows the members of the JSON Schema, and no others", arguments: verbs)
    func reader(verb: String) throws {
        let members = Self.members(try #require(Self.property(verb)))
        let unknown = "found the member"
        for member in members {
            let complaint = ScenarioReadingTests.complaint(
                steps: #"{"\#(verb)":{"\#(member)":null}}"#)
            #expect(complaint?.contains(unknown) != true, "\(member): \(complaint ?? "")")
        }
        guard !members.isEmpty else { return }
        let others = members.prefix(1).map { #""\#($0)":null,"# }.joined()
        let complaint = ScenarioReadingTests.complaint(
            steps: #"{"\#(verb)":{\#(others)"stranger":1}}"#)
        #expect(complaint?.contains(unknown) == true, "\(complaint ?? "")")
    }

    @Test("a member that the JSON Schema requires is reported if it is missing", arguments: verbs)
    func required(verb: String) throws {
        for object in Self.objects(try #require(Self.property(verb))) {
            guard object["required"]?.array?.isEmpty == false else { continue }
            let complaint = ScenarioReadingTests.complaint(steps: #"{"\#(verb)":{}}"#)
            #expect(complaint?.hasPrefix("$.steps[0].\(verb): expected ") == true)
        }
    }

    // MARK: The manual

    /// The table of the manual.
    static var table: String {
        let rows =
            PhoneVerbs.all.map { ($0.name, $0.manual) } + [
                (Repetition.name, Repetition.manual)
            ]
        let lines = rows.flatMap { name, manual in
            manual.enumerated().map { index, line in
                "| \(index == 0 ? "`\(name)`" : "") | \(line) |"
            }
        }
        return "| verb | takes |\n|---|---|\n" + lines.joined(separator: "\n") + "\n"
    }

    @Test("the manual has the table of the verbs, and names all that they take")
    func manual() throws {
        let manual = try Self.text("Documentation/Scenarios.md")
        #expect(manual.contains(Self.table), "the table should be\n\(Self.table)")
        for verb in Self.verbs {
            for member in Self.members(try #require(Self.property(verb))) {
                let isNamed = manual.contains("`\(member)`") || manual.contains("\"\(member)\"")
                #expect(isNamed, "\(verb) takes \(member)")
            }
        }
    }
}

extension JSONValue {
    /// The same with the members of objects in the order of their names.
    fileprivate var sorted: JSONValue {
        switch self {
        case .object(let members):
            .object(
                members.map { Member($0.name, $0.value.sorted) }.sorted { $0.name < $1.name })
        case .array(let elements): .array(elements.map(\.sorted))
        case .null, .boolean, .integer, .number, .string: self
        }
    }
}
