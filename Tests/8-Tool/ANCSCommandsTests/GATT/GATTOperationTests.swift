import DeviceCommandKit
import Testing

@testable import CommandKit
@testable import LaboratoryCommands

/// What stands behind PEER, and what is typed at the prompt of `ancs gatt`.
@Suite struct GATTOperationTests {
    private func operation(_ line: String) throws -> GATTOperation {
        try GATTOperation(PromptWords.split(line))
    }

    @Test("values are texts, or octets after 0x")
    func values() throws {
        #expect(try operation("write 2A39 0x01fF") == .write("2A39", [1, 0xFF], isConfirmed: true))
        #expect(
            try operation(#"send 0x0013 "hi there""#)
                == .write("0x0013", Array("hi there".utf8), isConfirmed: false))
        #expect(
            try operation("write 2A39 01") == .write("2A39", Array("01".utf8), isConfirmed: true))
        #expect(try operation(#"write 2A39 """#) == .write("2A39", [], isConfirmed: true))
        #expect(throws: PromptFault.self) { try operation("write 2A39 0x012") }
        let longest = String(repeating: "a", count: 512)
        #expect(throws: Never.self) { try operation("write 2A39 \(longest)") }
        #expect(throws: PromptFault.self) { try operation("write 2A39 \(longest)a") }
    }

    @Test("an unknown or incomplete command is refused with a suggestion")
    func faults() {
        #expect(throws: PromptFault(message: "'raed' is not a command; did you mean 'read'?")) {
            try operation("raed 2A19")
        }
        #expect(throws: PromptFault(message: "usage: read ATTRIBUTE")) { try operation("read") }
        #expect(throws: PromptFault(message: "usage: write ATTRIBUTE VALUE")) {
            try operation("write 2A19")
        }
    }

    @Test(
        "subscriptions run until they are interrupted; commands of the prompt work only there")
    func options() throws {
        func options(_ words: String...) throws(CommandSyntax.UsageError) -> GATTCommandOptions {
            try GATTCommandOptions(
                GATTCommandOptions.syntax.parse(["--hci", "unix:/nowhere", "Heart"] + words),
                environment: [:])
        }
        #expect(try options().work == .operation(.list))
        #expect(try options("subscribe", "2A37").isOpenEnded)
        #expect(try options("prompt").work == .prompt)
        #expect(try !options("read", "2A37").isOpenEnded)
        for words in [["quit"], ["help"], ["prompt", "read"]] {
            #expect(throws: CommandSyntax.UsageError.self) {
                try GATTCommandOptions(
                    GATTCommandOptions.syntax.parse(["--hci", "unix:/nowhere", "Heart"] + words),
                    environment: [:])
            }
        }
    }
}
