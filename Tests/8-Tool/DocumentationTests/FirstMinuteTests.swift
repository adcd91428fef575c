import ANCSService
import EventLines
import Testing

@Suite("The pages about the first minute")
struct FirstMinuteTests {
    @Test(
        "the pages that explain how to pair also explain the way without the phone's list",
        arguments: [
            "README.md", "Documentation/Installing.md", "Documentation/Linux.md",
            "Documentation/Receive.md", "Documentation/Serve.md", "Documentation/HomeAssistant.md",
        ])
    func otherWay(on path: String) throws {
        // A page may mark the name, and begin a sentence.
        let text = try Repository.text(of: path).replacing("*", with: "").replacing("'", with: "")
            .lowercased()
        let isThere = ["Desk", "ancs"].contains { name in
            text.contains(
                PairingAdvice.otherApp(for: name).replacing("'", with: "").lowercased())
        }
        #expect(isThere, "\(PairingAdvice.otherApp(for: "Desk"))")
    }

    @Test("the table of adapters has the doctor's entries, with their sources")
    func adapters() throws {
        let lines = try Repository.lines(of: "Documentation/Development/Adapters.md")
        let start = try #require(lines.firstIndex(of: "# Adapters"))
        let rows = lines[start...].drop { !$0.hasPrefix("|---") }.dropFirst()
            .prefix { $0.hasPrefix("|") }
        let cells = rows.map { row in
            row.split(separator: "|").map { $0.trimmingPrefix(" ").reversed().trimmingPrefix(" ") }
                .map { String($0.reversed()) }
        }
        #expect(
            cells.map { Array($0.prefix(3)) }
                == KnownAdapter.all.map { adapter in
                    [
                        adapter.name, adapter.identifiers.map { "`\($0)`" }.joined(separator: " "),
                        adapter.report,
                    ]
                })
        for cell in cells { #expect(cell.count == 4 && cell[3].contains("](https://")) }
    }
}
