import AccessoryConformance
import Foundation
import Testing

@Suite("The requirements of Documentation/Development/Requirements.md")
struct RequirementTests {
    /// The numbers that have a row, in the order of their rows.
    private static func rows() throws -> [String] {
        try ["Requirements", "Media"].flatMap { page in
            try Repository.lines(of: "Documentation/Development/\(page).md").compactMap { line in
                line.firstMatch(of: #/^\| ([RSM][0-9]+) \|/#).map { String($0.1) }
            }
        }
    }

    @Test("each number has one row, and none is left out between them")
    func rowsAreComplete() throws {
        let rows = try Self.rows()
        let numbered = ["R", "S", "M"].flatMap { letter in
            (1...rows.count { $0.hasPrefix(letter) }).map { "\(letter)\($0)" }
        }
        #expect(rows == numbered)
    }

    @Test(
        "every number that is used has a row",
        arguments: [
            "Sources", "Tests", "Simulation", "Fuzz", "Benchmarks", "Examples", "Scenarios",
            "Documentation",
        ])
    func numbersAreKnown(in folder: String) throws {
        let rows = Set(try Self.rows())
        for path in Repository.files(under: folder, [".swift", ".py", ".json", ".md"]) {
            for (index, line) in try Repository.lines(of: path).enumerated() {
                for match in line.matches(of: #/\b[RS][0-9]{1,2}\b/#) {
                    #expect(rows.contains(String(match.0)), "\(path):\(index + 1): \(match.0)")
                }
            }
        }
    }

    @Test("the table of what is graded is made of the rows of the requirements")
    func graded() throws {
        let (opening, closing) = (
            "<!-- Graded. Generated from Requirement.row: see CONTRIBUTING.md before you edit it. -->\n",
            "<!-- End of graded -->"
        )
        let rows = Requirement.allCases.filter { !$0.isOfLink }.map { requirement in
            let row = requirement.row
            return
                "| \(row.statement) | \(row.number) | \(row.weight.word) | \(row.symptom) |\n"
        }
        let table =
            "| the accessory | | weight | otherwise the wearer sees |\n"
            + "|---|---|---|---|\n" + rows.joined()
        let page = try Repository.text(of: "Documentation/Grades.md")
        let start = try #require(page.firstRange(of: opening)).upperBound
        let end = try #require(page.firstRange(of: closing)).lowerBound
        let made = String(page[..<start]) + table + page[end...]
        if ProcessInfo.processInfo.environment["ANCS_WRITE_PAGES"] != nil {
            let file = Repository.root.appending(path: "Documentation/Grades.md")
            try made.write(to: file, atomically: true, encoding: .utf8)
        }
        #expect(
            try made == Repository.text(of: "Documentation/Grades.md"),
            "ANCS_WRITE_PAGES=1 swift test --disable-xctest --filter RequirementTests writes it")
    }
}
