import ANCS
import BluetoothTypes
import Testing

@testable import ANCSEvents
@testable import ANCSKit
@testable import ANCSProvider
@testable import AccessoryConformance

/// What a failed step gives as its reason.
@Suite struct ScenarioHintTests {
    private static let watch = ScenarioBench.watch
    private static let fetchLunch =
        #"{"expect":{"command":"getNotificationAttributes","of":"lunch","answer":"success"}}"#

    /// The reasons after a story, once the step has had its time.
    private static func hints(
        _ steps: String, _ story: (ScenarioBench) -> Void
    ) throws -> [String] {
        let bench = try ScenarioBench(steps: steps)
        story(bench)
        bench.wait(.seconds(60))
        return try #require(bench.failure).hints
    }

    @Test(
        "a command about a removed notification violates R19, and the hint uses the scenario's name for it"
    )
    func removed() throws {
        let steps =
            #"{"wait":"subscribed"},{"post":{"as":"lunch"}},{"remove":"lunch"},"#
            + #"{"expect":{"no":"command","of":"lunch","for":2}}"#
        let hints = try Self.hints(steps) { bench in
            bench.subscribe()
            bench.announce("lunch", uid: 4)
            bench.announce("lunch", uid: 4, .removed)
            bench.write(ScenarioBench.fetch(4), outcome: .refused(.invalidParameter))
        }
        #expect(hints == [#""lunch" (UID 4) was removed before: R19"#])
    }

    /// What accessories may have done when a step fails.
    private static let situations: [@Sendable (ScenarioBench) -> Void] = [
        { _ in },
        { $0.connect() },
        { bench in
            bench.connect()
            bench.hear(.peer(watch, .disconnected(.left)))
        },
        { $0.subscribe() },
        { bench in
            bench.subscribe()
            bench.announce("lunch", uid: 0)
            bench.write(ScenarioBench.fetch(0))
            bench.write([2, 0, 0, 0, 0, 1], outcome: .performed)
            bench.hear(.session(watch, .media(.commanded(.play, nil))))
            bench.hear(
                .session(watch, .media(.registered(EntityUpdateRegistration(.track, .all), nil))))
            bench.hear(.peer(watch, .disconnected(.left)))
            bench.connect()
        },
    ]

