import Testing

@testable import AccessoryConformance

@Suite("The scenarios in the pages")
struct ScenarioTests {
    /// The blocks of JSON in a page that have steps.
    private static func scenarios(in path: String) throws -> [String] {
        var (blocks, block): ([String], [String]?) = ([], nil)
        for line in try Repository.lines(of: path) {
            if line == "```json" {
                block = []
            } else if line == "```" {
                if let lines = block, lines.contains(where: { $0.contains("\"steps\"") }) {
                    blocks.append(lines.joined(separator: "\n"))
                }
                block = nil
            } else {
                block?.append(line)
            }
        }
        return blocks
    }

    @Test("each can be played as it is printed")
    func areScenarios() throws {
        var count = 0
        for path in Repository.files(under: "Documentation", [".md"]) + ["README.md"] {
            for text in try Self.scenarios(in: path) {
                count += 1
                #expect(throws: Never.self, "\(path)") { try Scenario(parsing: Array(text.utf8)) }
            }
        }
        #expect(count > 0)
    }
}
