import Testing

@testable import ANCSService

@Suite("A TOML document")
struct TOMLDocumentTests {
    private func members(_ text: String) throws -> [TOMLMember] {
        try TOMLDocument(parsing: Array(text.utf8)).members
    }

    private func refusal(of text: String) -> TOMLDocument.Fault? {
        do throws(TOMLDocument.Fault) {
            _ = try TOMLDocument(parsing: Array(text.utf8))
            return nil
        } catch { return error }
    }

    @Test("every key and every value knows its line and its column, in characters")
    func places() throws {
        let members = try members("['café']\n\"né\" = \"Bä\"\n  list = [1, true]\n")
        let section = try #require(members.first)
        #expect(section.key == "café")
        #expect(section.place == TextPlace(line: 1, column: 2))
        guard case .table(let keys) = section.value.content else {
            Issue.record("not a table")
            return
        }
        #expect(keys.map(\.key) == ["né", "list"])
        #expect(keys[1].place == TextPlace(line: 3, column: 3))
        #expect(keys[0].place == TextPlace(line: 2, column: 1))
        #expect(keys[0].value.place == TextPlace(line: 2, column: 8))
        guard case .array(let elements) = keys[1].value.content else {
            Issue.record("not a list")
            return
        }
        #expect(elements.map(\.place) == [11, 14].map { TextPlace(line: 3, column: $0) })
    }

    @Test("each type of value is distinguished from the others")
    func types() throws {
        let members = try members(
            "a = 'x'\nb = -7\nc = 1.5\nd = false\ne = 2026-11-22\nf = []\ng = {}\n[[h]]\n")
        let none: [TOMLMember] = []
        let one = TOMLValue(content: .table(none), place: TextPlace(line: 8, column: 1))
        #expect(
            members.map(\.value.content) == [
                .string("x"), .integer(-7), .float(1.5), .boolean(false), .date, .array([]),
                .table(none), .array([one]),
            ])
    }

    struct Broken: CustomTestStringConvertible, Sendable {
        var text: String
        var line: Int
        var column: Int
        var testDescription: String { String(text.prefix(24)) }
    }

    static let broken = [
        Broken(text: "a = \n", line: 1, column: 5),
        Broken(text: "x = 1\na = 'open", line: 2, column: 10),
        Broken(text: "a = 1\na = 2\n", line: 2, column: 5),
        Broken(text: "[desktop\n", line: 1, column: 9),
        Broken(text: "a = \"\\q\"", line: 1, column: 7),
    ]

    @Test("invalid TOML is refused with its place", arguments: broken)
    func syntax(_ broken: Broken) throws {
        let fault = try #require(refusal(of: broken.text))
        #expect(fault.place == TextPlace(line: broken.line, column: broken.column))
        #expect(fault.message.hasPrefix("invalid TOML: "))
    }

    @Test(
        "octets that are not UTF-8 are refused",
        arguments: [[0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80]])
    func octets(_ octets: [UInt8]) {
        #expect(throws: TOMLDocument.Fault.self) {
            try TOMLDocument(parsing: Array("a = \"".utf8) + octets + Array("\"".utf8))
        }
    }

    @Test(
        "a header without a key is refused",
        arguments: ["[[= 1", "[=", "[[", "[]", "[[]]", "[a.=]"])
    func header(_ text: String) { #expect(refusal(of: text) != nil) }

    @Test("a document that is too long is refused unread")
    func length() throws {
        let text = String(repeating: "# a comment\n", count: 90_000)
        #expect(refusal(of: text)?.message == "the file is longer than 1 MiB")
        #expect(try members(String(text.prefix(1 << 19))).isEmpty)
    }

    @Test(
        "deep nesting is refused, however it is written",
        arguments: ["[", "{a=", "[{a=", "{a=["])
    func nesting(_ opening: String) throws {
        let fault = try #require(refusal(of: "a = " + String(repeating: opening, count: 100_000)))
        #expect(fault.message.contains("nested too deeply"))
    }

    @Test(
        "a key of many parts is refused before it is read",
        arguments: [
            ("a", ""), ("[a", "]"), ("[[a", "]]"), ("x = {a", "=1}"), ("'a.'", "=1"),
            ("\"\"", "=1"),
        ])
    func parts(_ beginning: String, _ end: String) throws {
        let long = "\n" + beginning + String(repeating: ".a", count: 400_000) + end
        let fault = try #require(refusal(of: long))
        #expect(fault.message.contains("too many parts"))
        #expect(fault.place.line == 2)
        let short = beginning + String(repeating: ".a", count: 31) + (end.isEmpty ? "=1" : end)
        #expect(throws: Never.self) { try members(short) }
    }

    @Test("dots in strings and comments do not separate parts of keys")
    func dots() throws {
        let dots = String(repeating: ".", count: 100)
        let members = try members(
            "# \(dots)\na = \"\(dots)\\\"\(dots)\"\nb = '\(dots)'\nc = '''\n'\(dots)'''\n"
                + "d = \"\"\"\(dots)\"\"\(dots)\"\"\"\"\"\ne = \"\"\nf = ''\n\"\(dots)\" = 1\n")
        #expect(members.count == 7)
    }

    @Test("the deepest document that is read is freed")
    func deepest() throws {
        let key = "a" + String(repeating: ".a", count: 31)
        let text =
            "[\(key)]\n\(key) = " + String(repeating: "{\(key)=", count: 31) + "1"
            + String(repeating: "}", count: 31)
        #expect(try members(text).count == 1)
    }
}
