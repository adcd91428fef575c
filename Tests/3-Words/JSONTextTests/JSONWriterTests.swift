import JSONText
import Testing

@Suite("A line that is written at once")
struct JSONWriterTests {
    /// Members of every kind, in objects within objects.
    private static func describe(_ text: String, to object: inout some JSONMembers) {
        object.add("text", .string(text))
        object.add("octets", text: Array(text.utf8))
        object.add("number", .integer(.min))
        object.add("fraction", .number(0.25))
        object.add("truth", true)
        object.add("nothing", .null)
        object.add("tree", ["a": [1, ["b": .string(text)]], "c": .array([])])
        object.add("none", objects: [Int]()) { _, _ in }
        object.add("objects", objects: [0, 1, 2]) { count, member in
            for number in 0..<count { member.add("member", .integer(number)) }
            member.add("inner", objects: [text]) { text, inner in
                inner.add("text", .string(text))
            }
            member.add("last", .integer(count))
        }
    }

    static let texts = [
        "", "plain ASCII from space to ~", "a quote \" in it", "back\\slash", "a\tb", "\u{7F}",
        "\u{1F}x",
        "é", "\u{80}", "\u{61C}", "\u{202E}evil", "日本", "🍕 of sixteen octets and more",
    ]

    @Test("has the octets of the tree with the same members", arguments: texts)
    func sameAsTree(_ text: String) {
        var tree: [JSONValue.Member] = []
        Self.describe(text, to: &tree)
        var writer = JSONWriter()
        writer.writeLine { object in Self.describe(text, to: &object) }
        #expect(writer.octets == Array((JSONValue.object(tree).text + "\n").utf8))
    }

    @Test(
        "a text in octets is that text, with U+FFFD in place of what is not UTF-8",
        arguments: [[], [0x41], [0x22], [0x0A], [0xC3, 0xA9], [0x41, 0xE2, 0x80], [0xFF, 0x22]])
    func octets(_ text: [UInt8]) {
        var writer = JSONWriter()
        writer.writeLine { object in object.add("text", text: text) }
        let tree: JSONValue = ["text": .string(String(decoding: text, as: UTF8.self))]
        #expect(String(decoding: writer.octets, as: UTF8.self) == tree.text + "\n")
    }

    @Test("members of a tree go between others, and lines follow each other")
    func mixed() {
        var writer = JSONWriter()
        writer.writeLine { _ in }
        writer.writeLine { object in
            object.add([])
            object.add([.init("a\"", 1), .init("b", true)])
            object.add("c", 2)
        }
        writer.writeLine("{}")
        #expect(
            String(decoding: writer.octets, as: UTF8.self)
                == "{}\n{\"a\\\"\":1,\"b\":true,\"c\":2}\n{}\n")
    }
}
