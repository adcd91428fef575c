import Testing

@testable import ANCSCommands
@testable import ANCSKit
@testable import AccessoryConformance

/// What the grade says of an accessory that uses the media of a phone: it passes only what was seen.
@Suite struct MediaGradingTests {
    private static let watch = ScenarioBench.watch

    private static func bench(_ steps: String = "") throws -> ScenarioBench {
        let bench = try ScenarioBench(
            steps:
                #"{"player":{"name":"Music"}},\#(steps)\#(steps.isEmpty ? "" : ","){"pause":9000}"#,
            head: #""grade":true,"timeout":9900,"#)
        bench.subscribe()
        return bench
    }

    private static func hear(_ bench: ScenarioBench, _ events: MediaSourceEvent...) {
        for event in events { bench.hear(.session(watch, .media(event))) }
    }

    private static let all = EntityUpdateRegistration(.track, .all)
    private static let player = EntityUpdateRegistration(.player, .all)

    /// An accessory that subscribes and registers.
    private static func begin(_ bench: ScenarioBench) {
        hear(
            bench, .subscriptionChanged(.remoteCommand, true),
            .offered(RemoteCommandSet([.play, .pause, .nextTrack])),
            .subscriptionChanged(.entityUpdate, true), .registered(player, nil),
            .registered(all, nil))
    }

    private static func update(
        _ attribute: MediaAttribute, _ text: String, isTruncated: Bool = false
    ) -> MediaSourceEvent {
        .updated(EntityUpdate(attribute, Array(text.utf8), isTruncated: isTruncated))
    }

    private static func standing(
        _ bench: ScenarioBench, _ requirement: Requirement
    ) -> RequirementVerdict.Standing? {
        bench.verdict(requirement)?.standing
    }

    @Test("an accessory that uses no media has no line about them, and one that does has each")
    func lines() throws {
        let bench = try Self.bench()
        bench.interrupt()
        #expect(Self.standing(bench, .followsMedia) == nil)
        #expect(Self.standing(bench, .writesWithResponse) == .untested)
        let other = try Self.bench()
        Self.begin(other)
        other.interrupt()
        for requirement in Requirement.allCases where requirement.isOfMedia {
            let seen: [Requirement] = [
                .registersAfterSubscribing, .asksForKnownMedia, .sendsWholeMediaWrites,
            ]
            #expect(
                Self.standing(other, requirement)
                    == (seen.contains(requirement) ? .kept : .untested),
                "\(requirement)")
        }
    }

