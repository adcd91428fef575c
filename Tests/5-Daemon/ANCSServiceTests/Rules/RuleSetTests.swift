import ANCS
import Testing

@testable import ANCSService

@Suite("Decisions of rules")
struct RuleSetTests {
    static let phone = PhoneName(digest: "3f9ac1d20b7e4456", name: "Ada's iPhone")

    static func rules(_ text: String) throws -> RuleSet {
        RuleSet(try ServiceConfiguration(reading: Array(text.utf8), path: "c").rules)
    }

    /// Rules of names `a`, `b` and so on: what stands in `match`, what stands in `do`, and what else.
    static func rules(_ rules: (match: String, do: String, rest: String)...) throws -> RuleSet {
        let names = ["a", "b", "c", "d", "e"]
        return try Self.rules(
            zip(names, rules).map { name, rule in
                "[[rule]]\nname = '\(name)'\nmatch = { \(rule.match) }\ndo = [\(rule.do)]\n\(rule.rest)\n"
            }.joined())
    }

    /// A record of which the header is known, and what else is said.
    static func subject(
        _ category: CategoryID = .social, flags: EventFlags = [], event: EventID = .added,
        isPreExisting: Bool = false, at time: LocalTime = LocalTime(weekday: .monday, minute: 720),
        app: String? = nil, appName: String? = nil, texts: RuleSubject.Texts? = nil,
        code: String? = nil, wasSeen: Bool? = nil, recent: RecentRecords = RecentRecords()
    ) -> RuleSubject {
        var subject = RuleSubject(
            phone: phone, category: category, flags: flags, event: event,
            isPreExisting: isPreExisting, time: time, recent: recent)
        subject.app = app
        subject.appName = appName
        subject.texts = texts
        subject.code = code
        subject.wasSeen = wasSeen
        return subject
    }

    static let texts = RuleSubject.Texts(title: "Mum", subtitle: "Family", message: "Come home")

    // MARK: One rule

    struct Case: CustomTestStringConvertible, Sendable {
        var match: String
        var subject: RuleSubject
        /// The name of the rule where it matches.
        var matches: Bool
        var testDescription: String { match }

        init(_ match: String, _ matches: Bool, _ subject: RuleSubject) {
            self.match = match
            self.matches = matches
            self.subject = subject
        }
    }

    static let full = subject(
        flags: [.silent, .negativeAction], app: "com.apple.MobileSMS", appName: "Messages",
        texts: texts)
    static let call = subject(
        .incomingCall, app: "com.apple.mobilephone", appName: "Phone",
        texts: RuleSubject.Texts(title: "Mum"))
    static let stranger = subject(
        .incomingCall, app: "com.apple.mobilephone", appName: "Phone",
        texts: RuleSubject.Texts(title: PersonText.caller))
    static let night = LocalTime(weekday: .saturday, minute: 6 * 60 + 59)

