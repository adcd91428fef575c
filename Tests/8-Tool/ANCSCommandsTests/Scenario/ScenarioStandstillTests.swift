import BluetoothTypes
import Testing

@testable import ANCS
@testable import ANCSEvents
@testable import ANCSKit
@testable import AccessoryConformance

/// What a graded run does about an accessory that has stopped.
@Suite struct ScenarioStandstillTests {
    private static let watch = ScenarioBench.watch

    private static func expect(_ name: String, within: Int, isOptional: Bool = true) -> String {
        #"{"post":{"as":"\#(name)"}},{"expect":{"command":"getNotificationAttributes","of":"\#(name)"},"#
            + #""within":\#(within),"optional":\#(isOptional)}"#
    }

    /// A run whose accessory has got no answer about *lost*, and then waits for it.
    private static func stopped(
        _ rest: String, grade: String = "true", isOptional: Bool = true
    ) throws -> ScenarioBench {
        let bench = try ScenarioBench(
            steps: #"{"wait":"subscribed"},"# + expect("lost", within: 10) + ","
                + expect("after", within: 35, isOptional: isOptional) + "," + rest,
            head: #""grade":\#(grade),"#)
        bench.subscribe()
        bench.announce("lost", uid: 0)
        bench.write(ScenarioBench.fetch(0), outcome: .withheld)
        bench.announce("after", uid: 1)
        bench.wait(.seconds(35) - .nanoseconds(1))
        #expect(bench.marks == "✓✓✓✓")
        bench.wait(.nanoseconds(1))
        return bench
    }

    private static func isLinkEnded(_ bench: ScenarioBench) -> Bool {
        bench.deeds.contains { $0 is PhoneVerbs.Disconnect }
    }

    /// The link ends, and the accessory is back in another session.
    private static func comeBack(_ bench: ScenarioBench) {
        bench.hear(.peer(watch, .disconnected(.left)))
        bench.connect()
        bench.hear(.peer(watch, .bondRestored))
        bench.hear(.session(watch, .subscriptionChanged(.dataSource, true)))
        bench.hear(.session(watch, .subscriptionChanged(.notificationSource, true)))
        bench.hear(.session(watch, .started))
    }

    @Test(
        "the phone links again, and the run goes on in the next session once nothing more is fetched"
    )
    func linksAgain() throws {
        let bench = try Self.stopped(Self.expect("next", within: 35))
        #expect(bench.marks == "✓✓✓✓–")
        #expect(Self.isLinkEnded(bench))
        let hints = try #require(bench.results.last?.shortfall).hints
        #expect(hints.contains { $0.hasSuffix("after 10 s without a value it must continue, S26") })
        #expect(hints.last?.hasPrefix("it may have stopped: the phone ends the link") == true)
        bench.wait(.seconds(5))
        Self.comeBack(bench)
        bench.announce("lost", uid: 0, flags: .preExisting)
        bench.wait(.milliseconds(900))
        bench.write(ScenarioBench.fetch(0))
        bench.wait(.milliseconds(999))
        #expect(bench.marks == "✓✓✓✓–")
        bench.wait(.milliseconds(1))
        #expect(bench.marks == "✓✓✓✓–✓")
        bench.announce("next", uid: 2)
        bench.write(ScenarioBench.fetch(2))
        #expect(bench.marks == "✓✓✓✓–✓✓")
        #expect(bench.verdict(.comesBackWithBond)?.standing == .kept)
    }

    @Test(
        "what an accessory does that has not come back is waited for only where the run depends on it"
    )
    func gone() throws {
        let bench = try Self.stopped(
            Self.expect("next", within: 35) + "," + Self.expect("last", within: 20) + ","
                + Self.expect("end", within: 20, isOptional: false))
        bench.hear(.peer(Self.watch, .disconnected(.left)))
        bench.wait(.seconds(30) - .nanoseconds(1))
        #expect(bench.marks == "✓✓✓✓–")
        bench.wait(.nanoseconds(1))
        #expect(bench.marks == "✓✓✓✓–✓–✓–✓")
        #expect(
            bench.results.last { $0.outcome.word == "missed" }?.shortfall?.observed
                == "nothing is waited for: it has had no session since the phone ended the link at "
                + "35.0 s")
        bench.wait(.seconds(20))
        #expect(bench.marks == "✓✓✓✓–✓–✓–✓✗")
    }

