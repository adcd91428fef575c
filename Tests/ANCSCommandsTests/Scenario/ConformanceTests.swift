import BluetoothLE
import Octets
import Testing

@testable import ANCS
@testable import ANCSCommands
@testable import ANCSKit

/// What the grader makes of what an accessory does.
@Suite struct ConformanceTests {
    static let watch = ScenarioBench.watch

    /// A graded run that goes on as long as the test wants, with three notifications.
    static func bench(_ before: String = "", _ after: String = "") throws -> ScenarioBench {
        try ScenarioBench(
            steps: "\(before)\(before.isEmpty ? "" : ",")"
                + #"{"expect":{"no":"pairing","for":60},"note":"the test happens","optional":true}"#
                + "\(after.isEmpty ? "" : ",")\(after)",
            head: #""grade":true,"notifications":[{"as":"a"},{"as":"b"},{"as":"c"}],"#)
    }

    /// The result for a rule once the run is over.
    static func verdict(
        _ rule: ConformanceRule, _ before: String = #"{"wait":"subscribed"}"#,
        _ story: (ScenarioBench) -> Void
    ) throws -> RuleVerdict.Result? {
        let bench = try bench(before)
        story(bench)
        bench.wait(.seconds(100))
        return bench.verdict(rule)
    }

    static func isFailed(_ result: RuleVerdict.Result?) -> Bool {
        if case .failed = result { true } else { false }
    }

    struct Octets: Sendable, CustomTestStringConvertible {
        var rule: ConformanceRule
        var octets: [UInt8]
        var evidence: String
        var testDescription: String { "\(rule.number) \(evidence)" }

        init(_ rule: ConformanceRule, _ octets: [UInt8], _ evidence: String) {
            self.rule = rule
            self.octets = octets
            self.evidence = evidence
        }
    }

    static let wrong: [Octets] = [
        .init(.usesKnownCommands, [], "an empty value was written, which is not a command"),
        .init(.usesKnownCommands, [3], "the command 3 is reserved; there are 0, 1 and 2"),
        .init(
            .sendsWholeNotificationCommands, [0, 1],
            "GetNotificationAttributes ends within the UID, after 2 octets"),
        .init(
            .givesMaximaWhereNeeded, [0, 0, 0, 0, 0, 3], "requested message without a maximum"),
        .init(
            .givesMaximaWhereNeeded, [0, 0, 0, 0, 0, 0, 0x40, 0],
            "appIdentifier is followed by what looks like a maximum, and takes none"),
        .init(.asksForKnownAttributes, [0, 0, 0, 0, 0, 8], "the attribute 8 is reserved"),
        .init(.asksForAttributes, [0, 0, 0, 0, 0], "requested no attribute"),
        .init(.asksForOctets, [0, 0, 0, 0, 0, 2, 0, 0], "requested at most 0 octets of subtitle"),
        .init(.sendsWholeAppCommands, [1, 0x61], "no NUL ends the app identifier"),
        .init(.sendsWholeAppCommands, [1, 0xFF, 0, 0], "the app identifier is not UTF-8"),
        .init(.asksForKnownAppAttributes, [1, 0x61, 0, 1], "the app attribute 1 is reserved"),
        .init(
            .sendsWholeActions, [2, 0, 0, 0, 0],
            "PerformNotificationAction has 5 octets instead of 6"),
        .init(
            .sendsWholeActions, [2, 0, 0, 0, 0, 0, 0],
            "PerformNotificationAction has 6 octets, and 1 more came"),
        .init(.performsKnownActions, [2, 0, 0, 0, 0, 2], "the action 2 is reserved"),
    ]

    @Test("octets that break a rule fail it, with what shows it", arguments: wrong)
    func octets(_ row: Octets) throws {
        let result = try Self.verdict(row.rule) { bench in
            bench.subscribe()
            bench.announce("a", uid: 0)
            bench.write(row.octets, outcome: .refused(.invalidCommand))
        }
        guard case .failed(let evidence) = result else {
            Issue.record("\(String(describing: result))")
            return
        }
        #expect(evidence.count == 1)
        #expect(evidence[0].contains(row.evidence))
    }

    @Test("an accessory that does everything right breaks no rule")
    func good() throws {
        let bench = try Self.bench(#"{"wait":"subscribed"}"#)
        bench.subscribe()
        bench.announce("a", uid: 0, flags: [.preExisting, .negativeAction])
        bench.write(ScenarioBench.fetch(0))
        bench.write([1, 0x61, 0, 0])
        bench.announce("a", uid: 0, .modified, flags: .negativeAction)
        bench.write(ScenarioBench.fetch(0))
        bench.announce("a", uid: 0, .removed)
        bench.wait(.seconds(100))
        let grades = try #require(bench.result?.grades.first)
        #expect(grades.failed.isEmpty)
        for rule: ConformanceRule in [
            .subscribesToServiceChanged, .subscribesDataSourceFirst, .writesWithResponse,
            .givesMaximaWhereNeeded, .fetchesOnce, .fetchesModifiedAgain, .asksForNamesOnce,
            .handlesIdentifierZero, .survivesExisting, .actsOnlyWhenAsked,
            .sendsOneCommandAtATime, .asksNothingAboutRemoved,
        ] {
            #expect(bench.verdict(rule) == .passed, "\(rule)")
        }
        #expect(bench.verdict(.performsKnownActions) == .notExercised)
        #expect(bench.verdict(.comesBackWithBond) == .notExercised)
    }

    @Test("the probe about the last UID is not a fault")
    func probe() throws {
        let result = try Self.verdict(.asksForAttributes) { bench in
            bench.subscribe()
            bench.write([0, 0xFF, 0xFF, 0xFF, 0xFF], outcome: .refused(.invalidParameter))
        }
        #expect(result == .passed)
    }

    struct Story: Sendable, CustomTestStringConvertible {
        var rule: ConformanceRule
        /// `nil` where the story says nothing about the rule.
        var isKept: Bool?
        var testDescription: String
        var before = #"{"wait":"subscribed"}"#
        var happen: @Sendable (ScenarioBench) -> Void

        init(
            _ rule: ConformanceRule, _ isKept: Bool?, _ text: String,
            before: String = #"{"wait":"subscribed"}"#,
            _ happen: @escaping @Sendable (ScenarioBench) -> Void
        ) {
            self.rule = rule
            self.isKept = isKept
            testDescription = text
            self.before = before
            self.happen = happen
        }
    }

    static let sessions: [Story] = [
        .init(.subscribesDataSourceFirst, false, "Notification Source first") { bench in
            bench.connect()
            bench.hear(.subscriptionChanged(watch, .notificationSource, true))
            bench.hear(.sessionStarted(watch))
            bench.hear(.subscriptionChanged(watch, .dataSource, true))
        },
        .init(.subscribesToServiceChanged, false, "no Service Changed") { bench in
            bench.connect()
            bench.hear(.subscriptionChanged(watch, .dataSource, true))
            bench.hear(.subscriptionChanged(watch, .notificationSource, true))
            bench.hear(.sessionStarted(watch))
        },
        .init(.writesWithResponse, false, "a Write Command") { bench in
            bench.subscribe()
            bench.hear(.commandWithoutResponse(watch, ScenarioBench.fetch(0)))
        },
        .init(.usesAnnouncedIdentifiers, false, "a UID of nowhere") { bench in
            bench.subscribe()
            bench.write(ScenarioBench.fetch(9), outcome: .refused(.invalidParameter))
        },
        .init(.forgetsEarlierSessions, false, "a UID of the session before") { bench in
            bench.subscribe()
            bench.announce("a", uid: 5)
            bench.hear(.sessionEnded(watch))
            bench.hear(.sessionStarted(watch))
            bench.write(ScenarioBench.fetch(5), outcome: .refused(.invalidParameter))
        },
        .init(.forgetsEarlierSessions, true, "the same number, announced again") { bench in
            bench.subscribe()
            bench.announce("a", uid: 5)
            bench.hear(.sessionEnded(watch))
            bench.hear(.sessionStarted(watch))
            bench.announce("b", uid: 5)
            bench.write(ScenarioBench.fetch(5))
        },
        .init(.asksNothingAboutRemoved, false, "a fetch after Removed") { bench in
            bench.subscribe()
            bench.announce("a", uid: 0)
            bench.announce("a", uid: 0, .removed)
            bench.wait(.seconds(3))
            bench.write(ScenarioBench.fetch(0), outcome: .refused(.invalidParameter))
        },
        .init(.asksNothingAboutRemoved, true, "a fetch that crosses Removed") { bench in
            bench.subscribe()
            bench.announce("a", uid: 0)
            bench.announce("a", uid: 0, .removed)
            bench.write(ScenarioBench.fetch(0), outcome: .refused(.invalidParameter))
        },
        .init(.asksNothingAboutRemoved, false, "what was answered, because it is gone") { bench in
            bench.subscribe()
            bench.announce("a", uid: 0)
            bench.write(ScenarioBench.fetch(0))
            bench.announce("a", uid: 0, .removed)
            bench.write(ScenarioBench.fetch(0), outcome: .refused(.invalidParameter))
        },
        .init(.asksNothingAboutRemoved, false, "a part of what was answered, because it is gone") {
            bench in
            bench.subscribe()
            bench.announce("a", uid: 0)
            bench.write([0, 0, 0, 0, 0, 1, 64, 0, 5])
            bench.announce("a", uid: 0, .removed)
            bench.write([0, 0, 0, 0, 0, 5], outcome: .refused(.invalidParameter))
        },
        .init(.asksNothingAboutRemoved, true, "another part than was answered crosses Removed") {
            bench in
            bench.subscribe()
            bench.announce("a", uid: 0)
            bench.write([0, 0, 0, 0, 0, 1, 64, 0])
            bench.announce("a", uid: 0, .removed)
            bench.write([0, 0, 0, 0, 0, 5], outcome: .refused(.invalidParameter))
        },
        .init(.asksNothingAboutRemoved, true, "what Modified has made new crosses Removed") {
            bench in
            bench.subscribe()
            bench.announce("a", uid: 0)
            bench.write(ScenarioBench.fetch(0))
            bench.announce("a", uid: 0, .modified)
            bench.announce("a", uid: 0, .removed)
            bench.write(ScenarioBench.fetch(0), outcome: .refused(.invalidParameter))
        },
        .init(.fetchesOnce, true, "what is removed is not unchanged") { bench in
            bench.subscribe()
            bench.announce("a", uid: 0)
            bench.write(ScenarioBench.fetch(0))
            bench.announce("a", uid: 0, .removed)
            bench.write(ScenarioBench.fetch(0), outcome: .refused(.invalidParameter))
        },
        .init(.asksNothingWithoutSession, false, "a command after unsubscribing") { bench in
            bench.subscribe()
            bench.announce("a", uid: 0)
            bench.hear(.subscriptionChanged(watch, .notificationSource, false))
            bench.hear(.sessionEnded(watch))
            bench.write(ScenarioBench.fetch(0), outcome: .refused(.invalidParameter))
        },
        .init(.asksOnlyWithDataSource, false, "no Data Source") { bench in
            bench.subscribe()
            bench.announce("a", uid: 0)
            bench.hear(.subscriptionChanged(watch, .dataSource, false))
            bench.write(ScenarioBench.fetch(0), outcome: .withheld)
        },
        .init(.comesBackWithBond, false, "a second pairing", before: returning) { bench in
            bench.subscribe()
            bench.hear(.disconnected(watch, .link(.connectionTimeout)))
            bench.subscribe()
        },
        .init(.comesBackWithBond, true, "the bond", before: returning) { bench in
            bench.subscribe()
            bench.hear(.disconnected(watch, .link(.connectionTimeout)))
            bench.connect()
            bench.hear(.bondRestored(watch))
        },
        .init(.comesBackWithBond, false, "no bonding, so no bond", before: returning) { bench in
            bench.subscribe(isBonded: false)
            bench.hear(.disconnected(watch, .link(.connectionTimeout)))
            bench.subscribe(isBonded: false)
        },
        .init(.followsService, false, "no session after it returned", before: vanishing) { bench in
            bench.subscribe()
            bench.hear(.sessionEnded(watch))
        },
        .init(.followsService, true, "a session after it returned", before: vanishing) { bench in
            bench.subscribe()
            bench.hear(.sessionEnded(watch))
            bench.hear(.sessionStarted(watch))
        },
    ]

    @Test("only an accessory that has bonded gets the hint that it has a bond")
    func unbonded() throws {
        func evidence(isBonded: Bool) throws -> [String] {
            let result = try Self.verdict(.comesBackWithBond, Self.returning) { bench in
                bench.subscribe(isBonded: isBonded)
                bench.hear(.disconnected(Self.watch, .link(.connectionTimeout)))
                bench.subscribe()
            }
            guard case .failed(let evidence) = result else { return [] }
            return evidence
        }
        #expect(
            try evidence(isBonded: true) == [
                "it paired again at 0.0 s, although the phone has kept its bond"
            ])
        #expect(
            try evidence(isBonded: false) == [
                "it paired again at 0.0 s: it had paired without bonding, so there were no keys to "
                    + "reconnect with"
            ])
    }

