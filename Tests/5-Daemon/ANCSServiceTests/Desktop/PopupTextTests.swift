import Testing

@testable import ANCSService

@Suite("Text of popups")
struct PopupTextTests {
    @Test("plain text is never escaped")
    func plain() {
        let text = "a < b & c > d \\ \"e\""
        #expect(PopupText.shown(text, as: .line, limit: 100) == text)
        #expect(PopupText.shown(text, as: .lines, limit: 100) == text)
    }

    @Test("markup is escaped for a server that reads it")
    func markup() {
        let text = "<b>&amp;</b>"
        let shown = PopupText.shown(text, as: .markup, limit: 100)
        #expect(shown == "&lt;b&gt;&amp;amp;&lt;/b&gt;")
    }

    @Test("invisible, bidirectional and control characters are shown as escapes")
    func hidden() {
        let text = "a\u{202E}b\u{1B}[31m\u{200B}\u{0}\u{FFFE}\u{2066}"
        let visible = #"a\u{202E}b\u{1B}[31m\u{200B}\u{0}\u{FFFE}\u{2066}"#
        #expect(PopupText.shown(text, as: .lines, limit: 100) == visible)
    }

    @Test("lines stay lines in a body and none in a heading")
    func lines() {
        let text = "a\nb\r\nc\rd\u{2028}e\u{2029}f\u{85}g\u{B}h\u{C}i\tj"
        #expect(PopupText.shown(text, as: .lines, limit: 100) == "a\nb\nc\nd\ne\nf\ng\nh\ni j")
        #expect(PopupText.shown(text, as: .line, limit: 100) == "a b c d e f g h i j")
    }

    @Test(
        "every limit is kept, at a character and never within an escape",
        arguments: [
            "aaaaaaaaaaaaaaaaaaaa", "&&&&&&", "👨‍👩‍👧‍👦👨‍👩‍👧‍👦", "éé\u{202E}éé", "e\u{301}e\u{301}e\u{301}",
        ])
    func limits(text: String) {
        let whole = PopupText.shown(text, as: .markup, limit: 1000)
        for limit in 3...60 {
            let shown = PopupText.shown(text, as: .markup, limit: limit)
            #expect(shown.utf8.count <= limit)
            if whole.utf8.count <= limit {
                #expect(shown == whole)
            } else {
                let kept = shown.dropLast()
                #expect(shown.last == "…")
                #expect(whole.hasPrefix(kept))
                #expect(
                    kept.utf8.filter { $0 == UInt8(ascii: "&") }.count
                        == kept.utf8.filter { $0 == UInt8(ascii: ";") }.count)
            }
        }
    }

    @Test("a character without end costs no more than the limit")
    func combining() {
        let text = "e" + String(repeating: "\u{301}", count: 30_000)
        #expect(PopupText.shown(text, as: .lines, limit: 4096) == "…")
    }
}
