import Foundation
import Testing

@testable import ANCSCommands

@Suite("The pages of the commands")
struct CommandPageTests {
    private static let isWriting = ProcessInfo.processInfo.environment["ANCS_WRITE_PAGES"] != nil
    private static let advice: Comment =
        "ANCS_WRITE_PAGES=1 swift test --disable-xctest --filter CommandPageTests writes it"

    @Test("each example shows the tool's own output", arguments: Tool.commands.map(\.name))
    func page(of name: String) throws {
        let page = CommandPage(command: try Tool.command(named: name))
        if Self.isWriting {
            try page.text.write(
                to: Repository.root.appending(path: page.path), atomically: true, encoding: .utf8)
        }
        #expect(try page.text == Repository.text(of: page.path), Self.advice)
    }

    @Test("a removed command has no page")
    func noOthers() {
        let pages = Tool.commands.map { CommandPage(command: $0).path }
        #expect(
            Repository.files(under: "Documentation/Commands", [".md"]).sorted() == pages.sorted())
    }

    @Test("the index has a row for each, in the order of 'ancs help'")
    func index() throws {
        let rows = Tool.commands.map { CommandPage(command: $0).row }
        let lines = try Repository.lines(of: "Documentation/README.md")
        #expect(
            lines.filter { $0.contains("](Commands/") } == rows, "\(rows.joined(separator: "\n"))")
    }
}
