import ANCS
import BluetoothLE
import Octets
import EventLines
import Testing

@testable import ANCSEvents
@testable import ANCSKit
@testable import ANCSReceiver
@testable import ANCSService

@Suite("The dialogue of pairing")
struct PairingDialogueTests {
    private typealias Bench = DialogueBench

    @Test(
        "it reports the advertisement, and ends when a phone has paired, is subscribed and allows access"
    )
    func receiving() {
        var bench = Bench()
        bench.pair()
        #expect(bench.words == ["opened", "onAir", "connected", "paired"])
        bench.receive(.session(Bench.session(1).provider, .started(Bench.session(1))))
        #expect(bench.probes == [Bench.id(1)])
        #expect(bench.outcome == nil)
        bench.receive(.session(Bench.id(1), .authorizationChanged(.authorized)))
        #expect(bench.outcome == .receiving)
        #expect(bench.last?.text == "receiving from 'Ada's iPhone'")
        #expect(bench.last?.phone?.digest == "phone 1")
        #expect(bench.dialogue.nextDeadline == nil)
        #expect(bench.texts[0] == "pairing is open for 120 seconds")
        #expect(
            bench.texts[1]
                == "'Desk' is on air (hci0 of bluetoothd): choose it in Settings > Bluetooth on the phone"
        )
    }

    @Test("paired is not received from: without a subscription it ends with that cause")
    func unfinished() {
        var bench = Bench()
        bench.pair()
        _ = bench.waitForEnd()
        #expect(bench.cause == .unfinished)
    }

    @Test("a phone without a Control Point never reports its consent, and is accepted")
    func withoutControlPoint() {
        var bench = Bench()
        bench.pair()
        bench.receive(.session(Bench.session(1).provider, .started(Bench.session(1))))
        bench.wait(PairingCandidate.settlingTime - .nanoseconds(1))
        #expect(bench.outcome == nil)
        bench.wait(.nanoseconds(1))
        #expect(bench.outcome == .receiving)
    }

    @Test("the end waits two seconds for the name of the phone", arguments: [true, false])
    func name(comes: Bool) {
        var bench = Bench()
        bench.pair(name: nil)
        bench.receive(
            .session(Bench.session(1).provider, .started(Bench.session(1))),
            .session(Bench.id(1), .authorizationChanged(.authorized)))
        bench.wait(PairingCandidate.namingTime - .nanoseconds(1))
        #expect(bench.outcome == nil)
        if comes {
            bench.receive(.peer(Bench.id(1), .named("Ada's iPhone")))
        } else {
            bench.wait(.nanoseconds(1))
        }
        let subject = comes ? "'Ada's iPhone'" : "the phone"
        #expect(bench.last?.text == "receiving from \(subject)")
    }

    @Test("consent that comes later ends it well, and the phone has 90 seconds for that")
    func consent() {
        var bench = Bench(for: .seconds(60))
        bench.wait(.seconds(50))
        bench.pair()
        bench.receive(
            .session(Bench.session(1).provider, .started(Bench.session(1))),
            .session(Bench.id(1), .authorizationChanged(.unauthorized(Bench.authorization))))
        #expect(bench.last?.word == "consentMissing")
        #expect(bench.last?.text.contains("Share System Notifications") == true)
        bench.wait(.seconds(89))
        #expect(bench.outcome == nil)
        bench.receive(.session(Bench.id(1), .authorizationChanged(.authorized)))
        #expect(bench.outcome == .receiving)
    }

    @Test("the first hint is reported after 30 seconds, the others after 90")
    func advice() {
        var bench = Bench()
        bench.wait(.seconds(30) - .nanoseconds(1))
        #expect(bench.words == ["opened", "onAir"])
        bench.wait(.nanoseconds(1))
        #expect(bench.last?.text == PairingAdvice.otherApp(for: "Desk"))
        bench.wait(.seconds(60) - .nanoseconds(1))
        #expect(bench.words.count == 3)
        bench.wait(.nanoseconds(1))
        #expect(bench.words == ["opened", "onAir", "otherApp", "otherCauses"])
        #expect(bench.waitForEnd() == .seconds(30))
        #expect(bench.cause == .noDevice(receiving: []))
    }

    @Test("a user with a phone that pairs is not sent elsewhere")
    func busy() {
        var bench = Bench()
        bench.pair()
        bench.wait(.seconds(100))
        #expect(!bench.words.contains("otherApp") && !bench.words.contains("otherCauses"))
    }

    @Test("a time shorter than the advice ends with the cause, not with the advice")
    func short() {
        var bench = Bench(for: .seconds(30))
        #expect(bench.waitForEnd() == .seconds(30))
        #expect(bench.words == ["opened", "onAir", "ended"])
        #expect(bench.last?.text.contains("nRF Connect") == true)
    }

    @Test(
        "an advertisement that is not on air after five seconds is reported, and is the cause if it stays off"
    )
    func offAir() {
        var bench = Bench(for: .seconds(20), isOnAir: false)
        bench.wait(.seconds(5))
        #expect(bench.words == ["opened", "offAir"])
        var later = Bench(for: .seconds(20), isOnAir: false)
        later.wait(.seconds(6))
        later.receive(
            .device(.advertising(true)), .device(.advertising(false)), .device(.advertising(true)))
        #expect(later.words == ["opened", "offAir", "onAir"])
        _ = later.waitForEnd()
        #expect(later.cause == .noDevice(receiving: []))
        _ = bench.waitForEnd()
        #expect(bench.cause == .notOnAir)
    }

    @Test("a stranger that connects a hundred times is one line with a count")
    func strangers() {
        var bench = Bench()
        for number in UInt64(1)...100 {
            bench.receive(
                .peer(Bench.id(number), .connected(Bench.stranger("one"))),
                .peer(Bench.id(number), .disconnected(.linkEnded)))
        }
        #expect(bench.words == ["opened", "onAir", "connected", "crowd", "crowd"])
        #expect(bench.texts[4] == "devices that are not paired have connected 100 times")
        bench.wait(.seconds(30))
        #expect(bench.words.suffix(2) == ["hesitation", "otherApp"])
        _ = bench.waitForEnd()
        #expect(bench.cause == .neverPaired(100))
        let visits = "devices have connected 100 times but not paired"
        #expect(bench.last?.text.hasPrefix(visits) == true)
    }

    @Test("strangers with ever other addresses are five lines at most")
    func changingStrangers() {
        var bench = Bench()
        for number in UInt64(1)...500 {
            bench.receive(
                .peer(Bench.id(number), .connected(Bench.stranger("\(number)"))),
                .peer(Bench.id(number), .securityFailed(.notAuthenticated)),
                .peer(Bench.id(number), .securityFailed(.refusedByPeer(.unspecified))),
                .peer(Bench.id(number), .disconnected(.linkEnded)))
        }
        #expect(bench.words.count { $0 == "connected" } == 3)
        #expect(bench.words.count { $0 == "noDigits" } == PairingDialogue.repetitions)
        #expect(bench.words.count { $0 == "failed" } == PairingDialogue.repetitions)
    }

    @Test("the user's no is the cause, not the failure that follows from it")
    func declined() {
        var bench = Bench()
        bench.receive(.peer(Bench.id(1), .connected(Bench.stranger("one"))))
        bench.with { dialogue, _ in dialogue.declined(Bench.id(1)) }
        bench.receive(.peer(Bench.id(1), .securityFailed(.refused(.numericComparisonFailed))))
        #expect(bench.words.suffix(2) == ["connected", "declined"])
        _ = bench.waitForEnd()
        #expect(bench.cause == .declined)
    }

    @Test("a later identity from bluetoothd does not count as a second pairing")
    func identity() {
        var bench = Bench()
        bench.pair()
        bench.receive(
            .session(Bench.session(1).provider, .started(Bench.session(1))),
            .session(Bench.id(1), .authorizationChanged(.unauthorized(Bench.authorization))),
            .peer(Bench.id(1), .paired(Bench.phone("identity"), isBonded: true, replacing: nil)))
        #expect(bench.words.count { $0 == "paired" } == 1)
        _ = bench.waitForEnd()
        #expect(bench.cause == .consentMissing)
        #expect(bench.last?.phone?.digest == "identity")
    }

    @Test("a phone that is paired already comes and goes without a step")
    func known() {
        let ada = PhoneName(digest: "ada", name: "Ada's iPhone")
        var bench = Bench(links: [.init(id: Bench.id(1), phone: ada, state: .subscribed)])
        bench.receive(
            .peer(Bench.id(1), .disconnected(.linkEnded)),
            .peer(Bench.id(2), .connected(Bench.phone())),
            .session(Bench.session(2).provider, .started(Bench.session(2))),
            .session(Bench.id(2), .authorizationChanged(.authorized)))
        #expect(bench.words == ["opened", "alreadyReceiving", "onAir"])
        #expect(bench.texts[1] == "already receiving from Ada's iPhone; waiting for another phone")
        _ = bench.waitForEnd()
        #expect(bench.cause == .noDevice(receiving: [ada]))
        #expect(bench.last?.text.hasPrefix("no other phone has paired") == true)
    }

    @Test("a phone that was paired before, and lacks consent, is waited for too")
    func knownInTrouble() {
        let links = [
            PairingDialogue.KnownLink(
                id: Bench.id(1), phone: PhoneName(digest: "ada", name: "Ada"), state: .unauthorized)
        ]
        var allowed = Bench(links: links)
        #expect(allowed.words == ["opened", "onAir", "consentMissing"])
        allowed.receive(.session(Bench.id(1), .authorizationChanged(.authorized)))
        #expect(allowed.outcome == .receiving)
        var refused = Bench(links: links)
        _ = refused.waitForEnd()
        #expect(refused.cause == .consentMissing)
    }

    @Test("an app that connected before pairing was opened is a device that has connected")
    func early() {
        var bench = Bench(links: [
            .init(id: Bench.id(1), phone: PhoneName(digest: "app"), state: nil)
        ])
        #expect(bench.words == ["opened", "onAir", "connected"])
        bench.receive(.peer(Bench.id(1), .paired(Bench.phone(), isBonded: true, replacing: nil)))
        #expect(bench.words.last == "paired")
    }

    @Test("a reset adapter is a cause only if it does not return")
    func adapter() {
        var back = Bench()
        back.receive(.device(.resetting(.bluetoothd(.notRunning))), .device(.ready))
        #expect(back.words.last == "adapterFailed")
        _ = back.waitForEnd()
        #expect(back.cause == .noDevice(receiving: []))
        var away = Bench()
        away.receive(.device(.resetting(.bluetoothd(.notRunning))))
        _ = away.waitForEnd()
        guard case .adapterGone = away.cause else { Issue.record("\(away.words)"); return }
    }

    @Test("nothing is reported after the end")
    func afterTheEnd() {
        var bench = Bench()
        bench.with { dialogue, _ in dialogue.close() }
        #expect(bench.cause == .closed)
        bench.with { dialogue, now in
            dialogue.close()
            dialogue.adapterGone("gone")
            dialogue.declined(Bench.id(1))
            dialogue.keysFailed("keys")
            dialogue.foundObstacle("obstacle")
            dialogue.handleTimeout(at: now + .seconds(1000))
        }
        bench.pair()
        #expect(bench.words == ["opened", "onAir", "ended"])
    }

    @Test("pairing that is opened again lasts as long as the later of both")
    func extended() {
        var bench = Bench(for: .seconds(100))
        bench.wait(.seconds(50))
        bench.with { dialogue, now in dialogue.extend(by: .seconds(10), at: now) }
        #expect(bench.dialogue.pairingEnd == MonotonicInstant(nanoseconds: 0) + .seconds(100))
        bench.with { dialogue, now in dialogue.extend(by: .seconds(100), at: now) }
        #expect(bench.waitForEnd() == .seconds(100))
    }
}