    static let returning = #"{"wait":"subscribed"},{"disconnect":true}"#
    static let vanishing =
        #"{"wait":"subscribed"},{"unpublish":true},{"wait":"sessionEnded"},{"publish":true}"#
    static func fault(_ fault: String) -> String {
        #"{"wait":"subscribed"},{"inject":{"fault":\#(fault)}}"#
    }

    static let fetches: [Story] = [
        .init(.fetchesOnce, false, "twice the same") { bench in
            bench.subscribe()
            bench.announce("a", uid: 0)
            bench.write(ScenarioBench.fetch(0))
            bench.write(ScenarioBench.fetch(0))
        },
        .init(.fetchesOnce, true, "again after a refusal") { bench in
            bench.subscribe()
            bench.announce("a", uid: 0)
            bench.write(ScenarioBench.fetch(0), outcome: .refused(.writeNotPermitted))
            bench.write(ScenarioBench.fetch(0))
        },
        .init(.fetchesOnce, true, "again, as Modified came before the answer") { bench in
            bench.subscribe()
            bench.announce("a", uid: 0)
            let fetch = bench.write(ScenarioBench.fetch(0), outcome: nil)
            bench.announce("a", uid: 0, .modified)
            bench.hear(.answered(watch, fetch, .sent(octets: 20)))
            bench.write(ScenarioBench.fetch(0))
        },
        .init(.fetchesOnce, true, "again, as the answer was a header") { bench in
            bench.subscribe()
            bench.announce("a", uid: 0)
            bench.write(ScenarioBench.fetch(0), outcome: .sent(octets: 5))
            bench.write(ScenarioBench.fetch(0))
        },
        .init(
            .acceptsAnyOrder, false, "twice, as the order was another",
            before: #"{"wait":"subscribed"},{"set":{"attributeOrder":"reversed"}}"#
        ) { bench in
            bench.subscribe()
            bench.announce("a", uid: 0)
            bench.write(ScenarioBench.fetch(0))
            bench.write(ScenarioBench.fetch(0))
        },
        .init(.asksForNamesOnce, false, "a name twice") { bench in
            bench.subscribe()
            bench.write([1, 0x61, 0, 0])
            bench.write([1, 0x61, 0, 0])
        },
        .init(.asksForNamesOnce, true, "again, as there was no name") { bench in
            bench.subscribe()
            bench.write([1, 0x61, 0, 0], outcome: .sent(octets: 3))
            bench.write([1, 0x61, 0, 0], outcome: .sent(octets: 3))
        },
        .init(.fetchesModifiedAgain, false, "Modified and nothing") { bench in
            bench.subscribe()
            bench.announce("a", uid: 0)
            bench.write(ScenarioBench.fetch(0))
            bench.announce("a", uid: 0, .modified)
        },
        .init(.handlesIdentifierZero, false, "all but UID 0") { bench in
            bench.subscribe()
            bench.announce("a", uid: 0)
            bench.announce("b", uid: 1)
            bench.write(ScenarioBench.fetch(1))
        },
        .init(.acceptsReservedFlags, false, "all but the one with bit 5") { bench in
            bench.subscribe()
            bench.announce("a", uid: 1, flags: .observedBit5)
            bench.announce("b", uid: 2)
            bench.write(ScenarioBench.fetch(2))
        },
        .init(.acceptsReservedCategories, false, "all but category 12") { bench in
            bench.subscribe()
            bench.announce("a", uid: 1, category: .activeCall)
            bench.announce("b", uid: 2)
            bench.write(ScenarioBench.fetch(2))
        },
        .init(.handlesLargeIdentifiers, false, "all but the large one") { bench in
            bench.subscribe()
            bench.announce("a", uid: 1 << 31)
            bench.announce("b", uid: 2)
            bench.write(ScenarioBench.fetch(2))
        },
        .init(.sendsOneCommandAtATime, false, "two commands at once") { bench in
            bench.subscribe()
            bench.announce("a", uid: 0)
            bench.write(ScenarioBench.fetch(0), outcome: nil)
            bench.write([1, 0x61, 0, 0])
        },
        .init(.sendsOneCommandAtATime, true, "one that was given up") { bench in
            bench.subscribe()
            bench.announce("a", uid: 0)
            bench.write(ScenarioBench.fetch(0), outcome: nil)
            bench.wait(.seconds(10))
            bench.write([1, 0x61, 0, 0])
        },
        .init(.actsOnlyWithFlag, false, "an action that is not there") { bench in
            bench.subscribe()
            bench.announce("a", uid: 0, flags: .positiveAction)
            bench.write([2, 0, 0, 0, 0, 1], outcome: .refused(.actionFailed))
        },
        .init(.actsOnlyWhenAsked, false, "an action that nobody asked for") { bench in
            bench.subscribe()
            bench.announce("a", uid: 0, flags: .positiveAction)
            bench.write([2, 0, 0, 0, 0, 0], outcome: .performed)
        },
    ]

