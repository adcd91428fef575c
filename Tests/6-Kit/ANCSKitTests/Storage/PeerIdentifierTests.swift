import Testing

@testable import ANCSEvents
@testable import ANCSKit
@testable import ANCSReceiver

@Suite struct PeerIdentifierTests {
    @Test("an identifier is read as it is written, in either case")
    func text() throws {
        let text = "0F1E2D3C-4B5A-4978-8695-A4B3C2D1E0FF"
        let identifier = try #require(PeerIdentifier(text: text))
        #expect(identifier.text == text)
        #expect(PeerIdentifier(text: text.lowercased()) == identifier)
        #expect(identifier.rawValue == 0x0F1E_2D3C_4B5A_4978_8695_A4B3_C2D1_E0FF)
        #expect(PeerIdentifier(rawValue: 1).text == "00000000-0000-0000-0000-000000000001")
    }

    @Test(
        "text that is not a UUID of 36 characters is not an identifier",
        arguments: [
            "", "180F", "0F1E2D3C4B5A49788695A4B3C2D1E0FF",
            "0F1E2D3C-4B5A-4978-8695-A4B3C2D1E0F", "0F1E2D3C-4B5A-4978-8695-A4B3C2D1E0FG",
            "0F1E2D3C_4B5A_4978_8695_A4B3C2D1E0FF", "ſF1E2D3C-4B5A-4978-8695-A4B3C2D1E0F",
        ])
    func noText(text: String) { #expect(PeerIdentifier(text: text) == nil) }

    @Test("random bits make a UUID of version 4", arguments: [UInt128.min, .max, 0x1234_5678])
    func version(bits: UInt128) {
        let text = Array(PeerIdentifier(random: bits).text)
        #expect(text[14] == "4")
        #expect("89AB".contains(text[19]))
    }
}
