import AccessoryConformance
import Foundation
import Testing

@Suite("Scenarios are read")
struct ScenarioLoadingTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Scenarios")

    @Test("the package has every file of Scenarios, under its name")
    func all() throws {
        let paths = FileManager.default.enumerator(atPath: Self.folder.path())
        let names = (paths?.compactMap { $0 as? String } ?? [])
            .filter { $0.hasSuffix(".json") && $0 != "scenario.schema.json" }
            .map { String($0.dropLast(5)) }
        #expect(Set(names) == Set(Scenario.names))
        #expect(names.count == Scenario.names.count)
    }

    @Test("a scenario has the text of its file", arguments: Scenario.names)
    func text(of name: String) throws {
        let embedded = try Scenario(named: name)
        let file = try Scenario(contentsOf: Self.folder.appending(path: "\(name).json").path())
        #expect(embedded.title == file.title)
        #expect(embedded.steps.map(\.title) == file.steps.map(\.title))
        #expect(!embedded.steps.isEmpty)
    }

    @Test("an unknown name is refused, with the one that was probably meant")
    func unknown() {
        let error = #expect(throws: ScenarioError.self) { try Scenario(named: "conformence") }
        #expect(
            error?.message == #"no scenario is named "conformence"; did you mean "conformance"?"#)
    }

    @Test("all mistakes are reported, with their places")
    func mistakes() {
        let text = """
            { "title": "T", "steps": [
                { "wiat": "subscribed" },
                { "pause": -1 } ] }
            """
        let error = #expect(throws: ScenarioError.self) { try Scenario(json: text) }
        guard case .invalid(file: "scenario", let mistakes)? = error else {
            Issue.record("no mistakes")
            return
        }
        #expect(mistakes.map(\.line) == [2, 3])
        #expect(error?.message.hasPrefix("scenario:2:15: $.steps[0]: ") == true, "\(mistakes)")
    }

    @Test("a file that is not there is refused")
    func missing() {
        let error = #expect(throws: ScenarioError.self) {
            try Scenario(contentsOf: "/nonexistent/scenario.json")
        }
        guard case .unreadable? = error else {
            Issue.record("it was read")
            return
        }
    }

    @Test("requirements have numbers, statements and remedies of their own")
    func requirements() {
        // The entries of requirements.txt are in the order of the cases.
        #expect(
            Requirement.entries.map { String($0.prefix { $0 != " " }) }
                == Requirement.allCases.map { "\($0)" })
        for requirement in Requirement.allCases {
            #expect(requirement.number.first.map("RSMLAPK".contains) == true)
            #expect(!requirement.statement.isEmpty && requirement.remedy.hasSuffix("."))
        }
        #expect(Set(Requirement.allCases.map(\.remedy)).count == Requirement.allCases.count)
    }
}