    /// A step of each kind by itself, after a pause: those of all scenarios, and what none of them has.
    private static func scenarios() throws -> [String: Scenario] {
        var all = try Scenario.names.map { try Scenario(named: $0) }
        let events = Milestone.allCases.map { #"{"wait":"\#($0.rawValue)"}"# }
        let absences = Absence.allCases.map { absence in
            let app = absence == .binding ? #","app":"notes""# : ""
            return #"{"expect":{"no":"\#(absence.rawValue)"\#(app),"for":60}}"#
        }
        let characteristics = SubscribedCharacteristic.allCases.flatMap { characteristic in
            ["subscribed", "unsubscribed"].map {
                #"{"expect":{"\#($0)":"\#(characteristic.rawValue)"}}"#
            }
        }
        let others = [
            #"{"command":"any"}"#, #"{"action":"any"}"#, #"{"read":"batteryLevel"}"#,
            #"{"read":"currentTime"}"#, #"{"media":"any"}"#, #"{"media":"play"}"#,
            #"{"registered":"title"}"#, #"{"read":"title"}"#,
            #"{"parameters":"any"}"#, #"{"bound":"notes"}"#, #"{"unbound":"notes"}"#,
        ].map { #"{"expect":\#($0)}"# }
        for step in events + absences + characteristics + others + [#"{"disconnect":true}"#] {
            let text = #"{"title":"T","steps":[\#(step)]}"#
            all.append(try Scenario(parsing: Array(text.utf8)))
        }
        let pause = try Scenario(parsing: Array(#"{"title":"T","steps":[{"pause":1}]}"#.utf8))
        var scenarios: [String: Scenario] = [:]
        for scenario in all {
            for step in scenario.steps {
                var single = scenario
                single.steps = pause.steps + [step]
                single.timeout = .seconds(86_400)
                scenarios["\(step.verb.need) \(scenario.grading) \(step.title)"] = single
            }
        }
        return scenarios
    }

    @Test("no step fails without a reason, whatever it is, and whatever the accessory did")
    func reasons() throws {
        let scenarios = try Self.scenarios()
        #expect(scenarios.count > 100)
        var failures = 0
        for (title, scenario) in scenarios {
            for situation in Self.situations {
                for obstacle in [nil, "it cannot"] {
                    let bench = ScenarioBench(scenario)
                    bench.obstacle = obstacle
                    bench.wait(.seconds(1))
                    situation(bench)
                    bench.wait(.seconds(3600))
                    guard let failure = bench.results.last?.shortfall else { continue }
                    failures += 1
                    #expect(!failure.hints.isEmpty, "\(title): \(failure.observed)")
                }
            }
        }
        #expect(failures > 100)
    }

    @Test("a key of the player that nobody presses is said, and no session of ANCS asked for")
    func keys() throws {
        let hints = try Self.hints(
            #"{"expect":{"media":"play"},"within":5}"#
        ) { bench in
            bench.connect()
            bench.hear(
                .peer(
                    Self.watch,
                    .secured(
                        LinkProtection(
                            isEncrypted: true, isAuthenticated: false, usesSecureConnections: true))
                ))
        }
        #expect(hints == ["a user must press this key on the accessory while the step waits"])
    }

    private static func fetchTwice(at bench: ScenarioBench) {
        bench.subscribe()
        bench.announce("lunch", uid: 0)
        bench.write(ScenarioBench.fetch(0))
        bench.write(ScenarioBench.fetch(0))
    }

    @Test("a command for an unchanged notification violates R55")
    func unchanged() throws {
        let steps =
            #"{"wait":"subscribed"},{"post":{"as":"lunch"}},{"wait":"command"},"#
            + #"{"expect":{"no":"command","of":"lunch","for":2}}"#
        let hints = try Self.hints(steps, Self.fetchTwice)
        #expect(
            hints == ["everything that it requests was answered before, and has not changed: R55"])
    }

    @Test("one that follows an answer in another order may be caused by that, as the grade says")
    func unchangedAfterOtherOrder() throws {
        let steps =
            #"{"wait":"subscribed"},{"set":{"attributeOrder":"reversed"}},{"post":{"as":"lunch"}},"#
            + #"{"wait":"command"},{"expect":{"no":"command","of":"lunch","for":2}}"#
        let hints = try Self.hints(steps, Self.fetchTwice)
        #expect(
            hints == [
                "everything that it requests was answered before, with the attributes in another order: "
                    + "R32, or R55 if it asks twice anyway"
            ])
    }

    /// An accessory with a session, and without the Data Source.
    private static func listen(_ bench: ScenarioBench) {
        bench.connect()
        let protection = LinkProtection(
            isEncrypted: true, isAuthenticated: false, usesSecureConnections: true)
        bench.hear(.peer(watch, .secured(protection)))
        bench.hear(.session(watch, .subscriptionChanged(.notificationSource, true)))
        bench.hear(.session(watch, .started))
    }

    @Test(
        "the Data Source is no reason for what needs none",
        arguments: [
            #"{"expect":{"subscribed":"batteryLevel"}}"#,
            #"{"expect":{"subscribed":"currentTime"}}"#,
            #"{"expect":{"read":"batteryLevel"}}"#,
            #"{"expect":{"action":"negative","of":"lunch"}}"#,
            #"{"wait":"action"}"#,
        ])
    func noAnswers(step: String) throws {
        let hints = try Self.hints(
            #"{"wait":"session"},{"post":{"as":"lunch"}},\#(step)"#
        ) { bench in
            Self.listen(bench)
            bench.announce("lunch", uid: 0, flags: .negativeAction)
        }
        #expect(hints.allSatisfy { !$0.contains("Data Source") }, "\(hints)")
    }

    @Test(
        "who ended the links is the reason where the accessory did, and that it stays out otherwise"
    )
    func departures() throws {
        let left = PeerEvent.disconnected(.link(.remoteUserTerminatedConnection))
        let gone = try Self.hints(#"{"wait":"connected"},{"wait":"subscribed"}"#) { bench in
            for _ in 0..<2 {
                bench.connect()
                bench.wait(.seconds(1))
                bench.hear(.peer(Self.watch, left))
            }
        }
        #expect(
            gone == [
                "it ended the last link itself at 2.0 s: the other side ended the connection (0x13), as "
                    + "it ended 1 link before"
            ])
        let again = try Self.hints(
            #"{"wait":"subscribed"},{"disconnect":true},{"wait":"subscribed","optional":true},"#
                + #"{"disconnect":true}"#
        ) { bench in
            bench.subscribe()
            bench.hear(.peer(Self.watch, .disconnected(.stopped)))
        }
        #expect(
            again == [
                "it has not come back since the link ended at 0.0 s: the phone was restarted"
            ])
    }

