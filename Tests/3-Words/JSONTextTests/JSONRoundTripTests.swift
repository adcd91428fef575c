import JSONText
import Octets
import Testing

@Suite("What is written is read as the same")
struct JSONRoundTripTests {
    /// Makes values of all kinds, of characters that are written as they are and of those that are not.
    private struct Values {
        var generator: SeededGenerator

        private static let characters: [Unicode.Scalar] = [
            "a", "\"", "\\", "/", "\0", "\n", "\u{1F}", "\u{7F}", "\u{85}", "é", "e", "\u{301}",
            "\u{61C}", "\u{200F}", "\u{2028}", "\u{2066}", "\u{FEFF}", "\u{FFFF}", "🍕",
            "\u{10FFFF}",
        ]

        mutating func value(depth: Int) -> JSONValue {
            switch Int.random(in: 0..<(depth == 0 ? 5 : 7), using: &generator) {
            case 0: .null
            case 1: .boolean(.random(using: &generator))
            case 2: .integer(.random(in: .min ... .max, using: &generator))
            case 3: number()
            case 4: .string(text())
            case 5: .array((0..<count()).map { _ in value(depth: depth - 1) })
            default: .object(members(depth: depth))
            }
        }

        private mutating func count() -> Int { .random(in: 0..<5, using: &generator) }

        private mutating func text() -> String {
            var text = String.UnicodeScalarView()
            for _ in 0..<count() {
                text.append(Self.characters.randomElement(using: &generator) ?? "a")
            }
            return String(text)
        }

        /// Any double but those that are read as integers.
        private mutating func number() -> JSONValue {
            let number = Double(bitPattern: .random(in: 0 ... .max, using: &generator))
            let isWhole = number.magnitude <= 0x1p53 && number.rounded() == number
            return number.isFinite && !isWhole ? .number(number) : .number(0.5)
        }

        private mutating func members(depth: Int) -> [JSONValue.Member] {
            var names: Set<String> = []
            return (0..<count()).map { _ in text() }.filter { names.insert($0).inserted }
                .map { JSONValue.Member($0, value(depth: depth - 1)) }
        }
    }

    @Test("values of all kinds", arguments: 1...20 as ClosedRange<UInt64>)
    func values(_ seed: UInt64) throws {
        var values = Values(generator: SeededGenerator(seed: seed))
        for _ in 0..<200 {
            let value = values.value(depth: 4)
            let read = try JSONValue(parsing: value.text)
            #expect(read == value)
            #expect(Array(read.text.utf8) == Array(value.text.utf8))
        }
    }

    @Test("octets that are almost JSON are read or refused, and read values are written again")
    func hostile() throws {
        let texts = [
            #"{"a":[1.5e3,-0,true,null,"\u00e9\ud83c\udf55🍕"],"b":{"c":false,"d":[]}}"#,
            "[[[[1]]],\"\\\"\",{\"\":{}}]",
        ]
        let octets =
            Array(#"{}[],:"\0123456789-+.eEu\#u{0}\#n tfn"#.utf8) + [0x80, 0xC3, 0xED, 0xFF]
        var generator = SeededGenerator(seed: 7)
        var readCount = 0
        for round in 0..<20_000 {
            var text = Array(texts[round % texts.count].utf8)
            for _ in 0...Int.random(in: 0..<3, using: &generator) {
                let place = text.indices.randomElement(using: &generator) ?? 0
                text[place] = octets.randomElement(using: &generator) ?? 0
            }
            guard let value = try? JSONValue(parsing: text) else { continue }
            readCount += 1
            #expect(try JSONValue(parsing: value.text) == value)
        }
        #expect(readCount > 500)
    }
}
