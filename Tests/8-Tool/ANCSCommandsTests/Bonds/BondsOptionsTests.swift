import Testing

@testable import ANCSKit
@testable import CommandKit
@testable import LaboratoryCommands

/// What `ancs bonds` takes.
@Suite struct BondsOptionsTests {
    private func options(_ words: String...) throws -> BondsOptions {
        try BondsOptions(BondsOptions.syntax.parse(words), environment: ["HOME": "/home/ada"])
    }

    @Test("without arguments all peers of both devices are listed, from the default directory")
    func defaults() throws {
        let options = try options()
        #expect(options.action == .list)
        #expect(options.devices == [.accessory, .phone])
        #expect(options.stateDirectory == "/home/ada/.local/state/ancs")
        #expect(options.format == .json)
        #expect(try self.options("list") == options)
    }

    @Test("show takes no peer or one, remove and export exactly one")
    func actions() throws {
        #expect(try options("show").action == .show(nil))
        #expect(try options("show", "iPhone").action == .show("iPhone"))
        #expect(try options("remove", "iPhone").action == .remove("iPhone"))
        let export = try options(
            "export", "iPhone", "--format", "bluez", "--output", "f", "--device", "phone")
        #expect(export.action == .export("iPhone"))
        #expect(export.format == .bluez)
        #expect(export.outputPath == "f")
        #expect(export.devices == [.phone])
    }

    @Test(
        "a missing, superfluous or ineffective option is refused",
        arguments: [
            ["remove"], ["export"], ["list", "iPhone"], ["forget", "iPhone"],
            ["remove", "a", "b"], ["list", "--format", "bluez"], ["remove", "a", "--output", "f"],
            ["--device", "watch"], ["export", "a", "--format", "xml"], ["--state", ""],
        ])
    func refused(_ words: [String]) {
        #expect(throws: CommandSyntax.UsageError.self) {
            try BondsOptions(BondsOptions.syntax.parse(words), environment: ["HOME": "/home/ada"])
        }
    }
}
