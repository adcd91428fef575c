import ANCS
import JSONText
import Testing

@testable import ANCSReceiver
@testable import ANCSService
@testable import Printing

@Suite("Texts as people have them")
struct PeopleTextsTests {
    private static let all = PersonText.marked + PersonText.misleading

    @Test("a terminal, a popup and a page show a text alike", arguments: all)
    func shown(_ row: PersonText) {
        #expect(TerminalText.visible(row.text) == row.shown)
        #expect(MarkupText.escaped(row.text) == row.shown)
        #expect(MarkupText.escaped(row.text, limit: 100) == row.shown)
        for shape in [PopupText.Shape.line, .lines, .markup] {
            #expect(PopupText.shown(row.text, as: shape, limit: 200) == row.shown)
        }
        #expect(PhoneName(digest: "0123456789abcdef", name: row.text).nameForPeople == row.shown)
    }

    @Test("the scripts of the world are shown as they are", arguments: PersonText.scripts)
    func scripts(_ text: String) {
        #expect(DisplayFold(text).isPlain)
        #expect(TerminalText.visible(text) == text)
        #expect(MarkupText.escaped(text, limit: 100) == text)
        #expect(PopupText.shown(text, as: .markup, limit: 200) == text)
    }

    @Test(
        "every line break is shown on the line where a text stands in one, and breaks the lines of a popup",
        arguments: ["\n", "\r\n", "\r", "\u{B}", "\u{C}", "\u{85}", "\u{2028}", "\u{2029}"])
    func breaks(_ lineBreak: String) {
        let text = "a\(lineBreak)b"
        let shown = TerminalText.visible(text)
        #expect(shown.split(whereSeparator: \.isNewline).count == 1)
        #expect(shown.hasPrefix(#"a\"#))
        #expect(MarkupText.escaped(text) == shown && MarkupText.escaped(text, limit: 9) == shown)
        #expect(PopupText.shown(text, as: .line, limit: 9) == "a b")
        #expect(PopupText.shown(text, as: .markup, limit: 9) == "a\nb")
        #expect(JSONValue.string(text).text.split(whereSeparator: \.isNewline).count == 1)
    }

    @Test("a page that cuts a text cuts no mark off its beginning")
    func cut() {
        #expect(MarkupText.escaped("\u{2068}Adalbert\u{2069}", limit: 3) == "Ada…")
    }

    @Test("marks take no room in a popup")
    func room() {
        let marks = String(repeating: "\u{200E}", count: 300)
        #expect(PopupText.shown(marks + "Ada", as: .line, limit: 8) == "Ada")
        #expect(PopupText.shown(marks + "Adalbert II", as: .line, limit: 8) == "Adalb…")
    }

    @Test("what is shown is shown as it is again, whatever was put together")
    func again() {
        var generator = SystemRandomNumberGenerator()
        let parts =
            Self.all.map(\.text) + ["\u{202C}", "\u{2069}", "\u{2067}", "\u{FE0F}", " ", "a"]
        for _ in 0..<2000 {
            let text = (0..<4).map { _ in parts.randomElement(using: &generator) ?? "" }
                .joined()
            let shown = PopupText.shown(text, as: .lines, limit: 4096)
            #expect(
                PopupText.shown(shown, as: .lines, limit: 4096) == shown, "\(text.debugDescription)"
            )
            let kept = shown.unicodeScalars.filter {
                $0.properties.isBidiControl || $0.properties.generalCategory == .control
            }
            #expect(kept.isEmpty)
        }
    }

    @Test(
        "a rule matches the text as it came, and as a person would type it",
        arguments: PersonText.marked)
    func matched(_ row: PersonText) throws {
        let patterns = [row.pattern, "^" + Self.quoted(row.text) + "$"].compactMap { $0 }
        for pattern in patterns {
            var work = PatternWork()
            let texts = RuleSubject.Texts(title: row.text)
            #expect(work.matches([try Pattern(pattern)], \.title, of: texts), "\(pattern)")
        }
    }

    /// A pattern for exactly this text.
    private static func quoted(_ text: String) -> String {
        String(
            String.UnicodeScalarView(
                text.unicodeScalars.flatMap { scalar in
                    scalar.isASCII && !scalar.isASCIILetterOrDigit ? ["\\", scalar] : [scalar]
                }))
    }

    @Test("the name of an app is matched with its mark and without it")
    func globs() throws {
        for (glob, name) in [
            ("Chatterbox", "\u{200E}Chatterbox"), ("\u{200E}Chatterbox", "\u{200E}Chatterbox"),
            ("\u{200E}Chat*", "Chatterbox"), ("ｌｉｎｅ", "LINE"), ("Caf\u{E9}", "Cafe\u{301}"),
        ] {
            #expect(try #require(Glob(glob)).matches(name), "\(glob)")
        }
        #expect(try #require(Glob("Chat")).matches("\u{200E}Chatterbox") == false)
    }

    @Test("a person who mutes an app types its name without marks")
    func muted() {
        for (typed, name) in [
            ("chatterbox", "\u{200E}Chatterbox"), ("line", "ＬＩＮＥ"), ("Café", "Cafe\u{301}"),
        ] {
            #expect(TypedName.matches(typed, name))
        }
    }

    @Test(
        "numbers are compared by their digits",
        arguments: [
            (PersonText.caller, "+15550100100", true), (PersonText.caller, "555 010-0100", true),
            (PersonText.caller, "0100100", true), (PersonText.caller, "100100", false),
            (PersonText.caller, "001 555 010 0100", true), ("１２３", "123", true),
            ("1123", "123", false),
            ("+44 20 7946 0000", "020 7946 0000", false), ("Ada 5550100100", "5550100100", false),
        ])
    func numbers(_ title: String, _ number: String, _ isSame: Bool) throws {
        let wanted = try #require(DialedNumber(number))
        #expect((DialedNumber(title).map { $0.isSame(as: wanted) } ?? false) == isSame)
    }

    @Test(
        "what is no number is refused",
        arguments: ["", "+", "Ada", "+1 555 CALL", String(repeating: "1", count: 25)])
    func noNumbers(_ text: String) { #expect(DialedNumber(text) == nil) }

    @Test("a search finds a text as it came, and as a person would type it")
    func searched() throws {
        #expect(SearchWords.indexed("辻\u{E0100}さん") == "辻 \u{E000}e0100 さ ん 辻 さ ん")
        #expect(SearchWords.indexed("ＡＢＣ") == "ＡＢＣ ABC")
        #expect(SearchWords.indexed(PersonText.caller) == "1 555 010 0100")
        #expect(SearchWords.expression(for: "ＡＢＣ") == #"("ＡＢＣ"*) OR ("ABC"*)"#)
        #expect(SearchWords.expression(for: "abc") == #""abc"*"#)
    }

    @Test("codes are found behind marks and in any width")
    func codes() {
        for message in [
            "Your\u{200E} code: \u{2068}482913\u{2069}", "Your co\u{AD}de is ４８２９１３",
            "Votre code de ve\u{301}rification\u{A0}: 482913",
            "Shop\u{2028}@example.com #482913", "Shop\u{85}@example.com #482913",
        ] {
            let code = OneTimeCode.find(
                title: "", subtitle: "", message: message, category: .other)
            #expect(code == "482913", "\(message)")
        }
    }

    @Test("a program gets the name as it came, and beside it one to compare")
    func plainName() {
        let app = ReceivedNotification.App(
            identifier: "com.example", displayName: "\u{200E}Chatter\u{A0}box")
        #expect(app.displayName == "\u{200E}Chatter\u{A0}box")
        #expect(app.plainName == "Chatter box")
    }
}