    static let cases = [
        Case("", true, full),
        Case("phone = '3f9ac1d20b7e4456'", true, full),
        Case("phone = \"ada's *\"", true, full),
        Case("phone = 'Bob'", false, full),
        Case("category = 'social'", true, full),
        Case("category = ['email', 'news']", false, full),
        Case("flags = ['important', 'silent']", true, full),
        Case("flags = 'important'", false, full),
        Case("flags = 'preExisting'", true, subject(isPreExisting: true)),
        Case("flags = 'preExisting'", true, subject(flags: .preExisting)),
        Case("event = 'modified'", false, full),
        Case("event = 'modified'", true, subject(event: .modified)),
        Case("time = '12:00-12:01'", true, full),
        Case("time = '11:00-12:00'", false, full),
        Case("time = ['01:00-02:00', '12:00-24:00']", true, full),
        Case("days = 'mon'", true, full),
        Case("days = 'tue-sun'", false, full),
        Case("days = 'sat-mon'", true, full),
        Case("time = '22:00-07:00'", true, subject(at: night)),
        Case("days = 'fri', time = '22:00-07:00'", true, subject(at: night)),
        Case("days = 'sat', time = '22:00-07:00'", false, subject(at: night)),
        Case("days = 'sat'", true, subject(at: night)),
        Case(
            "days = 'sun', time = '22:00-07:00'", true,
            subject(at: LocalTime(weekday: .monday, minute: 0))),
        Case(
            "burst = '5/10s'", true, subject(recent: RecentRecords([.seconds(10): 6]))),
        Case(
            "burst = '5/10s'", false, subject(recent: RecentRecords([.seconds(10): 5]))),
        Case("app = 'com.apple.*'", true, full),
        Case("app = ['x.y', 'com.apple.mobilesms']", true, full),
        Case("app = 'com.apple.mobilephone'", false, full),
        Case("app = '*'", false, subject(texts: texts)),
        Case("app-name = 'mess*'", true, full),
        Case("app-name = 'Phone'", false, full),
        Case("title = '^Mum$'", true, full),
        Case("title = 'home'", false, full),
        Case("subtitle = 'Fam'", true, full),
        Case("message = '(?i)HOME'", true, full),
        Case("text = ['x', 'home']", true, full),
        Case("text = 'nothing'", false, full),
        Case("caller = 'Mum'", true, call),
        Case("caller = 'Dad'", false, call),
        Case("caller = 'Mum'", false, full),
        Case("caller = '^\\+1 \\(555\\) 010-0100$'", true, stranger),
        Case("number = '+15550100100'", true, stranger),
        Case("number = ['1234567', '555 010-0100']", true, stranger),
        Case("number = '010-0101'", false, stranger),
        Case("number = '5550100100'", false, full),
        Case("seen = true", false, full),
        Case("seen = false", true, full),
        Case("seen = true", true, subject(wasSeen: true)),
        Case("seen = false", false, subject(wasSeen: true)),
        Case("code = true", false, full),
        Case("code = false", true, full),
        Case("code = true", true, subject(texts: texts, code: "123456")),
        Case("code = false", false, subject(texts: texts, code: "123456")),
        Case("not = { app = 'com.apple.*' }", false, full),
        Case("not = { app = 'com.google.*' }", true, full),
        Case("not = { app = 'com.apple.*', title = 'Dad' }", true, full),
        Case("not = { not = { title = 'Mum' } }", true, full),
        Case("category = 'social', title = 'Dad'", false, full),
    ]

    @Test("a rule matches where all of its keys hold", arguments: cases)
    func matches(_ one: Case) throws {
        let rules = try Self.rules((one.match, "'no-history'", ""))
        let evaluation = rules.evaluate(one.subject)
        #expect(evaluation.isDecided)
        #expect(evaluation.verdict.rule == (one.matches ? "a" : nil))
        #expect(evaluation.verdict.isRemembered == !one.matches)
    }

    @Test("the table of cases has every key")
    func everyKey() {
        for key in RuleSchema.keys {
            #expect(Self.cases.contains { $0.match.contains("\(key.name) =") }, "\(key.name)")
        }
    }

    // MARK: Several rules

    @Test("without rules everything is shown, without fetching anything first")
    func none() {
        #expect(RuleSet().evaluate(Self.subject()) == .decided(RuleVerdict()))
    }

    @Test("the first rule that matches decides")
    func first() throws {
        let rules = try Self.rules(
            ("title = 'Dad'", "'mute'", ""), ("title = 'Mum'", "'no-history'", ""),
            ("text = 'M'", "'mute'", ""))
        var expected = RuleVerdict()
        expected.rule = "b"
        expected.isRemembered = false
        #expect(rules.evaluate(Self.full) == .decided(expected))
    }

    @Test("rules that continue add up, and the later one counts for how it is shown")
    func continues() throws {
        let rules = try Self.rules(
            (
                "category = 'social'",
                "{ show = true, urgency = 'critical', sound = 'bell' }, { run = ['x'] }",
                "continue = true"
            ), ("title = 'Dad'", "'mute'", "continue = true"),
            ("title = 'Mum'", "{ show = true, urgency = 'low' }, { run = ['y'] }, 'no-history'", "")
        )
        var expected = RuleVerdict()
        expected.rule = "c"
        expected.popup?.urgency = .low
        expected.popup?.sound = "bell"
        expected.programs = [
            RuleVerdict.Program(arguments: ["x"], rule: "a"),
            RuleVerdict.Program(arguments: ["y"], rule: "c"),
        ]
        expected.isRemembered = false
        #expect(rules.evaluate(Self.full) == .decided(expected))
    }

    @Test("a later rule can show a hidden notification, but not a muted one")
    func mutes() throws {
        func verdict(_ first: String) throws -> RuleVerdict {
            try Self.rules(
                ("category = 'social'", first, "continue = true"),
                ("title = 'Mum'", "'show', { run = ['y'] }", "")
            ).evaluate(Self.full).verdict
        }
        #expect(try verdict("{ show = false }").popup == RuleVerdict.Popup())
        let muted = try verdict("'mute'")
        #expect(muted.isMuted)
        #expect(muted.popup == nil)
        #expect(muted.programs.isEmpty)
    }

