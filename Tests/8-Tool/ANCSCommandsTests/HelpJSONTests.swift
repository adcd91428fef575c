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
        #expect(names("verbs", "verb") == PhoneVerbs.all.map { $0.name } + ["repeat"])
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

    @Test("what 'inject' and 'set' take is there in full, in plain text")
    func values() throws {
        let verbs = try #require(HelpJSON.value["verbs"]?.array)
        func words(_ verb: String, _ member: String) -> [String] {
            let verb = verbs.first { $0["verb"]?.string == verb }
            let member = verb?["members"]?.array?.first { $0["member"]?.string == member }
            return member?["words"]?.array?.compactMap(\.string) ?? []
        }
        #expect(
            Set(words("inject", "fault")).isSuperset(of: ["late", "lost", "parameters", "linkLoss"])
        )
        #expect(words("inject", "answer") == ["refuse", "acceptOnly", "ignore", "overwrite"])
        #expect(words("set", "truncation") == ["characters", "octets", "ellipsis"])
        for verb in verbs {
            let text = verb["value"]?.array?.compactMap(\.string).joined() ?? ""
            #expect(!text.contains("`") && !text.contains("\\|"), "\(text)")
        }
        // What a schema refers to is there.
        let definitions = try #require(HelpJSON.value["$defs"]?.members).map(\.name) + ["step"]
        for reference in HelpJSON.value.text.matches(of: #/"#/\$defs/([A-Za-z]+)"/#) {
            #expect(definitions.contains(String(reference.1)))
        }
    }

    @Test("remedies differ, for a requirement with two cases too")
    func remedies() {
        let remedies = Requirement.allCases.map(\.remedy)
        #expect(Set(remedies).count == remedies.count)
    }
}
