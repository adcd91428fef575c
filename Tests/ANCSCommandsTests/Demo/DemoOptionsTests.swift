import Testing

@testable import ANCSCommands

@Suite("Options of the demo")
struct DemoOptionsTests {
    private func options(_ words: String...) throws -> DemoOptions {
        try DemoOptions(DemoOptions.syntax.parse(words))
    }

    @Test("without options it is the demo's own story at the pace of the world")
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
