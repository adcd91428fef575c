import JSONText
import Testing

@testable import ANCSCommands
@testable import AccessoryConformance
@testable import CommandKit

/// What `Documentation/Accessory.md` says to programs is what they find: they have nobody to ask.
@Suite("The page for programs and agents")
struct AgentsTests {
    private static func lines() throws -> [String] {
        try Repository.lines(of: "Documentation/Accessory.md")
    }

    /// What stands in grave accents in a text.
    private static func code(_ text: some StringProtocol) -> [String] {
        text.split(separator: "`", omittingEmptySubsequences: false).enumerated()
            .filter { $0.offset % 2 == 1 }.map { String($0.element) }
    }

    private static func rows(under heading: String) throws -> [[String]] {
        try lines().drop { $0 != heading }.drop { !$0.hasPrefix("|---") }.dropFirst()
            .prefix { $0.hasPrefix("|") }
            .map { $0.split(separator: "|").map { $0.trimmingPrefix(" ") }.map(String.init) }
    }

    @Test("each event and member that it names is in the lines of a bench")
    func events() throws {
        let rows = try Self.rows(under: "| event | members | what it says |")
        #expect(rows.count > 4)
        for row in rows {
            for event in Self.code(row[0]) {
                let kinds = BenchConsole.schema.kinds.filter { $0.events.contains(event) }
                let members = Set(kinds.flatMap { $0.members.map(\.name) })
                for member in Self.code(row[1]) {
                    #expect(members.contains(member), "\(event) \(member)")
                }
            }
        }
    }

    @Test("the line that filters the requirements finds their words")
    func filter() throws {
        let text = try Repository.text(of: "Documentation/Accessory.md")
        let pairs = text.matches(of: #/\.(\w+) == "(\w+)"/#).map { (String($0.1), String($0.2)) }
        #expect(pairs.count >= 2)
        let schema = BenchConsole.schema.json.text
        for (member, word) in pairs {
            #expect(
                schema.contains("\"\(member)\":") && schema.contains("\"\(word)\""),
                "\(member) \(word)")
        }
    }

    @Test("each status is one that a bench ends with")
    func statuses() throws {
        let rows = try Self.rows(under: "| exit status | meaning |")
        let numbers = rows.compactMap { Int32($0[0].split(separator: " ").first ?? "") }
        #expect(numbers.compactMap(ExitStatus.init(rawValue:)).count == 4)
    }

    @Test("each scenario is one of the package, and each option one of the bench")
    func whatThereIs() throws {
        let rows = try Self.rows(under: "| to | run |")
        #expect(rows.count > 7)
        let options = BenchOptions.syntax.options.map(\.name)
        for word in rows.flatMap({ Self.code($0[1]) }) where !word.hasSuffix("/") {
            let option = String(word.split(separator: " ").first ?? "")
            #expect(Scenario.names.contains(word) || options.contains(option), "\(word)")
        }
    }

    @Test("each key of the help that it names is there")
    func help() throws {
        let line = try #require(Self.lines().first { $0.hasPrefix("`ancs help --json` prints") })
        let help = HelpJSON.value.text + BenchConsole.schema.json.text
        for word in Self.code(line) where word.allSatisfy({ $0.isLetter }) && word != "repeat" {
            #expect(help.contains("\"\(word)\""), "\(word)")
        }
    }
}
