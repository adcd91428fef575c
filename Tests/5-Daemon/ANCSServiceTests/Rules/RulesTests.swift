import ANCS
import JSONText
import HCITransports
import LinuxIO
import Octets
import Testing

@testable import ANCSService

@Suite("Rules at work")
struct RulesTests {
    private static let noon = CaptureTime(microsecondsSince1970: 1_795_348_800_000_000)

    private static func later(_ seconds: Int64) -> CaptureTime {
        CaptureTime(microsecondsSince1970: noon.microsecondsSince1970 + seconds * 1_000_000)
    }

    // MARK: Muting by hand

    @Test("an app that the user muted is muted before any rule, until its time is over")
    func mutes() throws {
        var rules = Rules(try RuleSetTests.rules(("app = 'a'", "'show'", "")))
        try rules.mute(app: "a", until: Self.later(3600), at: Self.noon)
        let subject = RuleSetTests.subject(app: "a")
        let muted = rules.evaluate(subject, at: Self.later(3599))
        #expect(muted.isDecided)
        #expect(muted.verdict.isMuted)
        #expect(muted.verdict.rule == nil)
        #expect(rules.evaluate(subject, at: Self.later(3600)).verdict.rule == "a")
        #expect(rules.evaluate(RuleSetTests.subject(app: "b"), at: Self.noon).isDecided)
    }

