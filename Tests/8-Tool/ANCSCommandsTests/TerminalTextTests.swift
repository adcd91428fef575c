import Testing

@testable import Printing

@Suite("Text on a terminal")
struct TerminalTextTests {
    struct Row: Sendable, CustomTestStringConvertible {
        var text: String
        var shown: String
        var testDescription: String { shown }
    }

    static let rows: [Row] = [
        Row(text: "", shown: ""),
        Row(text: "Ada: Lunch? 📍 „Ü“ 漢字 عربي", shown: "Ada: Lunch? 📍 „Ü“ 漢字 عربي"),
        Row(text: "\u{1B}[31mred\u{1B}]0;title\u{07}", shown: #"\u{1B}[31mred\u{1B}]0;title\u{7}"#),
        Row(text: "one\ntwo\r\tthree", shown: #"one\ntwo\r\tthree"#),
        Row(text: "one\r\ntwo", shown: #"one\r\ntwo"#),
        Row(text: "\u{9B}2J\u{7F}\u{0}", shown: #"\u{9B}2J\u{7F}\u{0}"#),
        Row(text: "\u{202D}+1 (662)\u{202C}", shown: "+1 (662)"),
        Row(text: "\u{2066}a\u{2069}\u{200F}\u{61C}", shown: "a"),
        Row(text: "a\u{200B}b\u{FEFF}c\u{2028}", shown: #"a\u{200B}b\u{FEFF}c\u{2028}"#),
        Row(text: "x\u{E0041}", shown: #"x\u{E0041}"#),
        Row(text: #"\u{1B}"#, shown: #"\\u{1B}"#),
        Row(text: "👩‍💻", shown: "👩‍💻"),
    ]

    @Test(
        "control and invisible characters are made visible, others are unchanged", arguments: rows)
    func visible(_ row: Row) {
        #expect(TerminalText.visible(row.text) == row.shown)
    }

    @Test("no hidden character passes, alone or among others")
    func hidden() {
        let hidden = (0...0x10FFFF as ClosedRange<UInt32>).compactMap(Unicode.Scalar.init)
            .filter(TerminalText.isHidden)
        #expect(hidden.count > 4000)
        for scalar in hidden {
            // One variation selector may follow a character.
            let others = scalar.properties.isVariationSelector ? [] : ["· ✓\(scalar)é"]
            for text in ["\(scalar)"] + others {
                let shown = TerminalText.visible(text)
                #expect(!shown.unicodeScalars.contains(scalar), "\(scalar.value)")
            }
        }
    }

    @Test("no control character passes")
    func controls() {
        for value in Array(0...0x1F) + Array(0x7F...0x9F) as [UInt32] {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let shown = TerminalText.visible(String(Character(scalar)))
            #expect(shown.unicodeScalars.allSatisfy { (0x20...0x7E).contains($0.value) })
        }
    }
}
