import Foundation
import LinuxIO
import Testing

@testable import ANCSCommands
@testable import AccessoryConformance
@testable import CommandKit

@Suite("Options of the demo")
struct DemoOptionsTests {
    private func options(_ words: String...) throws -> DemoOptions {
        try DemoOptions(DemoOptions.syntax.parse(words))
    }

    @Test("without options the demo plays its own scenario in real time")
    func defaults() throws {
        let options = try options()
        #expect(options.isTour)
        #expect(options.speed == 1)
        #expect(!options.isJSON)
        #expect(try options.scenario().title == "ancs demo")
    }

    @Test(
        "speeds that no clock can have are refused",
        arguments: ["0", "-1", "inf", "nan", "fast", "1e9"])
    func speeds(text: String) {
        #expect(throws: CommandSyntax.UsageError.self) { try options("--speed", text) }
    }

    @Test(
        "a capture that cannot be created is a mistake of usage",
        arguments: ["--snoop", "--snoop-phone"])
    func captureThatCannotBe(option: String) throws {
        let error = #expect(throws: IOError.self) {
            _ = try options(option, "/nowhere/at/all").settings(for: .demo)
        }
        #expect(error?.responsibility == .usage)
        #expect(error?.message.contains("/nowhere/at/all") == true)
    }

    @Test("a scenario is called by its name, and the hints name one that is there")
    func scenarios() async throws {
        #expect(try options("--scenario", "call-declined").scenario().steps.count > 3)
        let page = DemoPage(DemoPage.Place(), phone: "iPhone", accessory: "Desk", isTour: true)
        let hints = try await DemoBench.run(.demo, page).lines
            .filter { $0.hasPrefix("    ancs demo --scenario ") }
        let name = try #require(hints.first?.split(separator: " ").last)
        #expect(Scenario.names.contains(String(name)))
    }

    @Test("one file cannot hold the captures of both sides")
    func captures() {
        #expect(throws: CommandSyntax.UsageError.self) {
            try options("--snoop", "a", "--snoop-phone", "a")
        }
    }

    @Test("a file that is not there, or no scenario, is a mistake of usage")
    func files() {
        #expect(throws: CommandSyntax.UsageError.self) {
            try options("--scenario", "/nowhere.json").scenario()
        }
        #expect(throws: CommandSyntax.UsageError.self) {
            try options("--scenario", "/dev/null").scenario()
        }
    }
}