    @Test("while an app is muted by hand, the app is asked for first")
    func asks() throws {
        var rules = Rules()
        let subject = RuleSetTests.subject()
        #expect(rules.evaluate(subject, at: Self.noon).isDecided)
        try rules.mute(app: "a", until: nil, at: Self.noon)
        #expect(
            rules.evaluate(subject, at: Self.noon)
                == .undecided(need: .app, provisional: RuleVerdict(), mayBeMuted: true))
        let wasMuted = rules.unmute(app: "a", at: Self.noon)
        let wasMutedStill = rules.unmute(app: "a", at: Self.noon)
        #expect(wasMuted)
        #expect(!wasMutedStill)
        #expect(rules.evaluate(subject, at: Self.noon).isDecided)
    }

    @Test("an app is muted however its identifier is typed, and listed as it was")
    func muteInAnyCase() {
        var mutes = MuteList()
        let isNew = mutes.insert(Mute(app: "com.apple.mobilesms", until: nil), at: Self.noon)
        #expect(isNew)
        #expect(mutes.contains("com.apple.MobileSMS", at: Self.noon))
        #expect(mutes.entries(at: Self.noon).map(\.app) == ["com.apple.mobilesms"])
        #expect(MuteList(json: mutes.json) == mutes)
        let wasMuted = mutes.remove("com.apple.MobileSMS", at: Self.noon)
        #expect(wasMuted)
    }

    @Test("mutes are listed, and removed when their time is over")
    func lists() throws {
        var mutes = MuteList()
        let entries = [Mute(app: "b", until: Self.later(60)), Mute(app: "a", until: nil)]
        for entry in entries {
            let isMuted = mutes.insert(entry, at: Self.noon)
            #expect(isMuted)
        }
        #expect(mutes.entries(at: Self.noon).map(\.app) == ["a", "b"])
        #expect(mutes.entries(at: Self.later(60)).map(\.app) == ["a"])
        let wasMuted = mutes.remove("b", at: Self.later(60))
        #expect(!wasMuted)
    }

    @Test("mutes beyond the limit are refused, but one may be prolonged")
    func bounds() throws {
        var rules = Rules()
        for number in 0..<MuteList.maximumCount {
            try rules.mute(app: "\(number)", until: Self.later(60), at: Self.noon)
        }
        #expect(throws: Rules.UsageError.tooManyMutes) {
            try rules.mute(app: "more", until: nil, at: Self.noon)
        }
        try rules.mute(app: "0", until: nil, at: Self.noon)
        try rules.mute(app: "more", until: nil, at: Self.later(61))
    }

    @Test("mutes are stored and read again")
    func json() throws {
        var mutes = MuteList()
        for mute in [Mute(app: "a", until: nil), Mute(app: "b", until: Self.later(60))] {
            let isMuted = mutes.insert(mute, at: Self.noon)
            #expect(isMuted)
        }
        #expect(
            mutes.json.text
                == #"{"mutes":[{"app":"a"},{"app":"b","until":1795348860}]}"#)
        #expect(MuteList(json: try JSONValue(parsing: mutes.json.text)) == mutes)
    }

    @Test(
        "a file that is not a list of mutes is refused",
        arguments: [
            "{}", "[]", #"{"mutes":[1]}"#, #"{"mutes":[{"app":1}]}"#,
            #"{"mutes":[{"app":"a","until":"x"}]}"#,
            #"{"mutes":[{"app":"a","until":9223372036854775807}]}"#,
            #"{"mutes":[{"app":"a","until":-9223372036854775808}]}"#,
        ])
    func refuses(_ text: String) throws {
        #expect(MuteList(json: try JSONValue(parsing: text)) == nil)
    }

    @Test("the term of a mute is a duration or a word")
    func terms() {
        #expect(MuteTerm("1h") == .lasting(.seconds(3600)))
        #expect(MuteTerm("today") == .today)
        #expect(MuteTerm("always") == .always)
        #expect(MuteTerm("off") == .off)
        for text in ["", "0h", "1", "tomorrow", "367d"] { #expect(MuteTerm(text) == nil) }
    }

    // MARK: Bursts

    @Test("records of one phone are counted within each window, exact to the nanosecond")
    func bursts() throws {
        var rules = Rules(
            try RuleSetTests.rules(
                ("burst = '2/10s'", "'no-history'", "continue = true"),
                ("burst = '3/1m'", "{ show = false }", "continue = true")))
        func verdict(_ nanoseconds: Int64) -> RuleVerdict {
            let recent = rules.receiveRecord(
                from: RuleSetTests.phone, at: MonotonicInstant(nanoseconds: nanoseconds))
            return rules.evaluate(RuleSetTests.subject(recent: recent), at: Self.noon).verdict
        }
        let second: Int64 = 1_000_000_000
        #expect(verdict(0).isRemembered)
        #expect(verdict(5 * second).isRemembered)
        // The first one came ten seconds ago less a nanosecond, then ten seconds ago.
        let third = verdict(10 * second - 1)
        #expect(!third.isRemembered)
        #expect(third.popup != nil)
        #expect(verdict(20 * second).isRemembered)
        #expect(verdict(20 * second).popup == nil)
        #expect(verdict(120 * second).rule == nil)
    }

    @Test("each phone is counted separately, and forgotten after a while")
    func phones() throws {
        var rules = Rules(try RuleSetTests.rules(("burst = '1/1h'", "'mute'", "")))
        let window = Duration.seconds(3600)
        for number in 0..<1000 {
            let phone = PhoneName(digest: "\(number)")
            let recent = rules.receiveRecord(from: phone, at: .zero + .seconds(number))
            #expect(recent[window] == 1)
        }
        let silent = rules.receiveRecord(
            from: PhoneName(digest: "0"), at: .zero + .seconds(1001))
        #expect(silent[window] == 1)
        let last = PhoneName(digest: "999")
        let again = rules.receiveRecord(from: last, at: .zero + .seconds(1002))
        #expect(again[window] == 2)
        rules.forget(last.digest)
        let forgotten = rules.receiveRecord(from: last, at: .zero + .seconds(1003))
        #expect(forgotten[window] == 1)
    }

    @Test("without a rule about bursts nothing is counted")
    func uncounted() {
        var rules = Rules()
        let recent = rules.receiveRecord(from: RuleSetTests.phone, at: .zero)
        #expect(recent == RecentRecords())
    }

    // MARK: Limits

    @Test("a pattern that hits its limits is reported once for each rule and configuration")
    func exhausted() throws {
        let set = try RuleSetTests.rules(("message = '(a+)+$'", "'mute'", ""))
        var rules = Rules(set)
        var subject = RuleSetTests.full
        subject.texts?.message = String(repeating: "a", count: 4096) + "!"
        for _ in 0..<3 { _ = rules.evaluate(subject, at: Self.noon) }
        #expect(rules.exhaustions == 3)
        let output = rules.pollOutput()
        #expect(output == .patternExhausted(rule: "a"))
        let next = rules.pollOutput()
        #expect(next == nil)
        rules.reconfigure(set)
        _ = rules.evaluate(subject, at: Self.noon)
        let again = rules.pollOutput()
        #expect(again == .patternExhausted(rule: "a"))
    }

    // MARK: The clock on the wall

    @Test("the next midnight is within a day, and at 00:00")
    func midnight() {
        let time = LocalTime(at: Self.noon)
        let end = LocalTime.midnight(after: Self.noon)
        #expect(end > Self.noon)
        #expect(end - Self.noon <= .seconds(25 * 3600))
        let next = LocalTime(at: end)
        #expect(next.minute == 0)
        #expect(next.weekday.previous == time.weekday)
    }
}