    // MARK: What is not known yet

    struct Step: CustomTestStringConvertible, Sendable {
        var name: String
        var rules: [(match: String, do: String, rest: String)]
        var subject: RuleSubject
        var expected: String
        var testDescription: String { name }

        init(
            _ name: String, _ rules: [(String, String)], _ subject: RuleSubject,
            _ expected: String
        ) {
            self.name = name
            self.rules = rules.map { ($0.0, $0.1, "") }
            self.subject = subject
            self.expected = expected
        }
    }

    private static let mute = "'mute'"
    static let steps = [
        Step("a header mutes at once", [("category = 'social'", mute)], subject(), "muted by a"),
        Step(
            "a muted app asks for the app", [("app = 'x'", mute)], subject(),
            "app, shown by nothing, may be muted"),
        Step(
            "a muted app that it is", [("app = 'x'", mute), ("title = 't'", "'show'")],
            subject(app: "x"), "muted by a"),
        Step(
            "a muted app that it is not", [("app = 'x'", mute), ("title = 't'", "'show'")],
            subject(app: "y"), "everything, shown by nothing"),
        Step(
            "a name of an app asks for the name", [("app-name = 'x'", mute)], subject(app: "y"),
            "appName, shown by nothing, may be muted"),
        Step(
            "an app and a name of an app", [("app = 'x'", mute), ("app-name = 'x'", mute)],
            subject(),
            "app, shown by nothing, may be muted"),
        Step(
            "a text that mutes needs everything", [("title = 'x'", mute)], subject(),
            "everything, shown by nothing, may be muted"),
        Step(
            "an app that is shown needs no round trip of its own", [("app = 'x'", "'show'")],
            subject(), "everything, shown by nothing"),
        Step(
            "a text before a muted app has to be looked at",
            [("title = 'x'", "'show'"), ("app = 'y'", mute)], subject(),
            "everything, shown by nothing, may be muted"),
        Step(
            "a text of an app before a muted app",
            [("app = 'a.b', title = 'x'", "'show'"), ("app = 'a.*'", mute)], subject(),
            "app, shown by nothing, may be muted"),
        Step(
            "a text of another app before a muted app",
            [("app = 'a.b', title = 'x'", "'show'"), ("app = 'a.*'", mute)], subject(app: "a.c"),
            "muted by b"),
        Step(
            "a text of that app before a muted app",
            [("app = 'a.b', title = 'x'", "'show'"), ("app = 'a.*'", mute)], subject(app: "a.b"),
            "everything, muted by b, may be muted"),
        Step(
            "muted one way or the other needs no text",
            [("title = 'x'", "'mute', 'no-history'"), ("app = 'a'", mute)], subject(app: "a"),
            "muted by b, forgotten"),
        Step(
            "muted one way or the other, but declined on one of them",
            [
                (
                    "category = ['incomingCall'], caller = 'x'",
                    "'mute', { perform = 'negative' }"
                ), ("category = 'incomingCall'", mute),
            ], subject(.incomingCall), "everything, muted by b, may be muted"),
        Step(
            "a text of an app, where the app is another one", [("app = 'a', title = 'x'", mute)],
            subject(app: "b"), "shown by nothing"),
        Step(
            "a text of an app that it may be", [("app = 'a', title = 'x'", mute)], subject(),
            "everything, shown by nothing, may be muted"),
        Step(
            "all apps but one", [("not = { app = 'a' }", mute)], subject(),
            "app, shown by nothing, may be muted"),
        Step(
            "all apps but one, which it is not", [("not = { app = 'a' }", mute)], subject(app: "b"),
            "muted by a"),
        Step(
            "a text that does not matter any more",
            [("category = 'social'", "'show'"), ("title = 'x'", mute)], subject(), "shown by a"),
        Step(
            "what was seen is known with the text", [("seen = true", mute)], subject(app: "a"),
            "everything, shown by nothing, may be muted"),
    ]

    @Test("only the attributes that rules need are fetched", arguments: steps)
    func fetches(_ step: Step) throws {
        let names = ["a", "b", "c"]
        let rules = try Self.rules(
            zip(names, step.rules).map { name, rule in
                "[[rule]]\nname = '\(name)'\nmatch = { \(rule.match) }\ndo = [\(rule.do)]\n"
            }.joined())
        #expect(Self.text(rules.evaluate(step.subject)) == step.expected)
    }