    @Test("what the accessory itself performed is the reason why a notification is gone")
    func ownActs() throws {
        let request = ProviderSession.ActionRequest(
            number: 1, notificationID: NotificationID(rawValue: 1),
            notificationUID: NotificationUID(rawValue: 0), actionID: .negative)
        let act = "it performed the negative action of \"call\" itself at 0.0 s"
        func hints(_ step: String, _ after: (ScenarioBench) -> Void) throws -> [String] {
            let ring = #"{"wait":"subscribed"},{"ring":{"as":"call"}},{"pause":1},"#
            return try Self.hints(ring + step) { bench in
                bench.subscribe()
                bench.announce("call", uid: 0, flags: .negativeAction)
                bench.write([2, 0, 0, 0, 0, 1], outcome: nil)
                bench.hear(.session(Self.watch, .action(request, performed: true)))
                bench.announce("call", uid: 0, .removed)
                bench.obstacle = "no notification 1"
                after(bench)
            }
        }
        #expect(try hints(#"{"stopRinging":"call"}"#) { _ in } == [act])
        #expect(
            try hints(#"{"expect":{"no":"command","of":"call","for":2}}"#) { bench in
                bench.wait(.seconds(1))
                bench.write(ScenarioBench.fetch(0), outcome: .refused(.invalidParameter))
            } == ["\"call\" (UID 0) was removed before (\(act)): R19"])
    }

    @Test("a command before the Data Source is subscribed is S3")
    func tooEarly() throws {
        let steps = #"{"wait":"session"},{"post":{"as":"lunch"}},\#(Self.fetchLunch)"#
        let hints = try Self.hints(steps) { bench in
            bench.connect()
            bench.hear(
                .peer(
                    Self.watch,
                    .secured(
                        LinkProtection(
                            isEncrypted: true, isAuthenticated: false, usesSecureConnections: true))
                ))
            bench.hear(.session(Self.watch, .subscriptionChanged(.notificationSource, true)))
            bench.hear(.session(Self.watch, .started))
            bench.announce("lunch", uid: 0)
            bench.write(ScenarioBench.fetch(0), outcome: .withheld)
            bench.hear(.session(Self.watch, .subscriptionChanged(.dataSource, true)))
        }
        #expect(
            hints == [
                "getNotificationAttributes of \"lunch\" (UID 0) with title:64, message:64 arrived before "
                    + "it subscribed to the Data Source, where the answer goes: subscribing to that "
                    + "first loses none, S3"
            ])
    }

    @Test("a service that returned is R5, with or without Service Changed")
    func returned() throws {
        func hints(publish: String, follows: Bool) throws -> [String] {
            let steps =
                #"{"wait":"subscribed"},{"unpublish":true},{"wait":"sessionEnded"},"#
                + #"{"publish":\#(publish)},{"wait":"subscribed"}"#
            return try Self.hints(steps) { bench in
                bench.subscribe()
                // A command that crosses the withdrawal.
                bench.hear(.peer(Self.watch, .accessDenied(handle: 0x28, errorCode: 0x01)))
                if !follows { bench.hear(.session(Self.watch, .serviceChangedSubscription(false))) }
                bench.hear(.session(Self.watch, .subscriptionChanged(.notificationSource, false)))
                bench.hear(.session(Self.watch, .subscriptionChanged(.dataSource, false)))
                bench.hear(.session(Self.watch, .ended))
            }
        }
        #expect(
            try hints(publish: "true", follows: true) == [
                "ANCS returned on this link; after Service Changed it must discover and subscribe "
                    + "again: R5"
            ])
        #expect(
            try hints(publish: "true", follows: false) == [
                "ANCS returned on this link, and it is not subscribed to Service Changed, which "
                    + "reports this: R5"
            ])
        #expect(
            try hints(publish: #"{"serviceChanged":false}"#, follows: true) == [
                "ANCS returned without Service Changed: it must look for the service again, R5"
            ])
    }

    @Test("a service that was hidden appears with the encryption")
    func hidden() throws {
        let steps = #"{"set":{"hiddenUntilEncrypted":true}},{"wait":"subscribed"}"#
        let hints = try Self.hints(steps) { bench in
            bench.connect()
            bench.hear(
                .peer(
                    Self.watch,
                    .secured(
                        LinkProtection(
                            isEncrypted: true, isAuthenticated: false, usesSecureConnections: true))
                ))
            bench.hear(
                .peer(
                    Self.watch, .paired(ScenarioBench.description, isBonded: true, replacing: nil)))
        }
        #expect(
            hints == [
                "ANCS appeared when the link was encrypted, S2, and it is not subscribed to Service "
                    + "Changed, which reports this: R5"
            ])
    }

    @Test("an accessory without a bond gets a hint how to bond", arguments: ["bonded", "restored"])
    func unbonded(milestone: String) throws {
        let hints = try Self.hints(#"{"wait":"subscribed"},{"wait":"\#(milestone)"}"#) { bench in
            bench.subscribe(isBonded: false)
        }
        #expect(
            hints == [
                "it pairs without bonding: it must set the bonding flag of AuthReq, and keep "
                    + "the keys, S30"
            ])
    }

    @Test("nothing of an earlier link or session is a reason")
    func earlier() throws {
        let steps = #"{"wait":"subscribed"},{"post":{"as":"lunch"}},\#(Self.fetchLunch)"#
        let hints = try Self.hints(steps) { bench in
            bench.subscribe()
            bench.write([9], outcome: .refused(.unknownCommand))
            bench.hear(.session(Self.watch, .commandWithoutResponse([0])))
            bench.hear(.peer(Self.watch, .disconnected(.link(.connectionTimeout))))
            bench.subscribe()
            bench.announce("lunch", uid: 0)
        }
        #expect(
            hints == [#"it was notified that "lunch" (UID 0) was added, and requested nothing"#])
    }

    @Test("a UID of an earlier session is R51")
    func void() throws {
        let steps = #"{"wait":"subscribed"},{"post":{"as":"lunch"}},\#(Self.fetchLunch)"#
        let hints = try Self.hints(steps) { bench in
            bench.subscribe()
            bench.announce("lunch", uid: 5)
            bench.hear(.session(Self.watch, .ended))
            bench.hear(.session(Self.watch, .started))
            bench.announce("lunch", uid: 0)
            bench.write(ScenarioBench.fetch(5), outcome: .refused(.invalidParameter))
        }
        #expect(
            hints.first == "UID 5 was not announced in this session: it belongs to an earlier "
                + "session, R51; the phone answered Invalid Parameter (0xA2)")
    }

    @Test("an action that nobody asked for violates R48, whatever else was wrong before it")
    func unasked() throws {
        let hints = try Self.hints(
            #"{"wait":"subscribed"},{"expect":{"no":"action","for":2}}"#
        ) { bench in
            bench.subscribe()
            bench.announce("a", uid: 0, flags: .negativeAction)
            bench.write([2, 9, 0, 0, 0, 1], outcome: .refused(.invalidParameter))
            let request = ProviderSession.ActionRequest(
                number: 1, notificationID: NotificationID(rawValue: 99),
                notificationUID: NotificationUID(rawValue: 0), actionID: .negative)
            bench.hear(.session(Self.watch, .action(request, performed: true)))
        }
        #expect(
            hints == [
                "nobody was to press a button: an accessory performs no action on its own, R48"
            ])
    }

    @Test("a call that is not answered on the accessory, and one whose category is reserved")
    func calls() throws {
        let ring = #"{"wait":"subscribed"},{"ring":{"as":"call"}},"#
        let pressing = try Self.hints(
            ring + #"{"expect":{"action":"positive","of":"call"}}"#
        ) { bench in
            bench.subscribe()
            bench.announce("call", uid: 0, flags: [.positiveAction, .negativeAction])
        }
        #expect(
            pressing == [
                "no PerformNotificationAction arrived: a user must choose the positive action of "
                    + "\"call\" on the accessory while it is shown, R40"
            ])
        let absent = try Self.hints(
            #"{"wait":"subscribed"},{"post":{"as":"a"}},{"expect":{"action":"negative","of":"a"}}"#
        ) { bench in
            bench.subscribe()
            bench.announce("a", uid: 0, flags: [.positiveAction])
        }
        #expect(
            absent == [
                "\"a\" was announced without the negative action: its step needs the label \"negative\", R43"
            ])
        let active = try Self.hints(
            ring + #"{"answer":"call"},{"expect":{"command":"any","of":"call.active"}}"#
        ) { bench in
            bench.subscribe()
            bench.announce("call", uid: 0)
            bench.announce("call.active", uid: 1, category: .activeCall)
            bench.announce("call", uid: 0, .removed)
        }
        #expect(
            active == [
                #"it was notified that "call.active" (UID 1) was added, and requested nothing; its "#
                    + "category, 12, is reserved, but in use, which may be why: S15"
            ])
    }

    @Test("an accessory that asks for no names is not said to have requested nothing")
    func names() throws {
        let hints = try Self.hints(
            #"{"wait":"subscribed"},{"post":{"as":"lunch"}},"#
                + #"{"expect":{"command":"getAppAttributes","app":"com.example.a"}}"#
        ) { bench in
            bench.subscribe()
            bench.announce("lunch", uid: 0)
            bench.write(ScenarioBench.fetch(0))
        }
        #expect(
            hints == [
                "it has requested the name of no app in this session: it may show none, which ANCS allows"
            ])
    }

    @Test("a notification that was fetched is not said to be of a reserved category")
    func fetched() throws {
        let steps =
            #"{"wait":"subscribed"},{"post":{"as":"a"}},{"post":{"as":"lunch"}},"#
            + #"{"expect":{"command":"getNotificationAttributes"}},"#
            + #"{"expect":{"command":"any"}},{"expect":{"command":"any"}}"#
        let hints = try Self.hints(steps) { bench in
            bench.subscribe()
            bench.announce("a", uid: 0)
            bench.announce("lunch", uid: 1, category: .activeCall)
            bench.write(ScenarioBench.fetch(1))
            bench.write([1, 0x61, 0, 0])
        }
        #expect(
            hints == [
                #"it was notified that "a" (UID 0) was added, and requested nothing"#
                    + "; its UID is 0, which may be why, and is a UID like any other: S18"
            ])
    }

    @Test("what was refused and not tried again is named, with its time")
    func refused() throws {
        let steps =
            #"{"wait":"subscribed"},{"consent":false},{"post":{"as":"lunch"}},"#
            + #"{"expect":{"command":"any","answer":"writeNotPermitted"}},{"consent":true},"#
            + Self.fetchLunch
        let hints = try Self.hints(steps) { bench in
            bench.subscribe()
            bench.announce("lunch", uid: 1)
            bench.wait(.seconds(12))
            bench.write(ScenarioBench.fetch(1), outcome: .refused(.writeNotPermitted))
        }
        #expect(
            hints == [
                "getNotificationAttributes of \"lunch\" (UID 1) with title:64, message:64 was refused with "
                    + "Write Not Permitted (0x03) at 12.0 s, and it has not tried again since, although the "
                    + "user allows it now: S1"
            ])
    }

    @Test("a link on which nothing is answered, and a bond that was forgotten, are reasons")
    func stuck() throws {
        let unanswered = try Self.hints(
            #"{"wait":"subscribed"},{"set":{"answers":"none"}},{"wait":"command"},"#
                + #"{"wait":"disconnected","within":45}"#
        ) { bench in
            bench.subscribe()
            bench.write(ScenarioBench.fetch(0), outcome: .ignored)
        }
        #expect(
            unanswered == [
                "getNotificationAttributes of UID 0 with title:64, message:64 has had no response for 45.0 s, "
                    + "and the link is still up: after 30 s it must disconnect, and connect again, S27"
            ])
        let forgotten = try Self.hints(
            #"{"wait":"bonded"},{"forgetBond":true},{"wait":"disconnected"},{"wait":"connected"}"#
        ) { bench in
            bench.subscribe()
            bench.hear(.peer(Self.watch, .disconnected(.left)))
        }
        #expect(forgotten.count == 1 && forgotten[0].contains("may not advertise again"))
        let clock = try Self.hints(#"{"wait":"session"},{"expect":{"read":"currentTime"}}"#) {
            $0.subscribe()
        }
        #expect(clock.count == 1 && clock[0].hasPrefix("it may not show the phone's time"))
    }

    private static let missing = "it may not be on air, not be connectable, or have another name"

    @Test(
        "what was heard of an accessory decides what may be missing, and a link alone needs no ANCS"
    )
    func heard() throws {
        func hints(_ head: String, isHeard: Bool) throws -> [String] {
            let bench = try ScenarioBench(steps: #"{"wait":"connected"}"#, head: head)
            if isHeard { bench.hear(.peer(Self.watch, .discovered(ScenarioBench.description))) }
            // A grade of the link measures the advertising first, for 45 s.
            bench.wait(.seconds(120))
            return try #require(bench.failure).hints
        }
        #expect(try hints("", isHeard: false).first?.contains("may not be on air") == true)
        #expect(try hints("", isHeard: true) == [Self.missing])
        let link = #""grade":"link","accessories":{"strap":{"name":"Strap"}},"#
        #expect(try hints(link, isHeard: false) == [Self.missing])
    }

    @Test("how far an accessory has got with ANCS is said where that is what a run is about")
    func situation() throws {
        func observed(_ head: String) throws -> String {
            let steps = #"{"wait":"connected"},{"expect":{"parameters":"any"},"within":5}"#
            let bench = try ScenarioBench(steps: steps, head: head)
            bench.connect(name: "Strap")
            bench.wait(.seconds(120))
            return try #require(bench.failure).observed
        }
        let link = #""grade":"link","accessories":{"strap":{"name":"Strap"}},"#
        #expect(try observed(link) == "it is connected, not encrypted")
        #expect(try observed("").hasSuffix(", not subscribed to the Notification Source"))
    }

    @Test("a miss says what was heard, whichever requirements are graded")
    func passedOver() throws {
        let heard = "Tern 0001, connectable, solicits nothing: name it"
        for head in ["", #""grade":"link","accessories":{"strap":{"name":"Strap"}},"#] {
            let bench = try ScenarioBench(steps: #"{"wait":"connected"}"#, head: head)
            bench.passOver([heard])
            bench.wait(.seconds(120))
            let failure = try #require(bench.failure)
            #expect(failure.observed == "no accessory was found" && failure.hints == [heard])
        }
    }

    @Test("a property that the accessory handles is not why it leaves a notification out")
    func handled() throws {
        let steps =
            #"{"wait":"subscribed"},{"post":{"as":"first"}},{"post":{"as":"lunch"}},\#(Self.fetchLunch)"#
        func hints(isFetched: Bool) throws -> [String] {
            try Self.hints(steps) { bench in
                bench.subscribe()
                bench.announce("first", uid: 0x8000_0000)
                bench.announce("other", uid: 3)
                if isFetched { bench.write([0, 0, 0, 0, 0x80, 1, 64, 0]) }
                bench.write(ScenarioBench.fetch(3))
                bench.announce("lunch", uid: 0x8000_0001)
            }
        }
        #expect(try hints(isFetched: false).first?.contains("its UID may be why") == true)
        let hints = try hints(isFetched: true)
        #expect(hints.first?.hasSuffix("was added, and requested nothing") == true, "\(hints)")
    }
}
