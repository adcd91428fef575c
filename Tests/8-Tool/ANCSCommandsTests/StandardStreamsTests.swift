import Testing

@testable import Printing

@Suite("The size of a terminal")
struct TerminalSizeTests {
    @Test(
        "the environment's values are used within the limits of a terminal",
        arguments: [
            ("1", 1), ("132", 132), ("9223372036854775807", 65_535),
            ("9223372036854775808", nil), ("0", nil), ("-1", nil), ("", nil), ("wide", nil),
        ] as [(String, Int?)])
    func size(_ text: String, _ size: Int?) {
        #expect(StandardStreams.size(text) == size)
    }
}
