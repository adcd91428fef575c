import ANCS
import Testing

@testable import ANCSService

@Suite("One-time codes")
struct OneTimeCodeTests {
    private func find(_ message: String, title: String = "", subtitle: String = "") -> String? {
        OneTimeCode.find(title: title, subtitle: subtitle, message: message, category: .other)
    }

    @Test("a code is found in the words of many languages", arguments: CodeTexts.withCode)
    func found(_ line: String) throws {
        let parts = line.split(separator: "|", maxSplits: 1)
        let texts = try #require(parts.last).split(separator: " ▸ ", maxSplits: 1)
        let message = String(try #require(texts.last))
        let title = texts.count == 2 ? String(texts[0]) : "Example"
        #expect(find(message, title: title) == parts.first.map(String.init))
    }

    @Test("other numbers are not codes", arguments: CodeTexts.withoutCode)
    func refused(_ line: String) { #expect(find(line) == nil) }

    @Test("the tables are as long as they should be")
    func tables() {
        #expect(Set(CodeTexts.withCode).count >= 120)
        #expect(Set(CodeTexts.withoutCode).count >= 120)
    }

    @Test("each kind of hint has words in the file")
    func words() {
        let meanings = CodeWords.byFirst.values.joined().map(\.meaning)
        #expect(Set(meanings) == Set(CodeHint.Meaning.allCases))
        #expect(CodeWords.connections.contains("ist"))
    }

    @Test("the number of the sender is not a code")
    func sender() {
        #expect(find("Your code is 482913", title: "22395") == "482913")
        #expect(find("Your code will come soon", title: "22395") == nil)
        #expect(find("Hello", title: "729725", subtitle: "Verification code") == nil)
    }

    @Test("a code may be in the title or the subtitle")
    func places() {
        #expect(find("It expires in 10 minutes.", title: "482913 is your Example code") == "482913")
        #expect(find("From Example", subtitle: "Your code: 482913") == "482913")
    }

    @Test(
        "calls and voicemails have none",
        arguments: [CategoryID.incomingCall, .missedCall, .voicemail])
    func calls(_ category: CategoryID) {
        #expect(
            OneTimeCode.find(
                title: "Your code is 482913", subtitle: "", message: "", category: category) == nil)
    }

    @Test("marks of direction around a code do not hide it")
    func directions() {
        #expect(find("\u{200F}קוד האימות: \u{2066}482913\u{2069}") == "482913")
        #expect(find("Your code:\u{A0}482913") == "482913")
    }

    static let hostile: [String] = [
        String(repeating: "1", count: 65_536), String(repeating: "1234 ", count: 13_000),
        String(repeating: "code ", count: 13_000), String(repeating: "code 1234 ", count: 6_500),
        String(repeating: "a-", count: 32_768), String(repeating: "验证码", count: 20_000),
        String(repeating: "codecodecode", count: 5_400), String(repeating: "1-", count: 32_768),
        String(repeating: "A1", count: 32_768), String(repeating: "\u{301}", count: 65_536),
        String(repeating: "verification cod ", count: 3_800),
        String(repeating: "x@y.z#1 ", count: 8_000),
        String(repeating: "码1234", count: 13_000), String(repeating: "\u{2066}1234", count: 13_000),
    ]

    @Test("of 64 KiB of anything the beginning is looked at", arguments: hostile.indices)
    func ends(_ index: Int) {
        let text = Self.hostile[index]
        let beginning = String(String.UnicodeScalarView(text.unicodeScalars.prefix(4096)))
        #expect(find(text, title: text) == find(beginning, title: beginning))
    }

    @Test("a random text never fails, and a code is of the text")
    func fuzz() {
        var generator = SystemRandomNumberGenerator()
        let parts = [
            "code", "1234", "-", " ", "é", "验证码", "@a.b", "#", "\n", ":", "G-", "9", "٤", "X", "％",
            "５",
        ]
        for _ in 0..<2000 {
            let text = (0..<Int.random(in: 0..<20, using: &generator)).map { _ in
                parts.randomElement(using: &generator) ?? ""
            }.joined()
            guard let code = find(text) else { continue }
            #expect((4...11).contains(code.unicodeScalars.count))
            #expect(code.unicodeScalars.allSatisfy { $0.isASCIILetterOrDigit || $0 == "-" })
        }
    }
}