    static func text(_ evaluation: Evaluation) -> String {
        let verdict = evaluation.verdict
        var words =
            (verdict.isMuted ? "muted by " : "shown by ") + (verdict.rule ?? "nothing")
            + (verdict.isRemembered ? "" : ", forgotten")
        guard case .undecided(let need, _, let mayBeMuted) = evaluation else { return words }
        let needs = ["header", "app", "appName", "everything"]
        words = needs[Int(need.rawValue)] + ", " + words
        return words + (mayBeMuted ? ", may be muted" : "")
    }

    @Test("a decision does not change when more becomes known")
    func stays() throws {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<300 {
            let rules = try Self.randomRules(using: &generator)
            var subject = Self.subject(Bool.random(using: &generator) ? .social : .incomingCall)
            var evaluations = [rules.evaluate(subject)]
            subject.app = ["a", "b"].randomElement(using: &generator)
            evaluations.append(rules.evaluate(subject))
            subject.appName = ["A", "B"].randomElement(using: &generator)
            evaluations.append(rules.evaluate(subject))
            subject.texts = RuleSubject.Texts(
                title: ["x", "y"].randomElement(using: &generator) ?? "")
            let last = rules.evaluate(subject)
            #expect(last.isDecided)
            for evaluation in evaluations {
                switch evaluation {
                case .decided(let verdict):
                    #expect(verdict.isMuted == last.verdict.isMuted)
                    #expect(verdict.action == last.verdict.action)
                    if !verdict.isMuted { #expect(verdict == last.verdict) }
                    // Of two ways that end muted the one is taken that keeps less.
                    if verdict.isRemembered { #expect(last.verdict.isRemembered) }
                case .undecided(_, _, let mayBeMuted):
                    #expect(mayBeMuted || !last.verdict.isMuted)
                }
            }
        }
    }

    private static func randomRules(
        using generator: inout some RandomNumberGenerator
    ) throws -> RuleSet {
        let matches = [
            "app = 'a'", "app-name = 'A'", "title = 'x'", "category = ['incomingCall']",
            "app = 'b', title = 'x'", "not = { app = 'a', title = 'y' }", "caller = 'x'",
        ]
        let actions = ["'mute'", "'show'", "'mute', 'no-history'", "{ perform = 'negative' }"]
        // Rules may shadow each other here, which the reader of the configuration refuses.
        let rules = try (0..<4).flatMap { number in
            let match = matches.randomElement(using: &generator) ?? ""
            let action = actions.randomElement(using: &generator) ?? ""
            let isLast = Bool.random(using: &generator)
            return try Self.rules(
                "[[rule]]\nname = '\(number)'\nmatch = { \(match) }\ndo = [\(action)]\n"
                    + "continue = \(!isLast)\n"
            ).rules
        }
        return RuleSet(rules)
    }

    // MARK: Calls

    @Test("only a rule for ringing calls alone can decline a call")
    func declines() throws {
        func action(_ match: String, _ category: CategoryID) throws -> ActionID? {
            try Self.rules((match, "{ perform = 'negative' }", ""))
                .evaluate(Self.subject(category, texts: Self.texts)).verdict.action
        }
        #expect(try action("category = ['incomingCall']", .incomingCall) == .negative)
        #expect(try action("title = 'Mum'", .incomingCall) == nil)
        #expect(try action("caller = 'Mum'", .incomingCall) == nil)
        #expect(try action("", .activeCall) == nil)
        #expect(try action("not = { category = ['incomingCall'] }", .activeCall) == nil)
        #expect(try action("title = 'Mum'", .social) == .negative)
        #expect(try action("category = 'email'", .email) == .negative)
    }

    // MARK: Patterns at their limits

    @Test("a pattern that hits its limits matches nothing and is reported")
    func exhausted() throws {
        let rules = try Self.rules(("message = '(a+)+$'", "'mute'", ""))
        var subject = Self.full
        subject.texts?.message = String(repeating: "a", count: 4096) + "!"
        var told: [String] = []
        let evaluation = rules.evaluate(subject, exhausted: { told.append($0.name) })
        #expect(evaluation == .decided(RuleVerdict()))
        #expect(told == ["a"])
        let message = try #require(rules.explain(subject).first?.message)
        #expect(
            message
                == "counts as not matching: the search of message ran into its limit, which counts as no "
                + "match; it wants '(a+)+$'")
    }

    @Test("a rule that matches because of a limit says so, and what is not tried counts as a limit")
    func exhaustedInNot() throws {
        let rules = try Self.rules(("not = { message = '(a+)+$' }", "'mute'", ""))
        var subject = Self.full
        subject.texts?.message = String(repeating: "a", count: 4096) + "!"
        #expect(
            rules.explain(subject).first?.message
                == "matches (the search of a text ran into its limit, which counts as no match)")
        let patterns = Array(repeating: "'(a+)+$'", count: 8).joined(separator: ", ")
        let many = try Self.rules(("message = [\(patterns), '!$']", "'mute'", ""))
        #expect(many.evaluate(subject) == .decided(RuleVerdict()))
        #expect(many.explain(subject).first?.message.hasPrefix("counts as not matching") == true)
        subject.texts?.message = "short"
        #expect(many.explain(subject).first?.message.hasPrefix("does not match") == true)
    }

