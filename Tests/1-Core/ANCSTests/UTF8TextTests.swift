import Testing

@testable import ANCS

@Suite("Octets of texts")
struct UTF8TextTests {
    @Test(
        "octets end within a character if they begin one and do not complete it",
        arguments: [
            ([0xC2], true), ([0xDF], true), ([0xC1], false), ([0xC3, 0x80], false),
            ([0xE0], true), ([0xEF], true), ([0xE2, 0x80], true), ([0xEF, 0xBF], true),
            ([0xE2, 0x7F], false), ([0xE2, 0xC0], false), ([0xE2, 0x80, 0x80], false),
            ([0xF0], true), ([0xF4, 0x80], true), ([0xF0, 0x9F, 0x80], true),
            ([0xF0, 0x9F, 0x80, 0x80], false), ([0xF5], false), ([0x7F], false),
        ] as [([UInt8], Bool)])
    func ends(_ row: ([UInt8], Bool)) {
        #expect(UTF8Text.endsWithinCharacter(row.0) == row.1)
    }

    @Test("the nine characters that change the direction of text are removed, and no others")
    func directions() throws {
        let removed = try (0x2000...0x20FF as ClosedRange<UInt32>).filter { value in
            let scalar = try #require(Unicode.Scalar(value))
            return UTF8Text.withoutDirections(Array(String(scalar).utf8)).isEmpty
        }
        #expect(
            removed == [
                0x202A, 0x202B, 0x202C, 0x202D, 0x202E, 0x2066, 0x2067, 0x2068, 0x2069,
            ])
        #expect(UTF8Text.withoutDirections([0xE3, 0x80, 0xAA]) == [0xE3, 0x80, 0xAA])
    }

    @Test("octets are valid only if all of them are UTF-8")
    func valid() {
        #expect(UTF8Text.isValid(Array("né".utf8)))
        #expect(UTF8Text.isValid([]))
        #expect(!UTF8Text.isValid([0x6E, 0xC3]))
        #expect(UTF8Text.repaired([0x6E, 0xC3]) == "n\u{FFFD}")
    }
}