    @Test("what is malformed, reserved or too early is broken")
    func writes() throws {
        let bench = try Self.bench()
        Self.hear(
            bench, .registered(Self.all, .invalidState),
            .registered(
                try EntityUpdateRegistration(decoding: [0, 9].span), .invalidCommand),
            .malformed([0]), .commanded(RemoteCommandID(rawValue: 14), .invalidCommand),
            .commanded(.play, nil))
        bench.interrupt()
        for requirement: Requirement in [
            .registersAfterSubscribing, .asksForKnownMedia, .sendsWholeMediaWrites,
            .sendsKnownMediaCommands, .sendsSupportedCommands,
        ] { #expect(Self.standing(bench, requirement) == .broken, "\(requirement)") }
    }

    @Test("a list of commands that is taken as an addition is named")
    func cumulative() throws {
        let bench = try Self.bench()
        Self.begin(bench)
        Self.hear(
            bench, .commanded(.nextTrack, nil), .offered(RemoteCommandSet([.play, .pause])))
        bench.wait(.seconds(1))
        Self.hear(bench, .commanded(.nextTrack, .invalidCommand))
        bench.wait(.seconds(5))
        Self.hear(bench, .commanded(.nextTrack, .invalidCommand))
        bench.interrupt()
        let verdict = try #require(bench.verdict(.replacesCommands))
        #expect(verdict.standing == .broken)
        #expect(verdict.evidence.first?.message.contains("nextTrack arrived") == true)
        #expect(Self.standing(bench, .sendsSupportedCommands) == .broken)

        let good = try Self.bench()
        Self.begin(good)
        Self.hear(
            good, .commanded(.nextTrack, nil), .offered(RemoteCommandSet([.play, .pause])))
        good.wait(.seconds(5))
        Self.hear(good, .commanded(.pause, nil))
        good.interrupt()
        #expect(Self.standing(good, .replacesCommands) == .kept)
        #expect(Self.standing(good, .sendsSupportedCommands) == .kept)
    }

    @Test("a command that crosses the new list counts for nothing")
    func crossing() throws {
        let bench = try Self.bench()
        Self.begin(bench)
        Self.hear(bench, .offered(RemoteCommandSet([.play])))
        bench.wait(.seconds(1))
        Self.hear(bench, .commanded(.nextTrack, .invalidCommand))
        bench.interrupt()
        #expect(Self.standing(bench, .replacesCommands) == .untested)
        #expect(Self.standing(bench, .sendsSupportedCommands) == .untested)
    }

    @Test("truncated values are read whole, in part, or not at all")
    func truncated() throws {
        let good = try Self.bench()
        Self.begin(good)
        Self.hear(
            good, Self.update(.title, "T", isTruncated: true), .asked(.title, nil),
            .read(.title, 0..<22, of: 30), .read(.title, 22..<30, of: 30))
        good.wait(.seconds(10))
        good.interrupt()
        #expect(Self.standing(good, .readsTruncatedValues) == .kept)
        let part = try Self.bench()
        Self.begin(part)
        Self.hear(
            part, Self.update(.title, "T", isTruncated: true), .asked(.title, nil),
            .read(.title, 0..<22, of: 30))
        part.wait(.seconds(10))
        part.interrupt()
        let verdict = try #require(part.verdict(.readsTruncatedValues))
        #expect(verdict.standing == .broken)
        #expect(verdict.evidence.first?.message.contains("22 octets") == true)
        let none = try Self.bench()
        Self.begin(none)
        Self.hear(none, Self.update(.title, "T", isTruncated: true))
        none.wait(.seconds(10))
        none.interrupt()
        #expect(Self.standing(none, .readsTruncatedValues) == .broken)
        // Replaced before there was time.
        let brief = try Self.bench()
        Self.begin(brief)
        Self.hear(brief, Self.update(.title, "T", isTruncated: true))
        brief.wait(.seconds(1))
        Self.hear(brief, Self.update(.title, "T"))
        brief.wait(.seconds(10))
        brief.interrupt()
        #expect(Self.standing(brief, .readsTruncatedValues) == .untested)
    }

    @Test("two tasks that read at once are named; one value after the other is not")
    func twoTasks() throws {
        let bench = try Self.bench()
        Self.begin(bench)
        Self.hear(
            bench, .asked(.artist, nil), .asked(.title, nil), .read(.title, 0..<30, of: 30),
            .read(.title, 0..<30, of: 30))
        bench.interrupt()
        let verdict = try #require(bench.verdict(.readsOneValueAtATime))
        #expect(verdict.standing == .broken)
        #expect(
            verdict.evidence.first?.message.hasPrefix("it chose artist, then title, and read twice")
                == true)
        let good = try Self.bench()
        Self.begin(good)
        Self.hear(
            good, .asked(.artist, nil), .read(.artist, 0..<22, of: 30),
            .read(.artist, 22..<30, of: 30), .asked(.title, nil), .read(.title, 0..<5, of: 5))
        good.interrupt()
        #expect(Self.standing(good, .readsOneValueAtATime) == .kept)
        // What it chose and did not read may have been replaced meanwhile.
        let skipped = try Self.bench()
        Self.begin(skipped)
        Self.hear(
            skipped, .asked(.artist, nil), .asked(.title, nil), .read(.title, 0..<5, of: 5))
        skipped.interrupt()
        #expect(Self.standing(skipped, .readsOneValueAtATime) == .untested)
    }

