import LinuxIO
import Printing
import Testing

@testable import ANCSCommands
@testable import AccessoryConformance
@testable import CommandKit

@Suite("A scenario on a command line")
struct ScenarioWordTests {
    @Test("every scenario of the package is called by its name", arguments: Scenario.names)
    func names(_ name: String) throws {
        #expect(try Scenario(meantBy: name).title == Scenario(named: name).title)
    }

    @Test("a file of that name comes before it, a directory does not")
    func files() throws {
        let directory = try TemporaryDirectory()
        let path = "\(directory.path)/text"
        try PrivateFile.write(
            path: path, contents: Array(#"{"title":"Mine","steps":[{"pause":1}]}"#.utf8))
        #expect(try Scenario(meantBy: path).title == "Mine")
        let error = #expect(throws: CommandSyntax.UsageError.self) {
            try Scenario(meantBy: directory.path)
        }
        #expect(error?.message.contains("neither a file nor the name of a scenario") == true)
    }

    @Test(
        "what is neither says what is near it",
        arguments: [
            ("conformence", "conformance"), ("Scenario/conformance.json", "conformance"),
            ("Scenario/faults/lost-answer.json", "faults/lost-answer"),
            ("lost-answer", "faults/lost-answer"), ("lost-anser", "faults/lost-answer"),
            ("/usr/share/doc/ancs/examples/scenarios/flood.json", "flood"),
        ])
    func near(_ word: String, _ name: String) {
        let error = #expect(throws: CommandSyntax.UsageError.self) { try Scenario(meantBy: word) }
        #expect(
            error?.message
                == "'\(word)' is neither a file nor the name of a scenario; did you mean '\(name)'?"
        )
    }

    @Test(
        "nothing is near a word that is like none, and the list is named",
        arguments: ["/", "x", "", "."])
    func far(_ word: String) {
        let error = #expect(throws: CommandSyntax.UsageError.self) { try Scenario(meantBy: word) }
        #expect(error?.message.hasSuffix("; 'ancs bench --list' lists the names") == true)
    }

    private func bench(_ words: String...) throws -> BenchOptions {
        try BenchOptions(BenchOptions.syntax.parse(words))
    }

    @Test("a bench lists every scenario, with a sentence and a time")
    func list() throws {
        #expect(try bench("--list").isList && bench("--list", "--json").isJSON)
        #expect(ScenarioEntry.all.map(\.name) == Scenario.names)
        for entry in ScenarioEntry.all {
            #expect(entry.seconds > 0 || entry.scenario.accessories.count > 1, "\(entry.name)")
            #expect(entry.line.sentence?.hasPrefix(entry.name + " · ") == true)
            guard case .text(let sentence)? = entry.line.below.first else {
                Issue.record("\(entry.name) says nothing")
                continue
            }
            #expect(sentence.hasSuffix("."), "\(sentence)")
        }
        for words in [["--list", "text"], ["--list", "--", "true"]] {
            #expect(throws: CommandSyntax.UsageError.self) {
                try BenchOptions(BenchOptions.syntax.parse(words))
            }
        }
    }

    @Test("a bench without a scenario names the list")
    func missing() {
        let error = #expect(throws: CommandSyntax.UsageError.self) {
            try bench("--", "true", "{tcp}")
        }
        #expect(error?.message.contains("'ancs bench --list'") == true)
    }
}
