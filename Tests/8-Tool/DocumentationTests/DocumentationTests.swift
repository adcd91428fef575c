import Testing

@testable import ANCSCommands
@testable import CommandKit

@Suite("The code in the documentation")
struct DocumentationTests {
    @Test("Swift in the documentation is compiled here, word for word", arguments: Page.withCode)
    func swift(of page: Page) throws {
        for block in try page.blocks(in: ["swift"]) {
            let lines = try page.snippets()
            let imports = block.filter { $0.hasPrefix("import ") }
            for line in imports { #expect(lines.contains(line)) }
            let code = Array(block.drop { $0.isEmpty || $0.hasPrefix("import ") })
            #expect(Self.contains(lines, code), "\(code.joined(separator: "\n"))")
        }
    }

    /// Whether lines follow each other somewhere, all of them indented by the same.
    private static func contains(_ lines: [String], _ block: [String]) -> Bool {
        guard let first = block.first else { return true }
        return lines.indices.contains { start in
            guard lines[start].hasSuffix(first), start + block.count <= lines.count else {
                return false
            }
            let indentation = lines[start].dropLast(first.count)
            guard indentation.allSatisfy({ $0 == " " }) else { return false }
            return zip(lines[start...], block).allSatisfy { line, wanted in
                line == (wanted.isEmpty ? "" : indentation + wanted)
            }
        }
    }

    @Test("commands of the tool have the options that they are given", arguments: Page.withCode)
    func shell(of page: Page) throws {
        for line in try page.blocks(in: ["sh", "console", ""]).joined() {
            let code = line.split(separator: "#").first ?? ""
            let words = code.split(whereSeparator: { " $".contains($0) }).map(String.init)
            guard let tool = words.firstIndex(where: { $0 == "ancs" || $0.hasSuffix("/ancs") }),
                tool + 1 < words.count, words[..<tool].allSatisfy({ $0 == "sudo" })
            else { continue }
            let syntax = Tool.commands.map(\.syntax).first { $0.command == words[tool + 1] }
            #expect(syntax != nil || words[tool + 1] == "help", "\(line)")
            // What follows belongs to another program.
            let own = words[tool...].prefix { $0 != "--" }
            for option in own where option.hasPrefix("--") && option != "--help" {
                let name = option.prefix { $0 != "=" }
                #expect(syntax?.options.contains { $0.name == name } == true, "\(line)")
            }
        }
    }
}
