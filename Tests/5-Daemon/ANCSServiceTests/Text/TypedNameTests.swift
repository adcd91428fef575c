@testable import Printing
import Testing

@testable import ANCSService

@Suite("Names as people type them")
struct TypedNameTests {
    @Test(
        "a name matches however it is typed",
        arguments: [
            ("messages", "Messages"), ("Ada's iPhone", "Ada’s iPhone"),
            ("ada’s  iphone", "Ada's\u{A0}iPhone"), (" Mail ", "Mail"),
            ("WhatsApp", "\u{200E}WhatsApp"), ("in\\u{202E}voice", "in\u{202E}voice"),
            ("Wi-Fi", "Wi‑Fi"), ("cafe\u{301}", "caf\u{E9}"), ("\u{FB01}", "\u{FB01}"),
        ])
    func matches(text: String, name: String) { #expect(TypedName.matches(text, name)) }

    @Test(
        "another name does not match",
        arguments: [
            ("Mess", "Messages"), ("", ""), (" ", "\u{200E}"), ("cafe", "café"), ("a b", "ab"),
        ])
    func differs(text: String, name: String) {
        #expect(!TypedName.matches(text, name))
    }
}
