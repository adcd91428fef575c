import BluetoothTypes
import Testing

@testable import ANCS
@testable import ANCSEvents
@testable import ANCSKit
@testable import AccessoryConformance

/// What the grader makes of what an accessory does.
@Suite struct ConformanceTests {
    static let watch = ScenarioBench.watch

    /// A graded run that goes on as long as the test wants, with three notifications.
    static func bench(
        _ before: String = "", _ after: String = "", witness: AnswerWitness? = nil
    ) throws -> ScenarioBench {
        try ScenarioBench(
            steps: "\(before)\(before.isEmpty ? "" : ",")"
                + #"{"expect":{"no":"pairing","for":60},"note":"the test happens","optional":true}"#
                + "\(after.isEmpty ? "" : ",")\(after)",
            head: #""grade":true,"notifications":[{"as":"a"},{"as":"b"},{"as":"c"}],"#,
            witness: witness)
    }

    /// The result for a requirement once the run is over.
    static func verdict(
        _ requirement: Requirement, _ before: String = #"{"wait":"subscribed"}"#,
        _ story: (ScenarioBench) -> Void
    ) throws -> RequirementVerdict? {
        let bench = try bench(before)
        story(bench)
        bench.wait(.seconds(100))
        return bench.verdict(requirement)
    }

    static func isFailed(_ result: RequirementVerdict?) -> Bool {
        result?.standing == .broken
    }

