import JSONText
import Testing

@Suite("A JSON text is read")
struct JSONReadingTests {
    /// A text and the value that it stands for.
    struct Row: CustomTestStringConvertible, Sendable {
        var text: String
        var value: JSONValue

        var testDescription: String { text.debugDescription }

        init(_ text: String, _ value: JSONValue) {
            self.text = text
            self.value = value
        }
    }

    static let values = [
        Row("null", .null), Row("true", true), Row("false", false),
        Row(#""""#, ""), Row("[]", []), Row("{}", [:]),
        Row(" \t\r\n[ \t\r\n1 \t\r\n, \t\r\n2 \t\r\n] \t\r\n", [1, 2]),
        Row(" { \"a\" : 1 , \"b\" : { \"c\" : [ ] } } ", ["a": 1, "b": ["c": []]]),
        Row("[[[]],[{}]]", [[[]], [[:]]]),
        Row("[null,true,false]", [.null, true, false]),
        // A byte order mark, RFC 8259, 8.1.
        Row("\u{FEFF}[1]", [1]),
        // Names are texts: none, escaped, in another order than the alphabet's, alike but not the same.
        Row(#"{"":0}"#, ["": 0]),
        Row(#"{"b":1,"a":2,"\u0063":3}"#, ["b": 1, "a": 2, "c": 3]),
        Row(#"{"a":{"a":1},"A":2}"#, ["a": ["a": 1], "A": 2]),
    ]

    @Test("as the value that it stands for", arguments: values)
    func reads(_ row: Row) throws {
        #expect(try JSONValue(parsing: row.text) == row.value)
    }

    static let strings = [
        Row(#""a b""#, "a b"),
        Row(#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{08}\u{0C}\n\r\t"),
        Row(#""\u0000""#, "\0"), Row(#""\u001F\u007f""#, "\u{1F}\u{7F}"),
        Row(#""\u00e9\u00E9""#, "éé"), Row(#""\uFFFF\uFEFF""#, "\u{FFFF}\u{FEFF}"),
        Row(#""x\uD83C\uDF55y""#, "x🍕y"), Row(#""\udbff\udfff""#, "\u{10FFFF}"),
        Row("\"é🍕\u{2028}\u{7F}\"", "é🍕\u{2028}\u{7F}"),
        // Escapes that are not at once followed by their like.
        Row(#""\\u0041\\""#, #"\u0041\"#), Row(#""\\\"""#, #"\""#),
        Row(#""[{\"a\":1}]""#, #"[{"a":1}]"#),
    ]

    @Test("its escapes as the characters that they stand for", arguments: strings)
    func readsEscapes(_ row: Row) throws {
        let read = try #require(try JSONValue(parsing: row.text).string)
        // Characters that are only equivalent are not what was written.
        #expect(Array(read.unicodeScalars) == Array((row.value.string ?? "").unicodeScalars))
    }

    static let numbers = [
        Row("0", 0), Row("-0", 0), Row("1", 1), Row("-1", -1), Row("10", 10),
        Row("9223372036854775807", .integer(.max)), Row("-9223372036854775808", .integer(.min)),
        // What no 64 bits hold is the nearest double.
        Row("9223372036854775808", .number(0x1p63)),
        Row("-9223372036854775809", .number(-0x1p63)),
        Row("123456789012345678901234567890", .number(1.2345678901234568e29)),
        Row("0.5", .number(0.5)), Row("-0.25", .number(-0.25)), Row("0.1", .number(0.1)),
        Row("2.5e-3", .number(0.0025)), Row("1E-2", .number(0.01)),
        Row("1e22", .number(1e22)), Row("1e+23", .number(1e23)),
        Row("1.7976931348623157e308", .number(.greatestFiniteMagnitude)),
        Row("5e-324", .number(.leastNonzeroMagnitude)),
        Row("2.2250738585072011e-308", .number(.leastNormalMagnitude.nextDown)),
        // A whole number, however it is written, as far as a double tells whole numbers apart.
        Row("1.0", 1), Row("-0.0", 0), Row("1e3", 1000), Row("1.5E+1", 15), Row("100e-2", 1),
        Row("0e99999999999", 0), Row("1e-400", 0),
        Row("9007199254740992.0", 9_007_199_254_740_992),
        Row("9007199254740994.0", .number(9_007_199_254_740_994)),
        Row("1e18", .number(1e18)),
    ]

    @Test("its numbers exactly, or as the nearest double", arguments: numbers)
    func readsNumber(_ row: Row) throws {
        #expect(try JSONValue(parsing: row.text) == row.value)
        #expect(try JSONValue(parsing: " [\(row.text)]") == .array([row.value]))
    }

    @Test("deep nesting is accepted")
    func depth() throws {
        let deep = String(repeating: "[", count: 255) + "1" + String(repeating: "]", count: 255)
        var value = try JSONValue(parsing: deep)
        for _ in 0..<255 { value = try #require(value.array?.first) }
        #expect(value == 1)
    }
}