    @Test("many patterns that hit their limits end quickly")
    func manyExhausted() throws {
        let text = (0..<256).map { number in
            "[[rule]]\nmatch = { message = ['(a+)+$', '(a|a)*\(number)$'] }\ndo = ['mute']\n"
                + "continue = true\n"
        }.joined()
        let rules = try Self.rules(text)
        var subject = Self.full
        subject.texts?.message = String(repeating: "a", count: 60_000) + "!"
        // Without limits this does not end.
        #expect(!rules.evaluate(subject).verdict.isMuted)
    }

    // MARK: Why not

    @Test("the explanation of each rule has the reason why it does not match")
    func explains() throws {
        let rules = try Self.rules(
            ("app = 'com.google.*', category = 'email'", "'mute'", ""),
            ("title = 'Dad'", "'mute'", ""), ("category = 'social'", "'show'", "continue = true"),
            ("title = 'Mum'", "'show'", ""), ("category = 'news'", "'mute'", ""))
        let lines = rules.explain(Self.full, quotingTexts: true).map { "\($0.rule): \($0.message)" }
        #expect(
            lines == [
                "a: does not match: app is \"com.apple.MobileSMS\"; it wants "
                    + "\"com.google.*\"; category is social; it wants email",
                "b: does not match: title is \"Mum\"; it wants 'Dad'",
                "c: matches, and later rules are tried too",
                "d: matches",
                "e: is not tried: an earlier rule decided",
            ])
        let quiet = rules.explain(Self.full)[1]
        #expect(quiet.message == "does not match: title is another text; it wants 'Dad'")
    }

    @Test(
        "the explanation of a rule excluded by not has the condition in not, and the result without it"
    )
    func explainsNot() throws {
        func explain(_ match: String, _ subject: RuleSubject = Self.full) throws -> String {
            try #require(
                try Self.rules((match, "'mute'", "")).explain(subject, quotingTexts: true).first
            ).message
        }
        #expect(
            try explain("not = { app = 'com.apple.*' }")
                == "does not match: app is \"com.apple.MobileSMS\"; it wants app other than "
                + "\"com.apple.*\"")
        #expect(
            try explain("not = { category = 'social', title = 'Mum' }")
                == "does not match: category is social and title is \"Mum\"; it wants category other "
                + "than social, or title other than 'Mum'")
        #expect(
            try explain("not = { code = false }")
                == "does not match: code is false; it wants code other than false")
        #expect(
            try explain("not = { app = 'x' }", Self.subject())
                == "may match: what is in not is not known; it wants app other than \"x\"")
    }

    @Test("an unknown key is reported as unknown")
    func open() throws {
        let rules = try Self.rules(("app = 'x'", "'mute'", ""))
        #expect(
            rules.explain(Self.subject()).map(\.message) == [
                "may match: app is not known; it wants \"x\""
            ])
    }

    @Test("every key has its explanation", arguments: cases.filter { !$0.matches })
    func everyExplanation(_ one: Case) throws {
        let explanation = try #require(
            try Self.rules((one.match, "'mute'", "")).explain(one.subject).first)
        guard case .refuses(let reasons) = explanation.outcome else {
            Issue.record("it is taken")
            return
        }
        for reason in reasons {
            #expect(reason.key.split(separator: " and ").allSatisfy { one.match.contains($0) })
            #expect(!reason.wanted.isEmpty)
            #expect(reason.found?.isEmpty == false)
        }
    }
}
