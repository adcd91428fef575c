import Foundation
import Testing

/// A page of the documentation: its blocks of code, its headings and its links.
struct Page: Hashable, Sendable, CustomTestStringConvertible {
    let path: String

    var testDescription: String { path }
    var name: String { String(path.split(separator: "/").last ?? "").replacing(".md", with: "") }

    /// README.md and all pages of Documentation.
    static let all: [Page] = (["README.md"] + Repository.files(under: "Documentation", [".md"]))
        .sorted().map(Page.init)

    /// All pages that show code of users, with the articles of the libraries.
    static let withCode =
        all + Repository.files(under: "Sources", [".md"]).sorted().map(Page.init)

    /// All pages, with those that show no code of users.
    static let linking = all + ["CONTRIBUTING.md", "Examples/README.md"].map(Page.init)

    /// Whether the page only says where it is now, for links of before.
    var hasMoved: Bool {
        get throws { try Repository.text(of: path).contains("\n\nThis page is now ") }
    }

    /// The lines of each block in a language, without the indentation of the block itself.
    func blocks(in languages: Set<String>) throws -> [[String]] {
        var blocks: [[String]] = []
        var isOurs: Bool?
        for line in try Repository.lines(of: path) {
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
        try Repository.lines(of: "Tests/8-Tool/DocumentationTests/Snippets/\(name).swift")
    }

    /// The lines outside of blocks of code.
    private func prose() throws -> [String] {
        var isCode = false
        return try Repository.lines(of: path).filter { line in
            if line.trimmingCharacters(in: .whitespaces).hasPrefix("```") {
                isCode.toggle()
                return false
            }
            return !isCode
        }
    }

    /// What the links of the page point at, but for those to other sites.
    func links() throws -> [String] {
        try prose().flatMap { line in
            line.replacing(#/`[^`]*`/#, with: "").matches(of: #/\]\(([^)\s]+)\)/#)
                .map { String($0.1) }
        }.filter { !$0.contains("://") }
    }

    /// The names under which a link reaches a heading, as GitHub makes them.
    func anchors() throws -> Set<String> {
        var anchors: Set<String> = []
        for line in try prose() where line.hasPrefix("#") {
            let text = line.drop { $0 == "#" }.trimmingCharacters(in: .whitespaces).lowercased()
            let name = String(
                text.compactMap { character -> Character? in
                    if character == " " { return "-" }
                    return character.isLetter || character.isNumber || "-_".contains(character)
                        ? character : nil
                })
            let sameNames = (1...).lazy.map { "\(name)-\($0)" }
            anchors.insert(
                anchors.contains(name) ? sameNames.first { !anchors.contains($0) } ?? name : name)
        }
        return anchors
    }
}

/// The files of this project.
enum Repository {
    static let root = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// The paths of the files in a folder and below it whose names end with one of these.
    static func files(under folder: String, _ endings: [String]) -> [String] {
        let paths = FileManager.default.enumerator(atPath: root.appending(path: folder).path())
        return (paths?.compactMap { $0 as? String } ?? [])
            .filter { path in endings.contains { path.hasSuffix($0) } && !path.contains(".build/") }
            .map { "\(folder)/\($0)" }
    }

    static func text(of path: String) throws -> String {
        try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }

    static func lines(of path: String) throws -> [String] {
        try text(of: path).split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }

    static func exists(_ path: String) -> Bool {
        FileManager.default.fileExists(atPath: root.appending(path: path).path())
    }
}
