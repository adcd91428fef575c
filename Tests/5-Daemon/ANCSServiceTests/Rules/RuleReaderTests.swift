import ANCS
import Testing

@testable import ANCSService

@Suite("Rules in the configuration file")
struct RuleReaderTests {
    private func rules(_ text: String) throws -> [Rule] {
        try ServiceConfiguration(reading: Array(text.utf8), path: "c").rules
    }

    private func complaints(_ text: String) -> [String] {
        do throws(ConfigurationFaults) {
            _ = try ServiceConfiguration(reading: Array(text.utf8), path: "c")
            return []
        } catch { return error.lines }
    }

    @Test("every key of match is read")
    func keys() throws {
        let rule = try #require(
            try rules(
                #"""
                [[rule]]
                name = "all"
                do = ["show"]
                continue = true
                [rule.match]
                phone = "Ada's iPhone"
                category = ["incomingCall", "missedCall"]
                flags = "important"
                event = "added"
                time = "22:00-07:00"
                days = ["mon-wed", "sat"]
                burst = "5/10s"
                app = ["com.apple.mobilephone", "com.google.*"]
                app-name = "Phone"
                title = 'a'
                subtitle = 'b'
                message = 'c'
                text = ['d', 'e']
                caller = '(?i)^(mum|dad)$'
                number = '+1 555 010-0100'
                seen = false
                code = true
                not = { app = "x" }
                """#
            ).first)
        let days: Set<Weekday> = [.monday, .tuesday, .wednesday, .saturday]
        let night = try #require(TimeOfDay("22:00-07:00"))
        let expected: [RuleCondition] = [
            .phone([try #require(Glob("Ada's iPhone"))]), .category([.incomingCall, .missedCall]),
            .flags([.important]), .event([.added]),
            .schedule(Schedule(days: days, times: [night])),
            .burst(Burst(count: 5, window: .seconds(10))),
            .app([try #require(Glob("com.apple.mobilephone")), try #require(Glob("com.google.*"))]),
            .appName([try #require(Glob("Phone"))]), .search(.title, [try Pattern("a")]),
            .search(.subtitle, [try Pattern("b")]), .search(.message, [try Pattern("c")]),
            .search(.text, [try Pattern("d"), try Pattern("e")]),
            .search(.caller, [try Pattern("(?i)^(mum|dad)$")]),
            .number([try #require(DialedNumber("+1 555 010-0100"))]), .seen(false), .code(true),
            .not([.app([try #require(Glob("x"))])]),
        ]
        // In any order.
        #expect(rule.conditions.count == expected.count)
        for condition in expected { #expect(rule.conditions.contains(condition)) }
        #expect(rule.name == "all")
        #expect(rule.continues)
        #expect(rule.place == TextPlace(line: 1, column: 1))
    }

    @Test("the reader knows every key of the table")
    func table() {
        #expect(RuleSchema.keys.count == Set(RuleSchema.keys.map(\.name)).count)
        #expect(RuleSchema.keys.count == 18)
    }

    @Test("every action is read")
    func actions() throws {
        let rule = try #require(
            try rules(
                """
                [[rule]]
                match = { category = ["incomingCall"] }
                do = ["show", { show = true, urgency = "low", expire = "never", icon = "x", sound = "" },
                    { run = ["a", "b"] }, { run = ["c"], timeout = 9 }, "no-history",
                    { perform = "negative" }]
                """
            ).first)
        var effects = RuleEffects()
        effects.popup.isShown = true
        effects.popup.urgency = .low
        effects.popup.expiry = .zero
        effects.popup.icon = "x"
        effects.popup.sound = ""
        effects.programs = [
            RuleVerdict.Program(arguments: ["a", "b"]),
            RuleVerdict.Program(arguments: ["c"], timeout: .seconds(9)),
        ]
        effects.forgets = true
        effects.performsNegative = true
        #expect(rule.effects == effects)
        #expect(rule.name == "rule 1")
        #expect(try rules("[[rule]]\ndo = 'mute'").first?.effects.mutes == true)
    }

    @Test(
        "a program is a name or a whole path; its arguments are anything",
        arguments: ["'lights', '~/x', 'a/b'", "'/opt/lights'", "'/bin/sh', '-c', '~/bin/lights'"])
    func programs(_ words: String) throws {
        let rule = try #require(try rules("[[rule]]\ndo = [{ run = [\(words)] }]").first)
        #expect(rule.effects.programs.count == 1)
    }

    struct Fault: CustomTestStringConvertible, Sendable {
        /// What stands after `[[rule]]` and a line.
        var text: String
        var complaint: String
        var testDescription: String { text }

        init(_ text: String, _ complaint: String) {
            self.text = text
            self.complaint = complaint
        }
    }

    static let faults = [
        Fault(
            "match = { categori = 'email' }\ndo = 'mute'",
            "2:11: unknown key of match \"categori\"; did you mean \"category\"?"),
        Fault(
            "match = { category = ['emial'] }\ndo = 'mute'",
            "2:23: expected \"other\", \"incomingCall\", \"missedCall\", \"voicemail\", \"social\", "
                + "\"schedule\", \"email\", \"news\", \"healthAndFitness\", \"businessAndFinance\", "
                + "\"location\", \"entertainment\" or \"activeCall\", found \"emial\"; did you mean "
                + "\"email\"?"),
        Fault(
            "match = { category = [] }\ndo = 'mute'",
            "2:22: an empty list matches nothing, so the rule could never match: expected "
                + "\"other\", \"incomingCall\", \"missedCall\", \"voicemail\", \"social\", "
                + "\"schedule\", \"email\", \"news\", \"healthAndFitness\", \"businessAndFinance\", "
                + "\"location\", \"entertainment\" or \"activeCall\", or a list of them"),
        Fault(
            "match = { event = 'removed' }\ndo = 'mute'",
            "2:19: expected \"added\" or \"modified\", found \"removed\""),
        Fault(
            "match = { title = '(a' }\ndo = 'mute'",
            "2:22: the regular expression does not compile: missing closing parenthesis at character "
                + "3 of \"(a\""),
        Fault(
            "match = { title = \"\\u0041)\" }\ndo = 'mute'",
            "2:19: the regular expression does not compile: unmatched closing parenthesis at character "
                + "2 of \"A)\""),
        Fault(
            "match = { title = ['ok', '''é)'''] }\ndo = 'mute'",
            "2:30: the regular expression does not compile: unmatched closing parenthesis at character "
                + "2 of \"é)\""),
        Fault(
            "match = { app = 'Whats App' }\ndo = 'mute'",
            "2:17: expected the identifier of an app such as \"com.example.chat\" or "
                + "\"com.example.*\" (app-name matches its name), found "
                + "\"Whats App\""),
        Fault(
            "match = { app-name = '' }\ndo = 'mute'",
            "2:22: expected a name of 1 to 256 octets, in which * stands for any characters and ? "
                + "for one, found \"\""),
        Fault(
            "match = { time = '22:00' }\ndo = 'mute'",
            "2:18: expected a part of the day such as \"22:00-07:00\", found \"22:00\""),
        Fault(
            "match = { days = 'monday' }\ndo = 'mute'",
            "2:18: expected a day such as \"mon\", or days such as \"mon-fri\", found \"monday\""),
        Fault(
            "match = { burst = '0/10s' }\ndo = 'mute'",
            "2:19: expected a number and a time such as \"5/10s\", at most 1000 and \"1h\", found "
                + "\"0/10s\""),
        Fault(
            "match = { caller = 'x', category = 'email' }\ndo = 'mute'",
            "2:9: this can never match: caller is the title of a call, and category has none of "
                + "\"incomingCall\", \"activeCall\" or \"missedCall\""),
        Fault(
            "match = { app = 'a.b', not = { app = 'a.*' } }\ndo = 'mute'",
            "2:9: this can never match: the keys in not hold whenever the other keys hold"),
        Fault(
            "match = { not = {} }\ndo = 'mute'",
            "2:17: not = {} never holds, so the rule could never match: expected a key "
                + "in it"),
        Fault(
            "app = 'x'\ndo = 'mute'",
            "2:1: the key \"app\" is outside match: expected it as in match = { app = … }"),
        Fault(
            "nmae = 'x'\ndo = 'mute'",
            "2:1: unknown key of a rule \"nmae\"; did you mean \"name\"?"),
        Fault(
            "match = {}",
            "1:1: the rule \"rule 1\" has no actions: expected do = [\"show\"], [\"mute\"] or other "
                + "actions"),
        Fault(
            "do = ['mtue']",
            "2:7: expected \"show\", \"mute\", \"no-history\", { show = … }, { run = [\"PROGRAM\"] }, "
                + "{ mqtt = … } or { perform = \"negative\" }, found \"mtue\"; did you mean \"mute\"?"
        ),
        Fault(
            "do = ['mute', 'show']",
            "2:6: \"mute\" shows nothing and runs nothing: expected no show, run or mqtt with it; "
                + "{ show = false } keeps a record off the desktop and runs programs"),
        Fault(
            "do = [{ runn = ['a'] }]", "2:9: unknown action \"runn\"; did you mean \"run\"?"),
        Fault(
            "do = [{ run = ['a'], timeout = 61 }]",
            "2:32: expected a whole number from 1 to 60, found 61"),
        Fault(
            "do = [{ run = 'a' }]",
            "2:15: expected a list of a program and its arguments, 1 to 64 strings of at most 4096 octets, "
                + "such as [\"paplay\", \"/usr/share/sounds/bell.oga\"], found \"a\""),
        Fault(
            "do = [{ run = ['~/bin/lights'] }]",
            "2:16: \"~/bin/lights\": no shell runs this program, so \"~\" is not your home: expected the "
                + "whole path, such as \"/home/ada/bin/lights\""),
        Fault(
            "do = [{ run = ['bin/lights', '~'] }]",
            "2:16: \"bin/lights\" is a relative path, and the program runs in \"/\": expected a path that "
                + "begins with \"/\", or a name without \"/\", which is looked for in PATH"),
        Fault(
            "do = [{ run = ['./lights'] }]",
            "2:16: \"./lights\" is a relative path, and the program runs in \"/\": expected a path that "
                + "begins with \"/\", or a name without \"/\", which is looked for in PATH"),
        Fault(
            "do = [{ show = false, urgency = 'low' }]",
            "2:9: show = false allows no other keys: expected { show = false } alone"),
        Fault(
            "do = [{ show = true, expire = '0s' }]",
            "2:31: expected \"never\", or a time up to \"1d\": a number with ms, s, m, h or d, such as "
                + "\"10s\", found \"0s\""),
        Fault(
            "do = [{ perform = 'positive' }]",
            "2:19: a rule never performs the positive action, which could answer a call with no user "
                + "there: expected \"negative\""),
        Fault(
            "match = { category = ['incomingCall', 'email'] }\ndo = [{ perform = 'negative' }]",
            "1:1: the rule \"rule 1\" would hang up: expected category = [\"incomingCall\"] alone, "
                + "to perform an action on calls"),
        Fault(
            "do = 1",
            "2:6: expected a list of actions: \"show\", \"mute\", \"no-history\", "
                + "{ show = … }, { run = [\"PROGRAM\"] }, { mqtt = … } or "
                + "{ perform = \"negative\" }, found 1"),
    ]

    @Test("a fault is reported with its place and the valid values", arguments: faults)
    func complaint(_ fault: Fault) {
        #expect(complaints("[[rule]]\n" + fault.text + "\n") == ["c:" + fault.complaint])
    }

    @Test("two rules of one name are refused")
    func names() {
        func rule(_ app: String) -> String {
            "[[rule]]\nname = 'a'\nmatch = { app = '\(app)' }\ndo = 'mute'\n"
        }
        #expect(
            complaints(rule("x") + rule("y")) == [
                "c:5:1: two rules are named \"a\": expected another name than that of the rule at "
                    + "line 1"
            ])
    }

    struct Pair: CustomTestStringConvertible, Sendable {
        var first: String
        var second: String
        var isShadowed: Bool
        var testDescription: String { "\(first) before \(second)" }

        init(_ first: String, _ second: String, _ isShadowed: Bool) {
            self.first = first
            self.second = second
            self.isShadowed = isShadowed
        }
    }

    static let pairs = [
        Pair("{}", "{ app = 'a' }", true),
        Pair("{ app = 'a.*' }", "{ app = ['a.b', 'a.c'] }", true),
        Pair("{ app = 'a.*' }", "{ app = ['a.b', 'b'] }", false),
        Pair("{ app = '*' }", "{ app = 'x*' }", true),
        Pair("{ app = 'a' }", "{ app-name = 'a' }", false),
        Pair("{ app = 'a' }", "{ app = 'a', title = 'x' }", true),
        Pair("{ app = 'a', title = 'x' }", "{ app = 'a' }", false),
        Pair("{ category = ['email', 'news'] }", "{ category = 'news' }", true),
        Pair(
            "{ category = ['incomingCall', 'missedCall', 'activeCall'] }", "{ caller = 'x' }", true),
        Pair("{ category = 'incomingCall' }", "{ caller = 'x' }", false),
        Pair("{ text = ['a', 'b'] }", "{ message = 'b' }", true),
        Pair("{ title = 'a' }", "{ caller = 'a' }", true),
        Pair("{ time = '22:00-07:00' }", "{ time = '23:00-06:00' }", true),
        Pair("{ time = '22:00-07:00' }", "{ time = '21:59-06:00' }", false),
        Pair("{ days = 'mon-fri' }", "{ days = 'tue', time = '08:00-09:00' }", true),
        Pair("{ days = 'mon' }", "{ days = 'mon', time = '22:00-07:00' }", false),
        Pair("{ burst = '3/20s' }", "{ burst = '5/10s' }", true),
        Pair("{ burst = '5/10s' }", "{ burst = '3/10s' }", false),
        Pair("{ not = { app = 'a.b' } }", "{ not = { app = 'a.*' } }", true),
        Pair("{ not = { app = 'a.*' } }", "{ not = { app = 'a.b' } }", false),
        Pair("{ seen = true }", "{ seen = false }", false),
        Pair("{ flags = ['silent', 'important'] }", "{ flags = 'silent' }", true),
    ]

    @Test("a rule that can never match after an earlier one is refused", arguments: pairs)
    func shadows(_ pair: Pair) {
        let first = "[[rule]]\nname = 'a'\nmatch = \(pair.first)\ndo = 'show'\n"
        let second = "[[rule]]\nname = 'b'\nmatch = \(pair.second)\ndo = 'mute'\n"
        let complaint =
            "c:5:1: the rule \"b\" can never match: \"a\" at line 1 matches all of its records; move it "
            + "before that one, or give that one continue = true"
        #expect(complaints(first + second) == (pair.isShadowed ? [complaint] : []))
        #expect(complaints(first + "continue = true\n" + second).isEmpty)
    }

    @Test("rules beyond the limit are refused")
    func many() {
        let text = (1...257).map { "[[rule]]\nmatch.app = 'a\($0)'\ndo = 'mute'\n" }.joined()
        #expect(complaints(text) == ["c:1:1: there are 257 rules; the limit is 256"])
    }
}
