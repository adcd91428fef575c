import LinuxIO
import Testing

@testable import ANCSService

@Suite("What a valid configuration means on this machine")
struct ConfigurationReviewTests {
    private func review(
        _ text: String, path: String = "/nowhere"
    ) throws -> ConfigurationReview {
        let configuration = try ServiceConfiguration(reading: Array(text.utf8), path: "c")
        return ConfigurationReview(configuration, path: "c", programs: ProgramSearch(path: path))
    }

    private func rule(_ name: String, _ match: String, _ actions: String) -> String {
        "[[rule]]\nname = '\(name)'\nmatch = { \(match) }\ndo = [\(actions)]\n"
    }

    // MARK: Programs

    @Test("a program that does not exist is found, with its place and its rule")
    func missing() throws {
        let folder = try TemporaryDirectory()
        let script = try folder.script("lights", "true")
        try folder.write("text", [])
        let text = """
            [desktop]
            copy = ['wl-copy', '--sensitive']
            [[rule]]
            match = { category = 'email' }
            do = [{ run = ['\(script)'] }, { run = ['lights'] }, { run = ['\(folder.path)/no'] }]
            [[rule]]
            do = [{ run = ['\(folder.path)/text'] },
                  { run = ['\(folder.path)'] }, { run = ['nightlights'] }]
            name = 'others'
            """
        let review = try review(text, path: "/nowhere:\(folder.path)")
        let path = "/nowhere:\(folder.path)".shortened
        let lines = review.lines.map { line in
            // The columns after a path depend on its length.
            let parts = line.split(separator: ":", maxSplits: 3)
            return "\(parts[1]):\(parts[3])"
        }
        #expect(
            lines == [
                "2: \"copy\" cannot run \"wl-copy\": it is in no directory of PATH (\(path))",
                "5: the rule \"rule 1\" cannot run \"\("\(folder.path)/no".shortened)\": "
                    + "No such file or directory",
                "7: the rule \"others\" cannot run \"\("\(folder.path)/text".shortened)\": "
                    + "Permission denied",
                "8: the rule \"others\" cannot run \"\(folder.path.shortened)\": it is not a file",
                "8: the rule \"others\" cannot run \"nightlights\": it is in no directory of PATH "
                    + "(\(path))",
            ])
        #expect(review.faults.first?.place == TextPlace(line: 2, column: 9))
    }

    @Test("a home that no shell puts in is found in arguments, of rules and of copy")
    func home() throws {
        let folder = try TemporaryDirectory()
        let script = try folder.script("x", "true")
        let text = """
            [desktop]
            copy = ['\(script)', '~/code']
            [[rule]]
            do = [{ run = ['\(script)', 'a~/b', '~ada', '--x=~/y', '~'] },
                  { run = ['\(script)', '-c', '~/bin/lights on'] }]
            """
        let home = "no shell reads it, so \"~\" is not your home; write the whole path"
        #expect(
            try review(text).faults.map(\.message) == [
                "\"copy\" passes \"~/code\" to its program as it is: \(home)",
                "the rule \"rule 1\" passes \"~\" to its program as it is: \(home)",
            ])
    }

    @Test("a configuration without programs, and one whose programs exist, has no faults")
    func fine() throws {
        let folder = try TemporaryDirectory()
        _ = try folder.script("lights", "true")
        #expect(try review("").lines == [])
        let text = rule("a", "category = 'email'", "{ run = ['lights', '~x'] }")
        #expect(try review(text, path: folder.path).lines == [])
        #expect(try review("[desktop]\ncopy = []").lines == [])
    }

    // MARK: Calls

    struct Case: CustomTestStringConvertible, Sendable {
        var match: String
        var holds: Bool
        var testDescription: String { match }
        init(_ match: String, _ holds: Bool) { (self.match, self.holds) = (match, holds) }
    }

    static let matches = [
        Case("text = 'casino'", true), Case("caller = 'Foe'", true), Case("code = true", true),
        Case("time = '22:00-07:00', not = { title = 'Mum' }", true),
        Case("category = ['incomingCall', 'email'], title = 'x'", true),
        Case("category = 'email', title = 'x'", false),
        Case("text = 'x', not = { category = 'incomingCall' }", false),
        Case("text = 'x', not = { not = { category = 'email' } }", false),
        Case("text = 'x', not = { category = 'incomingCall', title = 'y' }", true),
        Case("event = 'modified', text = 'x'", false),
        // These are known before the text is fetched.
        Case("category = 'incomingCall'", false), Case("app = 'a.b'", false),
        Case("app = 'a.b', text = 'x'", false), Case("app-name = 'a', not = { text = 'x' }", false),
    ]

    @Test("a rule that may mute calls by their text is noted", arguments: matches)
    func holdsCalls(of match: Case) throws {
        let review = try review(rule("spam", match.match, "'mute'"))
        #expect(review.faults == [])
        #expect(
            review.lines
                == (match.holds
                    ? [
                        "c:1:1: note: the rule \"spam\" may mute a call by its text, so calls ring only "
                            + "once their text is known; write rules for calls before it, or "
                            + "not = { category = \"incomingCall\" } in it"
                    ] : []))
        #expect(try self.review(rule("spam", match.match, "'show'")).lines == [])
    }

    @Test("rules after one that matches all calls give no note")
    func afterCalls() throws {
        let spam = rule("spam", "text = 'casino'", "'mute'")
        let calls = rule("calls", "category = 'incomingCall'", "'show'")
        #expect(try review(calls + spam).lines == [])
        #expect(try review(spam + calls).notes.count == 1)
        #expect(try review(calls + "continue = true\n" + spam).notes.count == 1)
        let some = rule("calls", "category = 'incomingCall', time = '08:00-09:00'", "'show'")
        #expect(try review(some + spam).notes.count == 1)
    }

    @Test("a rule that mutes calls with all else is noted, if one for calls comes after it")
    func mutesCalls() throws {
        let night = rule("night", "time = '22:00-07:00'", "'mute'")
        let calls = "category = ['incomingCall', 'missedCall'], caller = 'Mum'"
        let family = rule("family", calls, "'show'")
        #expect(
            try review(night + family).lines == [
                "c:1:1: note: the rule \"night\" mutes calls, too, before \"family\" can let them ring; write "
                    + "that rule first, or not = { category = \"incomingCall\" } in this one"
            ])
        #expect(try review(family + night).lines == [])
        #expect(try review(night).lines == [])
        let but = "time = '22:00-07:00', not = { category = 'incomingCall' }"
        #expect(try review(rule("night", but, "'mute'") + family).lines == [])
        let some = rule("some", "category = 'incomingCall', phone = 'Work'", "'mute'")
        #expect(try review(some + family).lines == [])
        let all = rule("calls", "category = 'incomingCall'", "{ show = true, sound = '' }")
        #expect(try review(all + night + family).lines == [])
    }

    @Test("a name where an identifier belongs is noted, as nothing would ever match it")
    func names() throws {
        let note =
            "c:1:1: note: the rule \"a\" compares \"Messages\" with identifiers such as com.apple.MobileSMS, "
            + "which it cannot be; app-name compares with the names of apps"
        #expect(try review(rule("a", "app = ['Messages', 'com.x']", "'mute'")).lines == [note])
        #expect(try review(rule("a", "not = { app = 'Messages' }", "'mute'")).lines == [note])
        #expect(try review(rule("a", "app = '*mail'", "'mute'")).lines == [])
        #expect(try review(rule("a", "app-name = 'Messages'", "'mute'")).lines == [])
    }
}
