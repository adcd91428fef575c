import BluetoothTypes
import Octets
import Testing

@testable import ANCS
@testable import ANCSEvents
@testable import ANCSKit
@testable import AccessoryConformance

/// How a scenario goes on, and what it says where it does not.
@Suite struct ScenarioRunTests {
    static let fetchLunch =
        #"{"expect":{"command":"getNotificationAttributes","of":"lunch","attributes":["title"]}}"#

    @Test("attributes that are asked for in two commands are asked for", arguments: [true, false])
    func inTwoCommands(hasAnswer: Bool) throws {
        let answer = hasAnswer ? #","answer":"success""# : ""
        let bench = try ScenarioBench(
            steps: #"{"wait":"subscribed"},{"post":{"as":"lunch"}},{"expect":{"command":"#
                + #""getNotificationAttributes","of":"lunch","attributes":["title","message"]\#(answer)}}"#
        )
        bench.subscribe()
        bench.announce("lunch", uid: 0)
        bench.write([0, 0, 0, 0, 0, 1, 64, 0])
        #expect(bench.marks == "✓✓")
        bench.write([0, 0, 0, 0, 0, 3, 64, 0])
        #expect(bench.marks == "✓✓✓")
    }

    @Test("steps run in order, and the phone carries them out")
    func happy() throws {
        let bench = try ScenarioBench(
            steps: #"{"wait":"subscribed"},{"post":{"as":"lunch"}},\#(Self.fetchLunch),"#
                + #"{"disconnect":true},{"wait":"restored"}"#)
        #expect(bench.marks == "")
        bench.subscribe()
        #expect(bench.marks == "✓✓")
        bench.announce("lunch", uid: 0)
        bench.write(ScenarioBench.fetch(0))
        #expect(bench.marks == "✓✓✓")
        #expect(bench.deeds.last is PhoneVerbs.Disconnect)
        bench.hear(.peer(ScenarioBench.watch, .disconnected(.link(.connectionTimeout))))
        #expect(bench.marks == "✓✓✓✓")
        bench.connect()
        #expect(bench.result == nil)
        bench.hear(.peer(ScenarioBench.watch, .bondRestored))
        #expect(bench.marks == "✓✓✓✓✓")
        #expect(bench.result?.isSuccess == true)
    }

    @Test("a phone has restarted when it is ready again, and not before")
    func restart() throws {
        let bench = try ScenarioBench(
            steps: #"{"wait":"subscribed"},{"restart":true},{"wait":"restored"},{"restart":{}}"#)
        bench.subscribe()
        bench.hear(.peer(ScenarioBench.watch, .bondRestored))
        #expect(bench.deeds.count == 1 && bench.deeds[0] is PhoneVerbs.Restart)
        #expect(bench.marks == "✓")
        bench.hear(.peer(ScenarioBench.watch, .disconnected(.link(.connectionTimeout))))
        bench.hear(.device(.resetting(.unresponsive)))
        #expect(bench.marks == "✓")
        bench.hear(.device(.ready))
        #expect(bench.marks == "✓✓")
        bench.connect()
        bench.hear(.peer(ScenarioBench.watch, .bondRestored))
        #expect(bench.marks == "✓✓✓")
        bench.wait(.seconds(30))
        #expect(bench.failure?.expected == "the phone to be back within 30.0 s")
    }

    @Test("a step fails at its deadline, not before, and the rest is not reached")
    func deadline() throws {
        let bench = try ScenarioBench(steps: #"{"wait":"connected","within":5},{"pause":1}"#)
        bench.wait(.seconds(5) - .nanoseconds(1))
        #expect(bench.marks == "")
        bench.wait(.nanoseconds(1))
        #expect(bench.marks == "✗")
        #expect(bench.result?.steps.map(\.outcome).last == .notReached)
        #expect(bench.failure?.expected == "connected within 5.0 s")
        #expect(bench.failure?.observed == "no accessory was found")
        #expect(bench.result?.isSuccess == false)
    }

    @Test(
        "the time of a step for a link begins after the measurement, and meanwhile it says what is measured"
    )
    func measuring() throws {
        let bench = try ScenarioBench(
            steps: #"{"wait":"connected","within":30}"#,
            head: #""grade":"link","accessories":{"strap":{"name":"Strap"}},"#)
        bench.wait(.seconds(2))
        #expect(
            bench.waitNotes == [
                "wait until connected; the advertising is measured first, for up to 45.0 s"
            ])
        bench.wait(.seconds(38))
        #expect(bench.marks == "")
        bench.hear(
            .link(
                ScenarioBench.watch,
                .advertised(ReceivedAdvertisement(advertising: AdvertisingData()))))
        bench.wait(.seconds(30) - .nanoseconds(1))
        #expect(bench.marks == "")
        bench.wait(.nanoseconds(1))
        #expect(bench.marks == "✗" && bench.now == MonotonicInstant.zero + .seconds(70))
        #expect(bench.failure?.expected == "connected within 30.0 s")
        // Nothing is measured of an accessory where its link is not what the run is about.
        let plain = try ScenarioBench(steps: #"{"wait":"connected","within":30}"#)
        plain.wait(.seconds(30))
        #expect(plain.marks == "✗" && plain.waitNotes == [""])
    }

    @Test("a pause and an absence last as long as written")
    func pauses() throws {
        let bench = try ScenarioBench(
            steps: #"{"pause":2},{"expect":{"no":"connection","for":3}}"#)
        bench.wait(.seconds(2))
        #expect(bench.marks == "✓")
        bench.wait(.seconds(3) - .nanoseconds(1))
        #expect(bench.marks == "✓")
        bench.wait(.nanoseconds(1))
        #expect(bench.marks == "✓✓")
    }

    @Test("a waiting step is reported once, after two seconds")
    func waiting() throws {
        let bench = try ScenarioBench(
            steps: #"{"wait":"connected"},{"pause":1},{"expect":{"no":"connection","for":30}}"#)
        bench.wait(.seconds(2) - .nanoseconds(1))
        #expect(bench.waits.isEmpty)
        bench.wait(.seconds(10))
        #expect(bench.waits.count == 1)
        bench.connect()
        bench.wait(.seconds(31))
        #expect(bench.marks == "✓✓✓")
        #expect(bench.waits.count == 2)
        #expect(bench.waits.last?.contains("steps[2]") == true)
    }

    @Test("forgetting an unknown bond fails with the reason")
    func nothingToForget() throws {
        let bench = try ScenarioBench(steps: #"{"wait":"subscribed"},{"forgetBond":true}"#)
        bench.subscribe(isBonded: false)
        #expect(bench.marks == "✓✗")
        #expect(
            bench.failure?.observed
                == "the phone has no bond to forget: the accessory paired without bonding")
    }

    @Test("an event that a step excludes fails the step")
    func absence() throws {
        let bench = try ScenarioBench(
            steps: #"{"wait":"subscribed"},{"post":{"as":"lunch"}},{"post":{"as":"tea"}},"#
                + #"{"expect":{"no":"command","of":"lunch","for":3}}"#)
        bench.subscribe()
        bench.announce("lunch", uid: 0)
        bench.announce("tea", uid: 1)
        bench.write(ScenarioBench.fetch(1))
        #expect(bench.marks == "✓✓✓")
        bench.write(ScenarioBench.fetch(0))
        #expect(bench.marks == "✓✓✓✗")
        #expect(
            bench.failure?.observed
                == "getNotificationAttributes of \"lunch\" (UID 0) with title:64, message:64")
    }

    @Test("a command counts once, and only after the announcement of its notification")
    func counting() throws {
        let bench = try ScenarioBench(
            steps: #"{"wait":"subscribed"},{"post":{"as":"lunch"}},\#(Self.fetchLunch),"#
                + #"{"modify":{"of":"lunch","message":"later"}},\#(Self.fetchLunch)"#)
        bench.subscribe()
        bench.announce("lunch", uid: 0)
        bench.write(ScenarioBench.fetch(0))
        #expect(bench.marks == "✓✓✓✓")
        bench.announce("lunch", uid: 0, .modified)
        #expect(bench.marks == "✓✓✓✓")
        bench.write(ScenarioBench.fetch(0))
        #expect(bench.result?.isSuccess == true)
    }

    @Test("a UID means another notification in another session")
    func sessions() throws {
        let bench = try ScenarioBench(
            steps: #"{"wait":"subscribed"},{"post":{"as":"lunch"}},{"post":{"as":"tea"}},"#
                + #"{"expect":{"command":"any","of":"tea"}}"#)
        bench.subscribe()
        bench.announce("lunch", uid: 0)
        bench.announce("tea", uid: 1)
        bench.hear(.session(ScenarioBench.watch, .ended))
        bench.hear(.session(ScenarioBench.watch, .started))
        bench.announce("tea", uid: 0)
        bench.write(ScenarioBench.fetch(1))
        #expect(bench.result == nil)
        bench.write(ScenarioBench.fetch(0))
        #expect(bench.result?.isSuccess == true)
    }

    @Test("an expected answer must equal the given one")
    func answers() throws {
        let bench = try ScenarioBench(
            steps: #"{"wait":"subscribed"},{"post":{"as":"lunch"}},"#
                + #"{"expect":{"command":"any","of":"lunch","answer":"invalidParameter"}}"#)
        bench.subscribe()
        bench.announce("lunch", uid: 0)
        bench.write(ScenarioBench.fetch(0))
        #expect(bench.result == nil)
        bench.write(ScenarioBench.fetch(0), outcome: .refused(.invalidParameter))
        #expect(bench.result?.isSuccess == true)
    }

    @Test("a failed expectation names the requirement that the firmware violated")
    func explanation() throws {
        let bench = try ScenarioBench(
            steps: #"{"wait":"subscribed"},{"post":{"as":"lunch"}},\#(Self.fetchLunch)"#)
        bench.subscribe()
        bench.announce("lunch", uid: 0)
        bench.write([0, 0, 0, 0, 0, 0, 1], outcome: .refused(.invalidCommand))
        bench.write([0, 0, 0, 0, 0, 5])
        bench.wait(.seconds(30))
        let failure = try #require(bench.failure)
        #expect(
            failure.observed
                == "only a value that is not a command (00000000000001), refused with Invalid Command "
                + "(0xA1); then getNotificationAttributes of \"lunch\" (UID 0) with date")
        #expect(
            failure.hints == [
                "requested title without a maximum: R25; the phone answered Invalid Command (0xA1)",
                "getNotificationAttributes of \"lunch\" (UID 0) does not request title",
            ])
        #expect(failure.context.last == "0.0 s  answer to getNotificationAttributes: 20 octets")
    }

    @Test("for an accessory that fell silent, its last event is reported")
    func silence() throws {
        let bench = try ScenarioBench(
            steps: #"{"wait":"subscribed"},{"post":{"as":"tea"}},{"wait":"command"},"#
                + #"{"post":{"as":"lunch"}},\#(Self.fetchLunch)"#)
        bench.subscribe()
        bench.announce("tea", uid: 0)
        bench.write([0, 0, 0, 0, 0, 5], outcome: nil)
        bench.hear(
            .session(
                ScenarioBench.watch,
                .answered(
                    .decoded(
                        try ControlPointCommand(decoding: ([0, 0, 0, 0, 0, 5] as [UInt8]).span)),
                    .withheld)))
        bench.announce("lunch", uid: 1)
        bench.wait(.seconds(30))
        #expect(bench.failure?.observed == "no command arrived")
        #expect(
            bench.failure?.hints == [
                "it was notified that \"lunch\" (UID 1) was added, and requested nothing",
                "its last command was getNotificationAttributes of \"tea\" (UID 0) with date, "
                    + "which got no answer: after 10 s without a value it must continue, S26",
            ])
    }

    @Test("an accessory that makes no progress gets a hint at its next step")
    func standstill() throws {
        let bench = try ScenarioBench(steps: #"{"wait":"subscribed"}"#)
        bench.connect()
        bench.wait(.seconds(30))
        let failure = try #require(bench.failure)
        #expect(
            failure.observed
                == "it is connected, not encrypted, not subscribed to the Notification Source")
        #expect(failure.hints.count == 1)
        #expect(failure.hints.first?.hasSuffix("R7") == true)
    }

    @Test("an accessory that was refused and did not pair gets the hint to pair")
    func unpaired() throws {
        let bench = try ScenarioBench(steps: #"{"wait":"subscribed"}"#)
        bench.connect()
        bench.hear(.peer(ScenarioBench.watch, .accessDenied(handle: 0x26, errorCode: 5)))
        bench.wait(.seconds(30))
        #expect(
            bench.failure?.hints == [
                "it was refused access to handle 0x0026 (ATT error 0x05: not secure enough), and "
                    + "pairing has not ended: it may not answer the Pairing Request of the phone, R7"
            ])
    }

    @Test(
        "an accessory that never connected gets hints about discovery, whatever the scenario waited for"
    )
    func unseen() throws {
        for step in [#"{"wait":"subscribed"}"#, #"{"wait":"connected"}"#, Self.fetchAnything] {
            let bench = try ScenarioBench(steps: step)
            bench.wait(.seconds(30))
            #expect(bench.failure?.hints.count == 1)
            #expect(bench.failure?.hints.first?.hasSuffix("solicit the ANCS UUID: S30") == true)
        }
    }

    private static let fetchAnything = #"{"expect":{"command":"any"}}"#

    @Test("an accessory that sends no commands gets a hint, and writes without effect are reported")
    func inVain() throws {
        let bench = try ScenarioBench(
            steps: #"{"wait":"subscribed"},{"post":{"as":"lunch"}},\#(Self.fetchLunch)"#)
        bench.subscribe()
        bench.announce("lunch", uid: 7, .modified)
        bench.wait(.seconds(30))
        #expect(
            bench.failure?.hints == [
                "it was notified that \"lunch\" (UID 7) was modified, and requested nothing: only "
                    + "fetching again shows what has changed, S22"
            ])

        let other = try ScenarioBench(
            steps: #"{"wait":"subscribed"},{"post":{"as":"lunch"}},\#(Self.fetchLunch)"#)
        other.subscribe()
        other.hear(.peer(ScenarioBench.watch, .accessDenied(handle: 0x26, errorCode: 0x13)))
        other.announce("lunch", uid: 7)
        other.hear(.session(ScenarioBench.watch, .commandWithoutResponse([0, 7, 0, 0, 0, 0])))
        other.wait(.seconds(30))
        #expect(
            other.failure?.hints == [
                "it wrote to handle 0x0026 (ATT error 0x13: the value is not allowed; 0x0001 "
                    + "subscribes, 0x0000 unsubscribes)",
                "it wrote to the Control Point with a Write Command, which the phone drops: only a "
                    + "Write Request is a command, R21",
            ])
    }

    @Test("a UID with its octets in reverse order is recognized")
    func reversedUID() throws {
        let bench = try ScenarioBench(
            steps: #"{"wait":"subscribed"},{"post":{"as":"lunch"}},\#(Self.fetchLunch)"#)
        bench.subscribe()
        bench.announce("lunch", uid: 1)
        bench.write([0, 0, 0, 0, 1, 1, 64, 0], outcome: .refused(.invalidParameter))
        bench.write([0, 9, 0, 0, 0, 1, 64, 0], outcome: .refused(.invalidParameter))
        bench.wait(.seconds(30))
        let refusal = "; the phone answered Invalid Parameter (0xA2)"
        #expect(
            bench.failure?.hints.prefix(2) == [
                "UID 16777216 was not announced in this session: \"lunch\" (UID 1) was, whose octets "
                    + "are in reverse order, R1" + refusal,
                "UID 9 was not announced in this session: R18" + refusal,
            ])
    }

    @Test("with several accessories, steps and events name the accessory")
    func names() throws {
        let bench = try ScenarioBench(
            steps:
                #"{"wait":"connected","accessory":"band"},{"wait":"paired","accessory":"watch"}"#,
            head: #""accessories":{"watch":{"name":"Desk"},"band":{"name":"Band"}},"#)
        bench.connect(AccessoryID(rawValue: 2), name: "Band", address: "F1")
        bench.wait(.seconds(30))
        #expect(
            bench.result?.steps.map(\.step.title) == [
                "band: wait until connected", "watch: wait until paired",
            ])
        #expect(bench.failure?.context == [])
        let other = try ScenarioBench(
            steps: #"{"wait":"paired","accessory":"band"}"#,
            head: #""accessories":{"watch":{"name":"Desk"},"band":{"name":"Band"}},"#)
        other.connect(AccessoryID(rawValue: 1), name: "Desk", address: "F0")
        other.connect(AccessoryID(rawValue: 2), name: "Band", address: "F1")
        other.wait(.seconds(30))
        #expect(other.failure?.context == ["0.0 s  band: connected: F1 \"Band\", not bonded"])
    }

    @Test("an optional step that fails is noted, and the run continues")
    func optional() throws {
        let bench = try ScenarioBench(
            steps: #"{"wait":"connected","within":1,"optional":true},{"pause":1}"#)
        bench.wait(.seconds(2))
        #expect(bench.marks == "–✓")
        #expect(bench.result?.isSuccess == true)
    }

    @Test("a step that the phone cannot carry out fails")
    func obstacle() throws {
        let bench = try ScenarioBench(steps: #"{"wait":"connected"},{"post":{"as":"a"}}"#)
        bench.obstacle = "the phone holds at most 1024 notifications"
        bench.connect()
        #expect(bench.marks == "✓✗")
        #expect(bench.failure?.observed == "the phone holds at most 1024 notifications")
    }

    @Test("a fault needs a link")
    func faultWithoutLink() throws {
        let bench = try ScenarioBench(steps: #"{"inject":{"fault":"lost"}}"#)
        #expect(bench.marks == "✗")
        #expect(bench.failure?.observed == #""accessory" has not connected yet"#)
        #expect(bench.deeds.isEmpty)
    }

    @Test("the run has a time limit, and a signal ends it")
    func ends() throws {
        let late = try ScenarioBench(
            steps: #"{"wait":"connected","within":60}"#, head: #""timeout":5,"#)
        late.wait(.seconds(5))
        #expect(late.result?.interruption == .timedOut)
        #expect(late.marks == "✗")
        let interrupted = try ScenarioBench(steps: #"{"wait":"connected"}"#)
        interrupted.interrupt()
        #expect(interrupted.result?.interruption == .interrupted)
        let xml = JUnitReport.xml(of: try #require(interrupted.result))
        #expect(xml.contains(#"<testsuites tests="2" failures="0" errors="1" skipped="1" "#))
        #expect(xml.contains(#"<error message="interrupted"/>"#))
        #expect(interrupted.result?.isSuccess == false)
        #expect(interrupted.result?.steps.map(\.outcome) == [.notReached])
    }

    @Test("accessories are distinguished by name, by address, and by order of connection")
    func several() throws {
        let bench = try ScenarioBench(
            steps:
                #"{"wait":"connected","accessory":"named"},{"wait":"connected","accessory":"other"},"#
                + #"{"wait":"connected","accessory":"placed"}"#,
            head: #""accessories":{"named":{"name":"Desk"},"other":{},"#
                + #""placed":{"address":"f0:f1:f2:f3:f4:f5"}},"#)
        bench.connect(AccessoryID(rawValue: 1), name: "Stranger", address: "C0:C1:C2:C3:C4:C5")
        #expect(bench.marks == "")
        bench.connect(AccessoryID(rawValue: 2), name: "Desk", address: "C0:C1:C2:C3:C4:C6")
        #expect(bench.marks == "✓✓")
        bench.connect(AccessoryID(rawValue: 3), address: "F0:F1:F2:F3:F4:F5")
        #expect(bench.marks == "✓✓✓")
    }

    @Test("a long run of steps that are fulfilled already needs no deep stack")
    func manySteps() throws {
        let wait = Array(repeating: #"{"wait":"connected"}"#, count: 9_999).joined(separator: ",")
        let bench = try ScenarioBench(steps: wait)
        bench.connect()
        #expect(bench.results.count == 9_999)
        #expect(bench.result?.isSuccess == true)
    }

    @Test("reads of the phone's clock count after the last step about it")
    func clock() throws {
        let bench = try ScenarioBench(
            steps: """
                {"expect":{"read":"currentTime"}},{"expect":{"subscribed":"currentTime"}},
                {"clock":{"zone":"-03:30","daylightSaving":"on"}},
                {"expect":{"read":"localTimeInformation"},"within":5},{"battery":57}
                """)
        bench.hear(.session(ScenarioBench.watch, .attributeRead(.localTimeInformation)))
        bench.subscribe()
        bench.hear(.session(ScenarioBench.watch, .attributeRead(.localTimeInformation)))
        bench.hear(.session(ScenarioBench.watch, .attributeRead(.currentTime)))
        bench.hear(.session(ScenarioBench.watch, .attributeSubscription(.currentTime, true)))
        let change = ClockChange(offset: -210, daylightSaving: .hour)
        #expect((bench.deeds.last as? PhoneVerbs.Clock)?.change == change)
        #expect(change.reasons == [.timeZone, .daylightSaving])
        #expect(bench.results.count == 3, "what was read before is old")
        bench.hear(.session(ScenarioBench.watch, .attributeRead(.localTimeInformation)))
        #expect(bench.result?.isSuccess == true)
        #expect((bench.deeds.last as? PhoneVerbs.Battery)?.level == 57)
    }

    @Test(
        "an empty adjustment and an invalid zone are refused",
        arguments: [
            #"{"clock":{}}"#, #"{"clock":{"zone":"+15:00"}}"#, #"{"clock":{"zone":"01:00"}}"#,
            #"{"clock":{"zone":"+01:07"}}"#, #"{"clock":{"set":"1066-10-14T09:00:00"}}"#,
            #"{"battery":101}"#, #"{"expect":{"subscribed":"localTimeInformation"}}"#,
        ])
    func noClock(step: String) {
        #expect(throws: (any Error).self) { try ScenarioBench(steps: step) }
    }
}