    @Test("the position is polled, or computed")
    func position() throws {
        let good = try Self.bench()
        Self.begin(good)
        Self.hear(good, Self.update(.playbackInfo, "1,1.000,0.000"))
        good.wait(.seconds(11))
        good.interrupt()
        #expect(Self.standing(good, .computesPosition) == .kept)
        let bad = try Self.bench()
        Self.begin(bad)
        for _ in 0..<4 {
            Self.hear(bad, .asked(.playbackInfo, nil), .read(.playbackInfo, 0..<5, of: 5))
            bad.wait(.seconds(1))
        }
        bad.interrupt()
        #expect(Self.standing(bad, .computesPosition) == .broken)
        let paused = try Self.bench()
        Self.begin(paused)
        Self.hear(paused, Self.update(.playbackInfo, "0,0.000,0.000"))
        paused.wait(.seconds(60))
        paused.interrupt()
        #expect(Self.standing(paused, .computesPosition) == .untested)
    }

    @Test("an accessory that comes back is seen to, and one that does not too")
    func returning() throws {
        let steps = #"{"pause":10},{"media":false},{"pause":1},{"media":true}"#
        for isGood in [true, false] {
            let bench = try Self.bench(steps)
            Self.begin(bench)
            bench.wait(.seconds(10))
            Self.hear(
                bench, .subscriptionChanged(.remoteCommand, false),
                .subscriptionChanged(.entityUpdate, false))
            bench.wait(.seconds(3))
            if isGood { Self.begin(bench) }
            bench.wait(.seconds(10))
            bench.interrupt()
            #expect(Self.standing(bench, .followsMedia) == (isGood ? .kept : .broken))
        }
    }