    @Test("an accessory that is back after that is waited for again")
    func late() throws {
        let bench = try Self.stopped(
            #"{"wait":"session","within":60,"optional":true},"# + Self.expect("next", within: 35))
        bench.hear(.peer(Self.watch, .disconnected(.left)))
        bench.wait(.seconds(40))
        Self.comeBack(bench)
        #expect(bench.marks == "✓✓✓✓–✓✓")
        bench.wait(.seconds(34))
        #expect(bench.marks == "✓✓✓✓–✓✓")
    }

    @Test("the phone keeps the link in a run that is not graded, and where the run ends anyway")
    func notGraded() throws {
        let plain = try Self.stopped(Self.expect("next", within: 35), grade: "false")
        #expect(plain.marks == "✓✓✓✓–✓" && !Self.isLinkEnded(plain))
        let failed = try Self.stopped(Self.expect("next", within: 35), isOptional: false)
        #expect(failed.marks == "✓✓✓✓✗" && !Self.isLinkEnded(failed))
    }

    @Test("an accessory that leaves out one notification, or never asks, has not stopped")
    func choosing() throws {
        let steps = ["a", "b", "c", "d"].map { Self.expect($0, within: 5) }
        let bench = try ScenarioBench(
            steps: #"{"wait":"subscribed"},"# + steps.joined(separator: ","),
            head: #""grade":true,"#)
        bench.subscribe()
        for (uid, name) in ["a", "b", "c", "d"].enumerated() {
            bench.announce(name, uid: UInt32(uid))
            if uid.isMultiple(of: 2) {
                bench.write(ScenarioBench.fetch(UInt8(uid)))
            } else {
                bench.wait(.seconds(5))
            }
        }
        #expect(bench.marks == "✓✓✓✓–✓✓✓–" && !Self.isLinkEnded(bench))
        let lazy = try ScenarioBench(
            steps: #"{"wait":"subscribed"},"# + steps.joined(separator: ","),
            head: #""grade":true,"#)
        lazy.subscribe()
        for (uid, name) in ["a", "b", "c", "d"].enumerated() {
            lazy.announce(name, uid: UInt32(uid))
            lazy.wait(.seconds(5))
        }
        #expect(lazy.marks == "✓✓–✓–✓–✓–" && !Self.isLinkEnded(lazy))
    }

    @Test("without a session a step waits five seconds for another one, and says when it ended")
    func sessionEnds() throws {
        let bench = try ScenarioBench(
            steps: #"{"wait":"subscribed"},"# + Self.expect("a", within: 35) + ","
                + Self.expect("b", within: 35),
            head: #""grade":true,"#)
        bench.subscribe()
        bench.announce("a", uid: 0)
        bench.wait(.seconds(2))
        let unsubscribed = ProviderEvent.session(
            Self.watch, .subscriptionChanged(.notificationSource, false))
        bench.hear(unsubscribed)
        bench.hear(.session(Self.watch, .ended))
        bench.wait(.seconds(4))
        // It subscribes again, and unsubscribes again.
        bench.hear(.session(Self.watch, .subscriptionChanged(.notificationSource, true)))
        bench.hear(.session(Self.watch, .started))
        bench.wait(.seconds(4))
        bench.hear(unsubscribed)
        bench.hear(.session(Self.watch, .ended))
        bench.wait(.seconds(5) - .nanoseconds(1))
        #expect(bench.marks == "✓✓")
        bench.wait(.nanoseconds(1))
        #expect(bench.marks == "✓✓–" && Self.isLinkEnded(bench))
        #expect(
            bench.results.last?.shortfall?.hints.first
                == "its session ended at 10.0 s, and without one nothing comes: R49")
    }

    @Test("a step for a session has its whole time, and then the phone links again")
    func noSession() throws {
        let bench = try ScenarioBench(
            steps:
                #"{"wait":"subscribed"},{"unpublish":true},{"wait":"sessionEnded"},{"publish":true},"#
                + #"{"wait":"session","within":30,"optional":true},"#
                + Self.expect("a", within: 20),
            head: #""grade":true,"#)
        bench.subscribe()
        bench.hear(.session(Self.watch, .subscriptionChanged(.dataSource, false)))
        bench.hear(.session(Self.watch, .subscriptionChanged(.notificationSource, false)))
        bench.hear(.session(Self.watch, .ended))
        bench.wait(.seconds(30) - .nanoseconds(1))
        #expect(bench.marks == "✓✓✓✓")
        bench.wait(.nanoseconds(1))
        #expect(bench.marks == "✓✓✓✓–" && Self.isLinkEnded(bench))
        Self.comeBack(bench)
        bench.wait(.seconds(1))
        bench.announce("a", uid: 0)
        bench.write(ScenarioBench.fetch(0))
        #expect(bench.marks == "✓✓✓✓–✓✓")
        #expect(bench.verdict(.followsService)?.standing == .broken)
    }

    @Test(
        "an accessory whose commands are all dropped is not waited for, until it writes one otherwise"
    )
    func dropped() throws {
        let bench = try ScenarioBench(
            steps: #"{"wait":"subscribed"},"#
                + ["a", "b", "c"].map { Self.expect($0, within: 10) }.joined(separator: ","),
            head: #""grade":true,"#)
        bench.subscribe()
        bench.announce("a", uid: 7)
        bench.wait(.seconds(5))
        bench.hear(.session(Self.watch, .commandWithoutResponse(ScenarioBench.fetch(7))))
        #expect(bench.marks == "✓✓–✓–✓–" && bench.result != nil)
        for result in bench.results where result.outcome.word == "missed" {
            #expect(result.shortfall?.hints.first?.contains("R21") == true)
        }
        let mixed = try ScenarioBench(
            steps: #"{"wait":"subscribed"},"# + Self.expect("a", within: 10),
            head: #""grade":true,"#)
        mixed.subscribe()
        mixed.write(ScenarioBench.fetch(3))
        mixed.hear(.session(Self.watch, .commandWithoutResponse(ScenarioBench.fetch(7))))
        #expect(mixed.marks == "✓✓")
    }
}