    /// Accessories that fetch some notifications, by kinds that have nothing to do with the rule.
    static let choices: [Story] = [
        .init(.handlesIdentifierZero, nil, "what was there before is left alone") { bench in
            bench.subscribe()
            bench.announce("a", uid: 0, flags: .preExisting)
            bench.announce("b", uid: 1)
            bench.write(ScenarioBench.fetch(1))
        },
        .init(.handlesIdentifierZero, false, "all that was there before but UID 0") { bench in
            bench.subscribe()
            bench.announce("a", uid: 0, flags: .preExisting)
            bench.announce("b", uid: 1, flags: .preExisting)
            bench.write(ScenarioBench.fetch(1))
        },
        .init(.handlesIdentifierZero, nil, "a category that is left alone") { bench in
            bench.subscribe()
            bench.announce("a", uid: 0, category: .email)
            bench.announce("b", uid: 1)
            bench.announce("c", uid: 2, category: .email)
            bench.write(ScenarioBench.fetch(1))
        },
        .init(.handlesIdentifierZero, nil, "what is silent is left alone") { bench in
            bench.subscribe()
            bench.announce("a", uid: 0, flags: .silent)
            bench.announce("b", uid: 1)
            bench.write(ScenarioBench.fetch(1))
        },
        .init(.acceptsReservedFlags, nil, "what is not important is left alone") { bench in
            bench.subscribe()
            bench.announce("a", uid: 1, flags: EventFlags(rawValue: 1 << 5))
            bench.announce("b", uid: 2, flags: .important)
            bench.write(ScenarioBench.fetch(2))
        },
        .init(.acceptsReservedCategories, nil, "only one category of two is fetched") { bench in
            bench.subscribe()
            bench.announce("a", uid: 1, category: .activeCall)
            bench.announce("b", uid: 2)
            bench.announce("c", uid: 3, category: .incomingCall)
            bench.write(ScenarioBench.fetch(2))
        },
        .init(.acceptsReservedCategories, nil, "what was there before is left alone") { bench in
            bench.subscribe()
            bench.announce("a", uid: 1, flags: .preExisting, category: .activeCall)
            bench.announce("b", uid: 2)
            bench.write(ScenarioBench.fetch(2))
        },
        .init(.handlesLargeIdentifiers, false, "a session of large ones amid others") { bench in
            bench.subscribe()
            bench.announce("a", uid: 1)
            bench.write(ScenarioBench.fetch(1))
            bench.hear(.sessionEnded(watch))
            bench.hear(.sessionStarted(watch))
            bench.announce("b", uid: 1 << 31)
            bench.wait(.seconds(6))
            bench.hear(.sessionEnded(watch))
            bench.hear(.sessionStarted(watch))
            bench.announce("c", uid: 1)
            bench.write(ScenarioBench.fetch(1))
        },
        .init(.handlesLargeIdentifiers, nil, "an accessory that fetches nothing more") { bench in
            bench.subscribe()
            bench.announce("a", uid: 1)
            bench.write(ScenarioBench.fetch(1))
            bench.hear(.sessionEnded(watch))
            bench.hear(.sessionStarted(watch))
            bench.announce("b", uid: 1 << 31)
        },
        .init(
            .handlesLargeIdentifiers, nil, "announced where commands are refused",
            before: #"{"wait":"subscribed"},{"consent":false}"#
        ) { bench in
            bench.subscribe()
            bench.announce("a", uid: 1 << 31)
            bench.announce("b", uid: 2)
            bench.write(ScenarioBench.fetch(2), outcome: .refused(.writeNotPermitted))
        },
        .init(.goesOnAfterRefusal, nil, "nothing but a Removed after 0xA2") { bench in
            bench.subscribe()
            bench.announce("a", uid: 0)
            bench.write(ScenarioBench.fetch(0), outcome: .refused(.invalidParameter))
            bench.announce("a", uid: 0, .removed)
        },
        .init(.goesOnAfterRefusal, nil, "nothing but what was there before after 0xA2") { bench in
            bench.subscribe()
            bench.announce("a", uid: 1)
            bench.write(ScenarioBench.fetch(1), outcome: .refused(.invalidParameter))
            bench.announce("b", uid: 2, flags: .preExisting)
        },
        .init(.goesOnAfterRefusal, nil, "0xA2, and the end a second after more work") { bench in
            bench.subscribe()
            bench.announce("a", uid: 1)
            bench.write(ScenarioBench.fetch(1), outcome: .refused(.invalidParameter))
            bench.wait(.seconds(20))
            bench.announce("b", uid: 2)
            bench.wait(.seconds(1))
            bench.interrupt()
        },
    ]