    @Test("an identifier that is the beginning of an app's is cut, and any other may be unknown")
    func cutIdentifiers() throws {
        func verdict(_ identifier: String) throws -> RequirementVerdict? {
            try Self.verdict(.sendsWholeAppCommands) { bench in
                bench.subscribe()
                bench.write(
                    [1] + Array(identifier.utf8) + [0, 0],
                    outcome: .sent(octets: identifier.utf8.count + 2))
            }
        }
        let cut = try verdict("com.apple.mobilema")
        #expect(cut?.standing == .broken)
        #expect(
            cut?.evidence.first?.message
                == "it asked for com.apple.mobilema, which is no app of the phone, but the beginning "
                + "of com.apple.mobilemail (at 0.0 s)")
        #expect(try verdict("com.apple.mobilemail")?.standing == .kept)
        #expect(try verdict("org.example.other")?.standing == .kept)
    }

    struct Octets: Sendable, CustomTestStringConvertible {
        var requirement: Requirement
        var octets: [UInt8]
        var evidence: String
        var testDescription: String { "\(requirement.number) \(evidence)" }

        init(_ requirement: Requirement, _ octets: [UInt8], _ evidence: String) {
            self.requirement = requirement
            self.octets = octets
            self.evidence = evidence
        }
    }

    static let wrong: [Octets] = [
        .init(.usesKnownCommands, [], "an empty value was written, which is not a command"),
        .init(.usesKnownCommands, [3], "the command 3 is reserved; the commands are 0, 1 and 2"),
        .init(
            .sendsWholeNotificationCommands, [0, 1],
            "GetNotificationAttributes ends within the UID, after 2 octets"),
        .init(
            .givesMaximaWhereNeeded, [0, 0, 0, 0, 0, 3], "requested message without a maximum"),
        .init(
            .givesMaximaWhereNeeded, [0, 0, 0, 0, 0, 0, 1, 2, 3, 5, 6, 7],
            "requested title without a maximum"),
        .init(
            .givesMaximaWhereNeeded, [0, 0, 0, 0, 0, 0, 0x40, 0],
            "appIdentifier is followed by what looks like a maximum, but takes none"),
        .init(
            .keepsOctetOrder,
            [0, 0, 0, 0, 0, 0, 1, 0, 0x40, 2, 0, 0x20, 3, 1, 0x2C, 5],
            "11265 octets of message, looks byte-swapped: 0x012C = 300"),
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
            "PerformNotificationAction has 6 octets, and 1 more followed"),
        .init(.performsKnownActions, [2, 0, 0, 0, 0, 2], "the action 2 is reserved"),
    ]

    @Test("octets that violate a requirement fail it, with evidence", arguments: wrong)
    func octets(_ row: Octets) throws {
        let result = try Self.verdict(row.requirement) { bench in
            bench.subscribe()
            bench.announce("a", uid: 0)
            bench.write(row.octets, outcome: .refused(.invalidCommand))
        }
        guard let evidence = result?.evidence, !evidence.isEmpty else {
            Issue.record("\(String(describing: result))")
            return
        }
        #expect(evidence.count == 1)
        #expect(evidence[0].message.contains(row.evidence))
        #expect(!evidence[0].message.contains("()"))
    }

    @Test("an accessory that does everything right breaks no requirement")
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
        for requirement: Requirement in [
            .subscribesToServiceChanged, .subscribesDataSourceFirst, .writesWithResponse,
            .givesMaximaWhereNeeded, .fetchesOnce, .fetchesModifiedAgain, .asksForNamesOnce,
            .handlesIdentifierZero, .survivesExisting, .actsOnlyWhenAsked,
            .asksNothingAboutRemoved, .keepsOctetOrder,
        ] {
            #expect(bench.verdict(requirement)?.standing == .kept, "\(requirement)")
        }
        #expect(bench.verdict(.performsKnownActions)?.standing == .untested)
        #expect(bench.verdict(.comesBackWithBond)?.standing == .untested)
    }

    @Test("the probe about the last UID is not a fault")
    func probe() throws {
        let result = try Self.verdict(.asksForAttributes) { bench in
            bench.subscribe()
            bench.write([0, 0xFF, 0xFF, 0xFF, 0xFF], outcome: .refused(.invalidParameter))
        }
        #expect(result?.standing == .kept)
    }

    @Test("only an accessory that has bonded gets the hint that it has a bond")
    func unbonded() throws {
        func evidence(isBonded: Bool) throws -> [String] {
            let result = try Self.verdict(.comesBackWithBond, Self.returning) { bench in
                bench.subscribe(isBonded: isBonded)
                bench.hear(.peer(Self.watch, .disconnected(.link(.connectionTimeout))))
                bench.subscribe()
            }
            guard let evidence = result?.evidence, !evidence.isEmpty else { return [] }
            return evidence.map(\.message)
        }
        #expect(
            try evidence(isBonded: true) == [
                "it paired again, although the phone has kept its bond (at 0.0 s)"
            ])
        #expect(
            try evidence(isBonded: false) == [
                "it paired again: it had paired without bonding, so there were no keys to reconnect "
                    + "with (at 0.0 s)"
            ])
    }

    @Test("events are judged", arguments: sessions + fetches + choices + troubles)
    func judged(_ story: Story) throws {
        let result = try Self.verdict(story.requirement, story.before, story.happen)
        switch story.isKept {
        case true?: #expect(result?.standing == .kept)
        case false?: #expect(Self.isFailed(result), "\(String(describing: result))")
        case nil: #expect(result?.standing == .untested)
        }
    }

    @Test("an accessory that never asks again after consent gets a hint")
    func consent() throws {
        let steps =
            #"{"wait":"subscribed"},{"expect":{"command":"any"}},{"consent":true}"#
        func run(returns: Bool) throws -> RequirementVerdict? {
            try Self.verdict(.returnsAfterConsent, steps) { bench in
                bench.subscribe()
                bench.announce("a", uid: 0)
                let command = ControlPointCommand.getAppAttributes(
                    GetAppAttributes(
                        decoded: AppIdentifier(received: [0x61]), attributes: [.displayName]))
                // The refusal comes before the command is counted, and consent follows it.
                bench.hear(
                    .session(Self.watch, .answered(.decoded(command), .refused(.writeNotPermitted)))
                )
                bench.write(ScenarioBench.fetch(0), outcome: nil)
                bench.wait(.seconds(6))
                if returns { bench.write(ScenarioBench.fetch(0)) }
            }
        }
        #expect(try run(returns: true)?.standing == .kept)
        #expect(Self.isFailed(try run(returns: false)))
    }

    @Test("evidence does not grow without bound")
    func bounded() throws {
        let result = try Self.verdict(.usesKnownCommands) { bench in
            bench.subscribe()
            for number in 0..<UInt8(200) {
                for _ in 0..<5 { bench.write([number + 9], outcome: .refused(.unknownCommand)) }
            }
        }
        guard let evidence = result?.evidence, !evidence.isEmpty else {
            Issue.record("\(String(describing: result))")
            return
        }
        #expect(evidence.count == 6)
        #expect(evidence.first?.message.hasSuffix("(09) (5 times, first at 0.0 s)") == true)
        #expect(evidence.last?.message == "and 975 times more")
    }
}
