import Foundation
import Testing

@testable import ANCSCommands

/// A page of the documentation, and its blocks of code.
struct Page: Sendable, CustomTestStringConvertible {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    let path: String

    var testDescription: String { path }
    var name: String { String(path.split(separator: "/").last ?? "").replacing(".md", with: "") }

    /// README.md and all pages of Documentation.
    static let all: [Page] = {
        let files = FileManager.default.enumerator(
            atPath: root.appending(path: "Documentation").path())
        let paths = (files?.compactMap { $0 as? String } ?? []).filter { $0.hasSuffix(".md") }
        return (["README.md"] + paths.map { "Documentation/\($0)" }).sorted().map { Page(path: $0) }
    }()

    /// The lines of each block in a language, without the indentation of the block itself.
    func blocks(in languages: Set<String>) throws -> [[String]] {
        var blocks: [[String]] = []
        var isOurs: Bool?
        for line in try Self.lines(of: path) {
            let text = line.trimmingCharacters(in: .whitespaces)
            guard text.hasPrefix("```") else {
                if isOurs == true { blocks[blocks.count - 1].append(line) }
                continue
            }
            isOurs = isOurs == nil ? languages.contains(String(text.dropFirst(3))) : nil
            if isOurs == true { blocks.append([]) }
        }
        return blocks
    }

    /// The file that the code of the page stands in.
    func snippets() throws -> [String] {
        try Self.lines(of: "Tests/DocumentationTests/Snippets/\(name).swift")
    }

    private static func lines(of path: String) throws -> [String] {
        try String(contentsOf: root.appending(path: path), encoding: .utf8)
            .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }
}

@Suite("The code in the documentation")
struct DocumentationTests {
    @Test("Swift is what is compiled here, word for word", arguments: Page.all)
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

    @Test("commands of the tool have the options that they are given", arguments: Page.all)
    func shell(of page: Page) throws {
        for line in try page.blocks(in: ["sh", "console", ""]).joined() {
            let code = line.split(separator: "#").first ?? ""
            let words = code.split(whereSeparator: { " $".contains($0) }).map(String.init)
            guard let tool = words.firstIndex(where: { $0 == "ancs" || $0.hasSuffix("/ancs") }),
                tool + 1 < words.count, words[..<tool].allSatisfy({ $0 == "sudo" })
            else { continue }
            let syntax = Tool.commands.map(\.syntax).first { $0.command == words[tool + 1] }
            #expect(syntax != nil || words[tool + 1] == "help", "\(line)")
            for option in words[tool...] where option.hasPrefix("--") && option != "--help" {
                let name = option.prefix { $0 != "=" }
                #expect(syntax?.options.contains { $0.name == name } == true, "\(line)")
            }
        }
    }
}
