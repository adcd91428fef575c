import Testing

@testable import Printing

@Suite("The room that text takes on a terminal")
struct TerminalTextWidthTests {
    @Test(
        "letters take one column, wide characters and pictures two, marks none",
        arguments: [
            ("", 0), ("Ada", 3), ("é", 1), ("e\u{301}", 1), ("설계", 4),
            ("\u{1112}\u{1161}\u{11AB}", 2),
            ("设计评审", 8), ("さくら", 6), ("ｱ", 1), ("Ａ", 2), ("🍜", 2), ("👩‍👩‍👧", 2), ("🇩🇪", 2), ("❤️", 2),
            ("👍🏽", 2), ("14:00–15:00", 11), ("…", 1), ("שלום", 4),
        ])
    func width(_ text: String, _ columns: Int) {
        #expect(TerminalText.width(of: text) == columns)
    }

    @Test("lines break at spaces, between wide characters, and where nothing else helps")
    func breaks() {
        #expect(
            TerminalText.wrapped("I booked the table by the window.", to: 12, limit: 9)
                == ["I booked the", "table by the", "window."])
        #expect(
            TerminalText.wrapped("明日の会議は10時から", to: 9, limit: 9) == ["明日の会", "議は10時", "から"])
        #expect(
            TerminalText.wrapped("Donaudampfschiff", to: 6, limit: 9) == [
                "Donaud", "ampfsc", "hiff",
            ])
        #expect(TerminalText.wrapped("", to: 6, limit: 9) == [])
    }

    @Test("no line of any text exceeds the requested width", arguments: 3...17)
    func bounded(width: Int) {
        let text = "Zürich 🚀 明日 👩‍👩‍👧‍👦 a\u{300}\u{301}\u{302} क्षि Straßenbahn שלום — 🇨🇭🇨🇭 ok"
        let lines = TerminalText.wrapped(text, to: width, limit: 99)
        #expect(lines.allSatisfy { TerminalText.width(of: $0) <= width })
        #expect(lines.joined().filter { $0 != " " } == text.filter { $0 != " " })
    }

    @Test("text that exceeds the lines is cut and ends with an ellipsis")
    func cuts() {
        #expect(TerminalText.wrapped("one two three four", to: 5, limit: 2) == ["one", "two…"])
        #expect(TerminalText.cut("明日の会議", to: 6) == "明日…")
        #expect(TerminalText.cut("明日の", to: 6) == "明日の")
        #expect(TerminalText.padded("明日", to: 6) == "明日  ")
        #expect(TerminalText.padded("Donau", to: 3) == "Donau")
    }

    @Test("one character that is wider than the line is replaced")
    func monstrous() {
        let monster = "क" + String(repeating: "\u{94D}क", count: 40)
        let lines = TerminalText.wrapped("a\(monster)b", to: 10, limit: 9)
        #expect(lines.allSatisfy { TerminalText.width(of: $0) <= 10 })
    }
}