    static let troubles: [Story] = [
        .init(.goesOnAfterLostAnswer, false, "nothing follows", before: fault(#""lost""#)) {
            bench in
            bench.subscribe()
            bench.announce("a", uid: 0)
            bench.write(ScenarioBench.fetch(0), outcome: .withheld)
            bench.announce("b", uid: 1)
        },
        .init(.goesOnAfterLostAnswer, true, "the next one follows", before: fault(#""lost""#)) {
            bench in
            bench.subscribe()
            bench.announce("a", uid: 0)
            bench.write(ScenarioBench.fetch(0), outcome: .withheld)
            bench.announce("b", uid: 1)
            bench.wait(.seconds(10))
            bench.write(ScenarioBench.fetch(1))
        },
        .init(
            .goesOnAfterLateAnswer, false, "gone after a late answer",
            before: fault(#""late","by":12"#)
        ) { bench in
            bench.subscribe()
            bench.announce("a", uid: 0)
            bench.write(ScenarioBench.fetch(0))
            bench.wait(.seconds(1))
            bench.hear(.disconnected(watch, .link(.connectionTimeout)))
        },
        .init(.goesOnAfterRefusal, false, "gone after 0xA2") { bench in
            bench.subscribe()
            bench.announce("a", uid: 0)
            bench.write(ScenarioBench.fetch(0), outcome: .refused(.invalidParameter))
            bench.wait(.seconds(1))
            bench.hear(.disconnected(watch, .link(.connectionTimeout)))
        },
        .init(.goesOnWithoutName, false, "hangs after a header without attributes") { bench in
            bench.subscribe()
            bench.write([1, 0x61, 0, 0], outcome: .sent(octets: 3))
            bench.announce("a", uid: 0)
        },
        .init(.survivesExisting, false, "gone in the burst") { bench in
            bench.subscribe()
            bench.announce("a", uid: 0, flags: .preExisting)
            bench.wait(.seconds(1))
            bench.hear(.disconnected(watch, .link(.connectionTimeout)))
        },
        .init(.waitsForConsent, false, "eleven commands in a second") { bench in
            bench.subscribe()
            bench.announce("a", uid: 0)
            for _ in 0..<11 {
                bench.write(ScenarioBench.fetch(0), outcome: .refused(.writeNotPermitted))
            }
        },
        .init(.waitsForConsent, true, "a command each five seconds") { bench in
            bench.subscribe()
            bench.announce("a", uid: 0)
            for _ in 0..<11 {
                bench.write(ScenarioBench.fetch(0), outcome: .refused(.writeNotPermitted))
                bench.wait(.seconds(5))
            }
        },
    ]

    @Test("what happens is judged", arguments: sessions + fetches + choices + troubles)
    func judged(_ story: Story) throws {
        let result = try Self.verdict(story.rule, story.before, story.happen)
        switch story.isKept {
        case true?: #expect(result == .passed)
        case false?: #expect(Self.isFailed(result), "\(String(describing: result))")
        case nil: #expect(result == .notExercised)
        }
    }

    @Test("an accessory that never asks again after consent gets a hint")
    func consent() throws {
        let steps =
            #"{"wait":"subscribed"},{"expect":{"command":"any"}},{"consent":true}"#
        func run(returns: Bool) throws -> RuleVerdict.Result? {
            try Self.verdict(.returnsAfterConsent, steps) { bench in
                bench.subscribe()
                bench.announce("a", uid: 0)
                let command = ControlPointCommand.getAppAttributes(
                    GetAppAttributes(
                        decoded: AppIdentifier(received: [0x61]), attributes: [.displayName]))
                // The refusal comes before the command is counted, and consent follows it.
                bench.hear(
                    .answered(Self.watch, .decoded(command), .refused(.writeNotPermitted)))
                bench.write(ScenarioBench.fetch(0), outcome: nil)
                bench.wait(.seconds(6))
                if returns { bench.write(ScenarioBench.fetch(0)) }
            }
        }
        #expect(try run(returns: true) == .passed)
        #expect(Self.isFailed(try run(returns: false)))
    }

    @Test("evidence does not grow without bound")
    func bounded() throws {
        let result = try Self.verdict(.usesKnownCommands) { bench in
            bench.subscribe()
            for _ in 0..<1_000 { bench.write([9], outcome: .refused(.unknownCommand)) }
        }
        guard case .failed(let evidence) = result else {
            Issue.record("\(String(describing: result))")
            return
        }
        #expect(evidence.count == 6)
        #expect(evidence.last == "and 995 times more")
    }
}
