import JSONText
import Printing
import Testing

@testable import ANCSCommands
@testable import CommandKit
@testable import Kinds

/// The lines of JSON in `Tests/Goldens`, which other suites compare with what the commands print. A test of the
/// interop suite holds them against the schemas with a validator that is not ours.
@Suite("The descriptions of lines, and the lines that are recorded")
struct RecordedLineTests {
    /// A line and the command that printed it.
    private typealias Recorded = (command: String, text: String)

    /// The commands that print the events of a table.
    private static let tables = [
        "receive": "receive", "phone": "phone", "binding": "phone", "adapter": "advertise",
        "decode": "decode", "watch": "watch", "pair": "pair",
    ]

    private static func recorded() throws -> [Recorded] {
        try Golden.recorded.flatMap { path -> [Recorded] in
            let words = path.split(separator: "/").map(String.init)
            let name = (words.last ?? "").split(separator: ".").map(String.init)
            let octets = try TextFile.read(Golden.path("Tests/Goldens/\(path)"))
            let lines = String(decoding: octets, as: UTF8.self).split(separator: "\n")
                .map(String.init)
            switch (words[0], name.last) {
            case ("runs", "jsonl"): return lines.map { (name[name.count - 2], $0) }
            case ("events", _):
                guard let command = tables[name[0]] else { return [] }
                return forms(["json": command, "demojson": "demo"], in: lines)
            case ("commands", _): return forms(["json": name[0]], in: lines)
            case _: return []
            }
        }.filter { !$0.text.hasPrefix("2> ") && $0.text != "nothing" }
    }

    /// The lines of some forms of a table, each with the command of its form.
    private static func forms(_ commands: [String: String], in lines: [String]) -> [Recorded] {
        lines.compactMap { line in
            guard line.hasPrefix("  ") else { return nil }
            let words = line.dropFirst(2).split(separator: " ", maxSplits: 1)
            guard words.count == 2, let command = commands[String(words[0])] else { return nil }
            return (command, String(words[1].drop { $0 == " " }))
        }
    }

    @Test("every recorded line is as the schema of its command says")
    func lines() throws {
        let recorded = try Self.recorded()
        #expect(recorded.count > 600)
        for (command, lines) in Dictionary(grouping: recorded, by: \.command) {
            #expect(SchemaCheck.mistakes(in: lines.map(\.text), of: command) == [])
        }
    }

    @Test("a member that is not described, one that is missing, and another event are mistakes")
    func refused() throws {
        for (command, text) in try Self.recorded() {
            let check = try #require(SchemaCheck.all[command])
            let members = try JSONValue(parsing: Array(text.utf8)).members ?? []
            let more = JSONValue.object(members + [.init("unheardOf", 1)])
            #expect(check.mistake(in: more.text)?.contains("unheardOf") == true, "\(text)")
            let other = members.map { member in
                ["event", "kind"].contains(member.name) ? .init(member.name, "?") : member
            }
            guard other != members else { continue }
            #expect(check.mistake(in: JSONValue.object(other).text) != nil, "\(text)")
            let without = members.filter { !["event", "kind"].contains($0.name) }
            #expect(check.mistake(in: JSONValue.object(without).text) != nil, "\(text)")
        }
    }

    /// What is printed by code that only a whole program runs: the interop suite looks at it, or a suite of its own.
    private static let unrecorded: [String: Set<String>] = [
        "bench": ["bench", "listed", "run", "output", "verdict"],
        "gatt": [
            "pairingQuestion", "pairingDigits", "pairingWithdrawn", "paired", "securityFailed",
            "disconnected",
        ],
        "history": ["forgotten"], "scan": ["scanning"],
        "decode": ["damage", "linkRequirement", "redacted", "requirement", "scenario"],
        "controllers": ["ready", "attached"],
        "pair": ["pairingQuestion", "pairingDigits", "pairingWithdrawn"],
    ]

    @Test("every kind of line that is described is recorded: a command prints it")
    func kinds() throws {
        var seen: [String: Set<String>] = [:]
        for (command, text) in try Self.recorded() {
            let value = try JSONValue(parsing: Array(text.utf8))
            let found = SchemaCheck.all[command]?.kind(of: value)
            let kind = try #require(found, "\(text)")
            seen[command, default: []].insert(kind)
            // Lines of the phone and of the scenario in the demo are those of `ancs phone`.
            guard command == "demo" else { continue }
            let parts = kind.split(separator: ".").map(String.init)
            if parts[0] != "accessory" { seen["phone", default: []].insert(parts[1]) }
        }
        for schema in Tool.schemas {
            let kinds = schema.kinds.map(\.name)
            let names =
                switch schema.name {
                case "demo": Set(kinds.filter { $0.hasPrefix("accessory.") })
                // The others are those of `ancs phone`.
                case "bench": Set(kinds).subtracting(PhoneReport.schema.kinds.map(\.name))
                case _: Set(kinds)
                }
            #expect(Set(kinds).count == kinds.count, "\(schema.name)")
            let missing = schema.commands.reduce(names) { $0.subtracting(seen[$1] ?? []) }
            #expect(missing == Self.unrecorded[schema.name] ?? [], "\(schema.name)")
        }
    }

    @Test("every command with --json has a schema, and every schema a command")
    func commands() throws {
        let commands = (Tool.commands + Tool.former).filter { command in
            command.syntax.options.contains { $0.name == "--json" }
        }.map(\.name)
        #expect(commands.count > 10)
        #expect(commands.sorted() == SchemaCheck.all.keys.sorted())
    }

    @Test("each mistake is found, and says where it is")
    func mistakes() throws {
        let schema = LineSchema(
            "x", "",
            [
                LineKind("a", "", ["n": .octet, "w?": .words(["p", "q"]), "l?": .link]),
                LineKind("b|c", "", ["t": .address, "u?": .textNames]),
            ])
        let check = SchemaCheck(schema)
        let rows: [(line: String, mistake: String?)] = [
            (#"{"event":"a","n":1,"w":"p","l":{"interval":1.5,"latency":0,"timeout":2}}"#, nil),
            (#"{"event":"c","t":"00:11:22:33:44:55","u":["title"]}"#, nil),
            (#"{"event":"a","n":256}"#, "$.n is 256, not maximum 255"),
            (#"{"event":"a","n":"1"}"#, #"$.n is "1", not type "integer""#),
            (#"{"event":"a","n":1,"w":"r"}"#, #"$.w is "r", not enum ["p","q"]"#),
            (#"{"event":"a","w":"p","n":1}"#, #"$ has ["event", "w", "n"] in another order"#),
            (#"{"event":"a","n":1,"l":{"interval":1}}"#, "$.l is"),
            (#"{"event":"a","n":1,"l":{"interval":1,"latency":0,"timeout":2,"x":1}}"#, "member x"),
            (#"{"event":"b","t":"00:11:22:33:44"}"#, "not pattern"),
            (#"{"event":"b","t":"00:11:22:33:44:55","u":[]}"#, "not minItems 1"),
            (#"{"event":"b","t":"00:11:22:33:44:55","u":["title","title"]}"#, "not uniqueItems"),
            (#"{"event":"b"}"#, "not required"), (#"{"event":"d"}"#, "of no kind"),
            ("[]", "$ is"), ("{", "not JSON"),
        ]
        for row in rows {
            let mistake = check.mistake(in: row.line)
            #expect((mistake == nil) == (row.mistake == nil), "\(row.line) \(mistake ?? "")")
            if let part = row.mistake {
                #expect(mistake?.contains(part) == true, "\(mistake ?? "")")
            }
        }
    }
}
