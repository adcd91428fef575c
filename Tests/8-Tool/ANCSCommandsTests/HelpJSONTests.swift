import AccessoryConformance
import JSONText
import Testing

@testable import ANCSCommands
@testable import CommandKit

@Suite("'ancs help --json'")
struct HelpJSONTests {
    private func names(_ list: String, _ member: String) -> [String] {
        HelpJSON.value[list]?.array?.compactMap { $0[member]?.string } ?? []
    }

    @Test("every command, verb and requirement is there, each with its words")
    func complete() {
        #expect(names("commands", "command") == Tool.commands.map(\.syntax.command))
        #expect(names("verbs", "verb") == PhoneVerbs.all.map { $0.name })
        #expect(names("requirements", "requirement") == Requirement.allCases.map(\.number))
        #expect(names("requirements", "remedy").allSatisfy { $0.count > 20 })
    }

    @Test("an option has its value, and the words that it takes")
    func options() throws {
        let commands = try #require(HelpJSON.value["commands"]?.array)
        let bench = try #require(commands.first { $0["command"]?.string == "bench" })
        let order = try #require(
            bench["options"]?.array?.first { $0["option"]?.string == "--order" })
        #expect(order["value"]?.string == "ORDER")
        #expect(order["words"]?.array?.compactMap(\.string) == ["kept", "usb"])
    }

    @Test("remedies differ, for a requirement with two cases too")
    func remedies() {
        let remedies = Requirement.allCases.map(\.remedy)
        #expect(Set(remedies).count == remedies.count)
    }
}
