import JSONText
import Testing

@testable import ANCSCommands
@testable import ANCSService
@testable import AccessoryConformance
@testable import CommandKit

/// What version 0.1 promised, of `Tests/Contract/0.1.json`, is still there.
@Suite("The contract of version 0.1")
struct ContractTests {
    /// What is gone after all, because it could not be kept beside what took its place: Documentation/Changes.md says
    /// what did.
    private static let gone: [String: Set<String>] = [
        "demo": ["bond"]
    ]

    private static func promised() throws -> JSONValue {
        try JSONValue(parsing: Array(Repository.text(of: "Tests/Contract/0.1.json").utf8))
    }

    private static func list(_ value: JSONValue?) -> [String] {
        value?.array?.compactMap(\.string) ?? []
    }

    @Test("every option is taken by its command")
    func options() throws {
        for member in try #require(Self.promised()["options"]?.members) {
            let syntax = try Tool.command(named: member.name).syntax
            let names = syntax.options.flatMap { [$0.name, $0.alias].compactMap(\.self) }
            for option in Self.list(member.value) {
                #expect(names.contains(option), "ancs \(member.name) \(option)")
            }
        }
    }

    @Test("every word of JSON is in the schema of its command")
    func lines() throws {
        for member in try #require(Self.promised()["schemas"]?.members) {
            let today = try Self.words(of: "Documentation/Schemas/\(member.name).schema.json")
            let gone = Self.list(member.value).filter { !today.contains($0) }
            #expect(Set(gone) == Self.gone[member.name] ?? [], "\(member.name)")
        }
    }

    @Test("every word of a scenario is read")
    func scenario() throws {
        let today = try Self.words(of: "Scenarios/scenario.schema.json")
        let words = Self.list(try Self.promised()["scenario"]).filter { !today.contains($0) }
        #expect(Set(words) == ["parameterRequests", "accept"])
        for word in ["accept", "refuse", "acceptOnly", "ignore"] {
            let scenario = try Scenario(
                json: #"{"title":"T","steps":[{"parameterRequests":"\#(word)"}]}"#)
            #expect(scenario.steps.count == 1)
        }
    }

    @Test("every key of the configuration is taken, and its renamed word")
    func configuration() throws {
        let page = try Repository.text(of: "Documentation/Configuration.md")
        for key in Self.list(try Self.promised()["configuration"]) {
            let name = key.split(separator: ".").last ?? ""
            #expect(page.contains("\n| `\(name)` | "), "\(key)")
        }
        let configuration = try ServiceConfiguration(
            reading: Array("[history]\ncontent = \"headers\"\n".utf8), path: "config.toml")
        #expect(configuration.history.content == .app)
    }

    @Test("every name on the bus is there")
    func bus() throws {
        let text = try Repository.text(of: "Documentation/Schemas/org.swift_ancs.xml")
        for name in Self.list(try Self.promised()["bus"]) {
            #expect(text.contains("name=\"\(name)\""))
        }
    }

    /// The names of members and the words of values in a schema.
    private static func words(of path: String) throws -> Set<String> {
        var words: Set<String> = []
        func add(_ value: JSONValue) {
            for member in value.members ?? [] {
                switch member.name {
                case "properties": words.formUnion((member.value.members ?? []).map(\.name))
                case "enum": words.formUnion((member.value.array ?? []).compactMap(\.string))
                case "const": words.formUnion([member.value.string].compactMap(\.self))
                default: break
                }
                add(member.value)
            }
            for element in value.array ?? [] { add(element) }
        }
        add(try JSONValue(parsing: Array(Repository.text(of: path).utf8)))
        return words
    }
}
