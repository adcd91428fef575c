import Testing

@testable import ANCSService

@Suite("Words to search for")
struct SearchWordsTests {
    @Test(
        "a text becomes words with spaces between them",
        arguments: [
            ("", ""), ("  ", ""), ("?!", ""), ("Hello, World!", "Hello World"),
            ("it's 5:30", "it s 5 30"), ("会議は三時", "会 議 は 三 時"), ("カフェ", "カ フ ェ"),
            ("안녕", "안 녕"), ("ประชุม", "ป ร ะ ช ุ ม"), ("مَرْحَبًا بك", "مرحبا بك"),
            ("שָׁלוֹם", "שלום"), ("cafe\u{301}", "cafe"), ("a👍b", "a \u{E000}1f44d b"),
            ("❤️", "\u{E000}2764"), ("5 €", "5 \u{E000}20ac"), ("a\u{0}b", "a b"),
            ("नमस्ते", "नमस्ते"), ("x会y", "x 会 y"), ("𞤀", "\u{E000}1e900"),
        ])
    func words(text: String, words: String) {
        #expect(SearchWords.words(of: text) == words)
    }

    @Test(
        "nothing in a query is an operator of FTS5",
        arguments: [
            ("mum", #""mum"*"#), ("mum home", #""mum"* AND "home"*"#),
            (#"a" OR "b"#, #""a"* AND "OR"* AND "b"*"#), ("mum*", #""mum"*"#),
            ("NEAR(a b)", #""NEAR a"* AND "b"*"#), ("title:x", #""title x"*"#),
            ("-a ^b", #""a"* AND "b"*"#), ("会議", #""会 議"*"#), ("'); DROP", #""DROP"*"#),
        ])
    func expression(query: String, expression: String) {
        #expect(SearchWords.expression(for: query) == expression)
    }

    @Test("a query without a word is empty", arguments: ["", "?!", "\"\"", "***", "\u{E000}"])
    func none(query: String) {
        #expect(SearchWords.expression(for: query) == nil)
    }
}