    @Test(
        "an accessory that leaves after a quirk did not survive it; one that goes on did; of one that is silent, nothing is said",
        arguments: [
            (
                #"{"set":{"mediaQuirks":["decimalComma"]}}"#, [update(.volume, "0,5")],
                Requirement.survivesDecimalComma
            ),
            (
                #"{"set":{"mediaQuirks":["cutCharacters"]}}"#,
                [.updated(EntityUpdate(.title, [0x41, 0xC3], isTruncated: true))],
                .survivesCutCharacters
            ),
            (
                #"{"set":{"mediaQuirks":["silentTracks"]}}"#, [update(.title, "T")],
                .survivesOddMedia
            ),
            (
                #"{"inject":{"fault":"positionJumps","back":5}}"#,
                [update(.playbackInfo, "1,1.000,0.000")], .survivesOddMedia
            ),
            (
                #"{"inject":{"fault":"mediaBurst"}}"#,
                [.registered(all, nil)]
                    + [MediaSourceEvent](repeating: update(.title, "T"), count: 21),
                .survivesMediaBurst
            ),
            (
                #"{"set":{"mediaQuirks":["staleCommands"]}}"#,
                [.commanded(.pause, .invalidCommand)], .goesOnWithOldCommands
            ),
            (
                #"{"inject":{"fault":"mediaVanishes"}}"#,
                [.asked(.title, nil), .subscriptionChanged(.entityUpdate, false)],
                .goesOnAfterMediaVanished
            ),
        ])
    func quirks(step: String, seen: [MediaSourceEvent], requirement: Requirement) throws {
        for end in ["leaves", "goes on", "is silent"] {
            let bench = try Self.bench(#"{"wait":"subscribed"},{"pause":1},\#(step)"#)
            Self.begin(bench)
            bench.wait(.seconds(2))
            for event in seen { Self.hear(bench, event) }
            bench.wait(.seconds(1))
            switch end {
            case "leaves": bench.hear(.peer(Self.watch, .disconnected(.link(.connectionTimeout))))
            case "goes on": Self.hear(bench, .registered(Self.all, nil))
            default: break
            }
            bench.wait(.seconds(8))
            bench.interrupt()
            let expected: RequirementVerdict.Standing =
                end == "leaves" ? .broken : end == "goes on" ? .kept : .untested
            #expect(Self.standing(bench, requirement) == expected, "\(step): it \(end)")
        }
    }

    @Test("what the phone takes away in the middle of a read was not read whole through no fault")
    func vanishing() throws {
        let bench = try Self.bench(
            #"{"wait":"subscribed"},{"pause":1},{"inject":{"fault":"mediaVanishes"}}"#)
        Self.begin(bench)
        bench.wait(.seconds(2))
        let cut = EntityUpdate(.title, Array("Note".utf8), isTruncated: true)
        for event: MediaSourceEvent in [
            .updated(cut), .asked(.title, nil), .read(.title, 0..<20, of: 60),
            .subscriptionChanged(.entityUpdate, false),
        ] {
            Self.hear(bench, event)
        }
        bench.wait(.seconds(8))
        Self.hear(bench, .registered(Self.all, nil))
        bench.interrupt()
        #expect(Self.standing(bench, .readsTruncatedValues) == .untested)
        #expect(Self.standing(bench, .goesOnAfterMediaVanished) == .kept)
    }

    @Test("after a registration that lost the link, less is asked for, or the same again")
    func less() throws {
        for isGood in [true, false] {
            let bench = try Self.bench(
                #"{"wait":"subscribed"},{"pause":1},{"inject":{"fault":"mediaLinkLoss"}}"#)
            bench.wait(.seconds(2))
            Self.hear(
                bench, .subscriptionChanged(.entityUpdate, true), .registered(Self.player, nil))
            bench.hear(.peer(Self.watch, .disconnected(.left)))
            bench.subscribe()
            let less = EntityUpdateRegistration(.player, [.init(.playbackInfo)])
            Self.hear(
                bench, .subscriptionChanged(.entityUpdate, true),
                .registered(isGood ? less : Self.player, nil))
            bench.interrupt()
            #expect(Self.standing(bench, .asksForLessMedia) == (isGood ? .kept : .broken))
        }
    }

    @Test("a step about media is fulfilled by what it says, and by nothing else")
    func expectations() throws {
        let bench = try ScenarioBench(
            steps: #"{"wait":"connected"},{"expect":{"subscribed":"remoteCommand"}},"#
                + #"{"expect":{"registered":"title"}},{"expect":{"read":"title"}},"#
                + #"{"expect":{"media":"nextTrack"}},{"expect":{"media":"any"}},"#
                + #"{"expect":{"no":"mediaRead","for":5}},{"expect":{"no":"mediaCommand","for":5}}"#
        )
        bench.subscribe()
        #expect(bench.marks == "✓")
        Self.hear(bench, .subscriptionChanged(.remoteCommand, true))
        #expect(bench.marks == "✓✓")
        Self.hear(
            bench, .subscriptionChanged(.entityUpdate, true), .registered(Self.player, nil),
            .registered(Self.all, .invalidState))
        #expect(bench.marks == "✓✓")
        Self.hear(bench, .registered(Self.all, nil))
        #expect(bench.marks == "✓✓✓")
        Self.hear(bench, .read(.title, 0..<22, of: 30), .read(.artist, 0..<5, of: 5))
        #expect(bench.marks == "✓✓✓")
        Self.hear(bench, .read(.title, 22..<30, of: 30))
        #expect(bench.marks == "✓✓✓✓")
        Self.hear(bench, .commanded(.play, nil))
        #expect(bench.marks == "✓✓✓✓")
        Self.hear(bench, .commanded(.nextTrack, .invalidCommand))
        #expect(bench.marks == "✓✓✓✓✓✓")
        bench.wait(.seconds(6))
        #expect(bench.marks == "✓✓✓✓✓✓✓")
        Self.hear(bench, .commanded(.play, nil))
        #expect(bench.marks == "✓✓✓✓✓✓✓✗")
    }
}
