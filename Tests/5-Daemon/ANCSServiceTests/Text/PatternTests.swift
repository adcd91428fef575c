@testable import Printing
import Testing

@testable import ANCSService

@Suite("Patterns and globs")
struct PatternTests {
    @Test("a pattern matches anywhere in a text")
    func finds() throws {
        #expect(try Pattern("(?i)invoice").match("Your INVOICE is here") == .matched)
        #expect(try Pattern("^mum$").match("mummy") == .unmatched)
        #expect(try Pattern("").match("") == .matched)
    }

    @Test("letters and digits are those of Unicode")
    func unicode() throws {
        #expect(try Pattern(#"^\w+$"#).match("naïve") == .matched)
        #expect(try Pattern(#"^\d\d$"#).match("٤٢") == .matched)
        #expect(try Pattern("(?i)^ÄRGER$").match("ärger") == .matched)
        #expect(try Pattern("^.$").match("👍") == .matched)
    }

    @Test(
        "the error of an invalid pattern has the reason and the place",
        arguments: [
            ("(a", 2, "missing closing parenthesis"),
            ("ä)", 1, "unmatched closing parenthesis"),
            ("a{2,1}", 5, "numbers out of order in {} quantifier"),
            (#"a\Cb"#, 3, #"using \C is disabled by the application"#),
            ("[z-a]", 3, "range out of order in character class"),
            ("*", 0, "quantifier does not follow a repeatable item"),
        ])
    func compiles(_ source: String, _ offset: Int, _ message: String) {
        do throws(Pattern.Fault) {
            _ = try Pattern(source)
            Issue.record("it compiles")
        } catch {
            #expect(error.offset == offset)
            #expect(error.message == message)
        }
    }

    @Test("a pattern that is too long or too deep is refused")
    func long() {
        #expect(throws: Pattern.Fault.self) { try Pattern(String(repeating: "a", count: 5000)) }
        #expect(throws: Pattern.Fault.self) {
            try Pattern(String(repeating: "(", count: 2000) + String(repeating: ")", count: 2000))
        }
        #expect(throws: Pattern.Fault.self) { try Pattern("((a{1000}){1000}){1000}") }
    }

    @Test(
        "a pattern that explodes ends, and matches nothing",
        arguments: [
            "(a+)+$", "^(a|a)*$", "(a|aa)+$", "(?:a*)*b", "^(([a-z])+.)+[A-Z]$", "(.*)*(.*)*(.*)*x",
            "(?=(a+)+b)", "(?R)?a+b", "(*LIMIT_MATCH=4000000000)(a+)+$",
        ])
    func explodes(_ source: String) throws {
        let pattern = try Pattern(source)
        for count in [4096, 65_000] {
            // Without limits this does not end.
            #expect(pattern.match(String(repeating: "a", count: count) + "!") != .matched)
        }
    }

    @Test("hitting a limit is distinguished from not matching")
    func exhausted() throws {
        let text = String(repeating: "a", count: 4096) + "!"
        #expect(try Pattern("(a+)+$").match(text) == .exhausted)
        #expect(try Pattern("b").match(text) == .unmatched)
    }

    @Test("a text is looked at up to 64 KiB, and never cut inside of a character")
    func length() throws {
        let text = String(repeating: "ä", count: 32_767) + "x€"
        #expect(text.utf8.count > Pattern.maximumSubjectCount)
        #expect(try Pattern("x$").match(text) == .matched)
        #expect(try Pattern("€").match(text) == .unmatched)
    }

    @Test("patterns of the same text are the same value")
    func equality() throws {
        #expect(try Pattern("a") == Pattern("a"))
        #expect(try Pattern("a") != Pattern("b"))
    }

    @Test(
        "a glob matches whole names",
        arguments: [
            ("com.google.*", "com.google.Gmail", true), ("com.google.*", "com.google", false),
            ("*", "", true), ("?", "", false), ("a?c", "aäc", true), ("*mail*", "com.MAIL.x", true),
            ("a*b*c", "axxbyyc", true), ("a*b*c", "axxbyy", false), ("Wh*", "WhatsApp", true),
            ("com.apple.MobileSMS", "com.apple.mobilesms", true), ("a", "ab", false),
        ])
    func globs(_ glob: String, _ name: String, _ matches: Bool) throws {
        #expect(try #require(Glob(glob)).matches(name) == matches)
    }

    @Test("a glob of many stars ends against a long name")
    func stars() throws {
        let glob = try #require(Glob(String(repeating: "*a", count: 100) + "b"))
        #expect(!glob.matches(String(repeating: "a", count: 65_536)))
    }

    @Test(
        "an empty glob and one with control characters are refused",
        arguments: ["", "a\nb", "\u{7F}"])
    func broken(_ text: String) { #expect(Glob(text) == nil) }

    @Test("durations are read and written", arguments: ["500ms", "10s", "5m", "2h", "7d"])
    func durations(_ text: String) throws {
        #expect(DurationWord.text(try #require(DurationWord.duration(text))) == text)
    }

    @Test("weeks are read, and written in days")
    func weeks() {
        #expect(DurationWord.duration("2w") == .seconds(14 * 86_400))
        #expect(DurationWord.text(.seconds(14 * 86_400)) == "14d")
    }

    @Test(
        "text that is not a duration is refused",
        arguments: ["", "s", "-1s", "1.5h", "10", "9999999999s", "1y"])
    func strange(_ text: String) { #expect(DurationWord.duration(text) == nil) }
}
