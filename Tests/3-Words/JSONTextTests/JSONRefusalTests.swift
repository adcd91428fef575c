import JSONText
import Testing

@Suite("A text that is not JSON is refused")
struct JSONRefusalTests {
    /// A text, the column of its first fault, and what is expected there.
    struct Row: CustomTestStringConvertible, Sendable {
        var text: String
        var column: Int
        var expected: String

        var testDescription: String { text.debugDescription }

        init(_ text: String, _ column: Int, _ expected: String) {
            self.text = text
            self.column = column
            self.expected = expected
        }
    }

    private static let value = "a value"
    private static let end = "the end of the text"
    private static let comma = "a comma or ]"
    private static let name = "a name in quotes"
    private static let digit = "a digit"
    private static let pair = "both halves of a surrogate pair"
    private static let escape = "a known escape after the backslash"
    private static let hexadecimal = "four hexadecimal digits"
    private static let control = "an escape instead of a control character"
    private static let open = "the closing quote of this string"

    static let structure = [
        Row("", 1, value), Row("  ", 3, value), Row("\u{FEFF}", 4, value),
        Row("]", 1, value), Row("[", 2, value), Row("[1", 3, comma), Row("[1 2]", 4, comma),
        Row("[1,]", 4, value), Row("[,1]", 2, value), Row("[1,,2]", 4, value),
        Row("[1}", 3, comma), Row("[] []", 4, end), Row("1 2", 3, end), Row("[1],", 4, end),
        Row("{", 2, name), Row("{,}", 2, name), Row("{1:2}", 2, name), Row("{a:1}", 2, name),
        Row("{'a':1}", 2, name), Row(#"{"a"}"#, 5, "a colon"), Row(#"{"a" 1}"#, 6, "a colon"),
        Row(#"{"a"::1}"#, 6, value), Row(#"{"a":}"#, 6, value), Row(#"{"a":1"#, 7, "a comma or }"),
        Row(#"{"a":1,}"#, 8, name), Row(#"{"a":1 "b":2}"#, 8, "a comma or }"),
        Row(#"{"a":1]"#, 7, "a comma or }"),
        // No white space but four kinds, and no comments.
        Row("\u{0B}1", 1, value), Row("\u{A0}1", 1, value), Row("[1\u{0C}]", 3, comma),
        Row("// 1\n1", 1, value), Row("1 /* */", 3, end), Row("1 # one", 3, end),
    ]

    static let words = [
        Row("tru", 1, value), Row("[tru]", 2, value), Row("True", 1, value), Row("nul", 1, value),
        Row("nulll", 5, end), Row("truefalse", 5, end), Row("undefined", 1, value),
        Row("NaN", 1, value), Row("Infinity", 1, value), Row("'a'", 1, value),
    ]

    static let numbers = [
        Row("-", 2, digit), Row("+1", 1, value), Row("--1", 2, digit), Row("- 1", 2, digit),
        Row("-a", 2, digit), Row("01", 2, end), Row("-01", 3, end), Row("[00]", 3, comma),
        Row("1.", 3, digit), Row(".5", 1, value), Row("1.e1", 3, digit), Row("1..2", 3, digit),
        Row("1e", 3, digit), Row("1e+", 4, digit), Row("1e-+1", 4, digit), Row("1e1.5", 4, end),
        Row("0x10", 2, end), Row("1_000", 2, end), Row("1f", 2, end), Row("-Infinity", 2, digit),
        Row("١", 1, value), Row("[1e309]", 2, "a number below 1.8e308"),
        Row("-1e999999999999999999999", 1, "a number below 1.8e308"),
    ]

    static let strings = [
        Row(#"["a"#, 2, open), Row(#"""#, 1, open), Row(#""\""#, 1, open), Row(#""\"#, 3, escape),
        Row(#""\x""#, 3, escape), Row(#""\'""#, 3, escape), Row(#""\U0041""#, 3, escape),
        Row(#""\a""#, 3, escape), Row("\"\\\n\"", 3, escape), Row(#""\u""#, 4, hexadecimal),
        Row(#""\u12""#, 6, hexadecimal), Row(#""\u12g4""#, 6, hexadecimal),
        Row(#""\u+123""#, 4, hexadecimal), Row(#""\u00e"#, 7, hexadecimal),
        Row(#""\u００４１""#, 4, hexadecimal),
        Row("[\"\u{9}\"]", 3, control), Row("\"a\nb\"", 3, control), Row("\"\0\"", 2, control),
        Row("\"\u{1F}\"", 2, control),
        Row(#""\ud83c""#, 2, pair), Row(#""\ud83cx""#, 2, pair), Row(#""\ud83c\n""#, 2, pair),
        Row(#""\ud83c\u0041""#, 2, pair), Row(#""\ud83c\ud83c""#, 2, pair),
        Row(#""a\udf55""#, 3, pair), Row(#""\udf55\ud83c""#, 2, pair),
        Row(#""\ud83c\u12""#, 12, hexadecimal),
    ]

    private static let twice = "another name: the object already has a member of this name"

    static let names = [
        Row(#"{"a":1,"a":1}"#, 8, twice), Row(#"{"a":1,"b":2, "a":3}"#, 15, twice),
        Row(#"{"a":1,"\u0061":2}"#, 8, twice), Row(#"{"":1,"":2}"#, 7, twice),
        Row(#"[{"b":{"a":1,"a":2}}]"#, 14, twice),
        // A reader could not tell them apart: both are "é".
        Row(#"{"\u00e9":1,"e\u0301":2}"#, 13, twice),
    ]

    @Test(
        "where it goes wrong, in words",
        arguments: [structure, words, numbers, strings, names].flatMap(\.self))
    func refuses(_ row: Row) {
        let error = #expect(throws: JSONValue.ParsingError.self) {
            try JSONValue(parsing: row.text)
        }
        #expect(error?.line == 1)
        #expect(error?.column == row.column)
        #expect(error?.expected == row.expected)
    }

    @Test("with the line, and the octet of the line")
    func place() {
        let error = #expect(throws: JSONValue.ParsingError.self) {
            try JSONValue(parsing: "{\n\"a\": 1,\r\n\"é\" 1}")
        }
        #expect(error?.message == "line 3, column 6: expected a colon")
    }

    /// Octets that are no UTF-8, in a text.
    static let octets: [[UInt8]] = [
        [0xFF], [0x80], [0xC3], [0xC0, 0xAF], [0xE2, 0x82], [0xED, 0xA0, 0x80],
        [0xF4, 0x90, 0x80, 0x80], [0xF0, 0x9F, 0x8D], [0x61, 0xFE, 0x61],
    ]

    @Test("for its encoding, where the text begins that is not UTF-8", arguments: octets)
    func encoding(_ octets: [UInt8]) {
        let error = #expect(throws: JSONValue.ParsingError.self) {
            try JSONValue(parsing: Array("[1, \"a".utf8) + octets + Array("\"]".utf8))
        }
        #expect(error?.message == "line 1, column 5: expected a string in UTF-8")
    }

    @Test("for another encoding than UTF-8")
    func otherEncodings() {
        for octets: [UInt8] in [
            [0xFF, 0xFE, 0x31, 0], [0xFE, 0xFF, 0, 0x31], [0x31, 0], [0, 0x31],
            [0xEF, 0xBB, 0x31],
        ] {
            #expect(throws: JSONValue.ParsingError.self) { try JSONValue(parsing: octets) }
        }
    }

    @Test(
        "for its depth, however long it is", arguments: ["[", "[[", #"{"a":"#, #"[{"a":"#])
    func depth(_ unit: String) {
        let error = #expect(throws: JSONValue.ParsingError.self) {
            try JSONValue(parsing: String(repeating: unit, count: 100_000))
        }
        #expect(error?.expected == "nesting of at most 256 levels")
    }

    @Test("at every octet at which it can be cut")
    func prefixes() {
        let text = Array(#"{"a":[1.5e3,true,null,"\u00e9\ud83c\udf55🍕"],"b":{"c":false}}"#.utf8)
        for count in 0..<text.count {
            #expect(throws: JSONValue.ParsingError.self, "\(count) octets") {
                try JSONValue(parsing: Array(text[..<count]))
            }
        }
        #expect(throws: Never.self) { try JSONValue(parsing: text) }
    }
}
