import Foundation
import JSONText
import Testing

@testable import ANCSCommands
@testable import Kinds

@Suite("The schemas of lines of JSON")
struct LinePageTests {
    private static let isWriting = ProcessInfo.processInfo.environment["ANCS_WRITE_PAGES"] != nil
    private static let advice: Comment =
        "ANCS_WRITE_PAGES=1 swift test --disable-xctest --filter LinePageTests writes it"

    /// Schemas of files that users write. Their readers say more than kinds of lines could.
    private static let byHand = ["publication"]

    private static func check(_ text: String, _ path: String) throws {
        if isWriting {
            let file = Repository.root.appending(path: path)
            try text.write(to: file, atomically: true, encoding: .utf8)
        }
        #expect(try text == Repository.text(of: path), advice)
    }

    @Test("a schema is made of the descriptions of its lines", arguments: Tool.schemas.map(\.name))
    func schema(_ name: String) throws {
        let schema = try #require(Tool.schemas.first { $0.name == name })
        try Self.check(schema.json.pretty() + "\n", Self.path(name))
    }

    @Test("every schema is generated, but for those of files that users write")
    func noOthers() {
        let names = Tool.schemas.map(\.name) + Self.byHand
        #expect(
            Repository.files(under: "Documentation/Schemas", [".schema.json"]).sorted()
                == names.map(Self.path).sorted())
    }

    private static func path(_ name: String) -> String {
        "Documentation/Schemas/\(name).schema.json"
    }

    @Test("a schema reads as the JSON that it is")
    func pretty() throws {
        for schema in Tool.schemas {
            let text = schema.json.pretty()
            #expect(try JSONValue(parsing: Array(text.utf8)) == schema.json)
            #expect(text.split(separator: "\n").allSatisfy { !$0.hasSuffix(" ") })
        }
    }
}
