import BluetoothTypes
import Testing

@testable import ANCS
@testable import ANCSEvents
@testable import ANCSKit
@testable import AccessoryConformance

/// Verdicts that were once wrong, each a story as another stack played it: what the phone knew decides.
@Suite struct VerdictTests {
    static let watch = ScenarioBench.watch
    static let lost = PeerEvent.disconnected(.link(.connectionTimeout))

    static func evidence(_ result: RequirementVerdict?) -> [String] {
        result?.evidence.map(\.message) ?? []
    }

    /// Notification Source first, and the Data Source some time after the burst.
    static func subscribeLate(_ bench: ScenarioBench, _ between: () -> Void) {
        bench.connect()
        let protection = LinkProtection(
            isEncrypted: true, isAuthenticated: false, usesSecureConnections: true)
        bench.hear(.peer(watch, .secured(protection)))
        bench.hear(.session(watch, .subscriptionChanged(.notificationSource, true)))
        bench.hear(.session(watch, .started))
        between()
        bench.hear(.session(watch, .subscriptionChanged(.dataSource, true)))
    }

    @Test("R5 is not kept by a session on a later link")
    func serviceFollowedTooLate() throws {
        func run(_ pause: Duration) throws -> RequirementVerdict? {
            try ConformanceTests.verdict(.followsService, ConformanceTests.vanishing) { bench in
                bench.subscribe()
                bench.hear(.session(Self.watch, .ended))
                bench.wait(pause)
                bench.hear(.peer(Self.watch, Self.lost))
                bench.subscribe()
            }
        }
        #expect(
            Self.evidence(try run(.seconds(20))) == [
                "ANCS returned, and no session followed before the link ended at 20.0 s (at 0.0 s)"
            ])
        #expect(try run(.seconds(1))?.standing == .untested)
    }

    @Test("an accessory that does not confirm Service Changed is told so, and R5 is not broken")
    func unconfirmed() throws {
        let bench = try ConformanceTests.bench(
            ConformanceTests.vanishing, #"{"wait":"session","optional":true}"#)
        bench.confirms = false
        bench.subscribe()
        bench.hear(.session(Self.watch, .ended))
        bench.wait(.seconds(200))
        #expect(bench.verdict(.followsService)?.standing == .untested)
        #expect(
            bench.results.compactMap(\.shortfall).first?.hints.first
                == "it has not confirmed the indication of Service Changed, and before that it gets no "
                + "other (Core Vol 3, Part F, 3.3.2)")
    }

    @Test("S1 is not kept by a command on a later link")
    func consentTooLate() throws {
        let steps = #"{"wait":"subscribed"},{"expect":{"command":"any"}},{"consent":true}"#
        let result = try ConformanceTests.verdict(.returnsAfterConsent, steps) { bench in
            bench.subscribe()
            bench.announce("a", uid: 0)
            let fetch = bench.write(ScenarioBench.fetch(0), outcome: nil)
            bench.hear(.session(Self.watch, .answered(fetch, .refused(.writeNotPermitted))))
            bench.wait(.seconds(6))
            bench.hear(.peer(Self.watch, Self.lost))
            bench.subscribe()
            bench.announce("a", uid: 0)
            bench.write(ScenarioBench.fetch(0))
        }
        #expect(result?.standing != .kept)
    }

    @Test("what was announced before the Data Source was subscribed is S3 and nothing else")
    func announcedTooEarly() throws {
        let bench = try ConformanceTests.bench(#"{"wait":"session"}"#)
        Self.subscribeLate(bench) {
            bench.announce("a", uid: 0)
            bench.announce("b", uid: 1, flags: .observedBit5)
        }
        bench.announce("c", uid: 2)
        bench.write(ScenarioBench.fetch(2))
        bench.wait(.seconds(100))
        #expect(bench.verdict(.handlesIdentifierZero)?.standing == .untested)
        #expect(bench.verdict(.acceptsReservedFlags)?.standing == .untested)
        #expect(ConformanceTests.isFailed(bench.verdict(.subscribesDataSourceFirst)))
    }

    @Test("a notification that was announced too early is S3 where its step fails")
    func tooEarlyHint() throws {
        let bench = try ScenarioBench(
            steps:
                #"{"wait":"session"},{"expect":{"command":"getNotificationAttributes","of":"old"}}"#,
            head: #""notifications":[{"as":"old"}],"#)
        Self.subscribeLate(bench) { bench.announce("old", uid: 3) }
        bench.wait(.seconds(60))
        #expect(
            try #require(bench.failure).hints == [
                "it was notified that \"old\" (UID 3) was added before it subscribed to the Data Source, "
                    + "where answers arrive: subscribing to that first loses none, S3"
            ])
    }

    @Test("an accessory that advertises as another is told so when it first pairs")
    func disguised() throws {
        func run(resolvable: Bool) throws -> ScenarioBench {
            let bench = try ConformanceTests.bench(ConformanceTests.returning)
            let description = PeerDescription(
                address: "F0:F1:F2:F3:F4:F5", hasResolvableAddress: resolvable,
                identity: "00:11:22:33:44:55", digest: "D")
            for _ in 0..<2 {
                bench.connect()
                bench.hear(
                    .peer(Self.watch, .paired(description, isBonded: true, replacing: nil)))
                bench.hear(.session(Self.watch, .subscriptionChanged(.dataSource, true)))
                bench.hear(.session(Self.watch, .subscriptionChanged(.notificationSource, true)))
                bench.hear(.session(Self.watch, .started))
                bench.hear(.peer(Self.watch, Self.lost))
            }
            bench.wait(.seconds(100))
            return bench
        }
        let hidden = try run(resolvable: false)
        #expect(
            Self.evidence(hidden.verdict(.canBeRecognized)).first
                == "it advertises with F0:F1:F2:F3:F4:F5, and distributed the identity address "
                + "00:11:22:33:44:55 when it paired: the phone cannot recognize it, and takes it for "
                + "another device (2 times, first at 0.0 s)")
        #expect(hidden.verdict(.comesBackWithBond)?.standing == .untested)
        let private_ = try run(resolvable: true)
        #expect(private_.verdict(.canBeRecognized)?.standing == .kept)
        #expect(ConformanceTests.isFailed(private_.verdict(.comesBackWithBond)))
    }

    @Test("an accessory that comes back with another address breaks S33, and not S30")
    func otherAddress() throws {
        let bench = try ConformanceTests.bench(ConformanceTests.returning)
        bench.subscribe(address: "F0:F1:F2:F3:F4:F5")
        bench.hear(.peer(Self.watch, Self.lost))
        bench.connect(address: "C1:F1:F2:F3:F4:F5")
        bench.hear(.peer(Self.watch, .securityFailed(.rePairingRefused)))
        bench.wait(.seconds(100))
        #expect(
            Self.evidence(bench.verdict(.canBeRecognized)) == [
                "it advertises with C1:F1:F2:F3:F4:F5, and distributed the identity address "
                    + "F0:F1:F2:F3:F4:F5 when it paired: the phone cannot recognize it, and takes it "
                    + "for another device (at 0.0 s)"
            ])
        #expect(bench.verdict(.comesBackWithBond)?.standing == .untested)
    }

    @Test("commands that are written to the Data Source break R21, and their reason names it")
    func wrongPlace() throws {
        let bench = try ConformanceTests.bench(
            #"{"wait":"subscribed"},{"expect":{"command":"any"},"optional":true}"#)
        bench.subscribe()
        bench.announce("a", uid: 0)
        bench.hear(.peer(Self.watch, .accessDenied(handle: 0x2B, errorCode: 0x03)))
        bench.wait(.seconds(100))
        #expect(
            Self.evidence(bench.verdict(.writesWithResponse)) == [
                "it wrote to the Data Source: commands belong to the Control Point (at 0.0 s)"
            ])
        #expect(
            bench.results.compactMap(\.shortfall).first?.hints.first
                == "it wrote to the Data Source, handle 0x002B (ATT error 0x03: it is not writable): "
                + "commands belong to the Control Point")
    }

    @Test("an accessory that advertises as another has not lost its keys")
    func disguisedHint() throws {
        let bench = try ScenarioBench(
            steps: #"{"wait":"paired"},{"wait":"disconnected"},{"wait":"restored"}"#)
        let description = PeerDescription(address: "F0", identity: "00", digest: "D")
        bench.connect()
        bench.hear(.peer(Self.watch, .paired(description, isBonded: true, replacing: nil)))
        bench.hear(.peer(Self.watch, Self.lost))
        bench.connect()
        bench.hear(.peer(Self.watch, .securityFailed(.rePairingRefused)))
        bench.wait(.seconds(60))
        let hints = try #require(bench.failure).hints
        #expect(hints.allSatisfy { !$0.contains("lost its keys") })
        #expect(hints.contains { $0.hasSuffix("S33") })
    }

    @Test(
        "a text without a maximum that can be read as a number is R25",
        arguments: [
            // The app identifier, the title without a maximum, and 64 octets of the subtitle.
            [0, 1, 2, 0x40, 0], [1, 3, 0x40, 0], [0, 1, 2, 0x40, 0, 3, 0x40, 0],
        ])
    func bareText(_ attributes: [UInt8]) throws {
        let critiques = CommandCritique.critiques(of: [0, 0, 0, 0, 0] + attributes)
        #expect(critiques.map(\.requirement) == [.givesMaximaWhereNeeded])
        #expect(critiques.first?.fault.hasPrefix("requested title without a maximum") == true)
    }

    @Test(
        "a command with its maxima is not R25, however it could be read",
        arguments: [
            [0, 1, 0xFF, 0xFF, 3, 0xFF, 0xFF], [1, 2, 0x40], [1, 2, 2, 0], [1, 1, 1, 0], [0, 0],
            [1, 64, 0, 1, 64, 0],
        ])
    func wholeText(_ attributes: [UInt8]) throws {
        let critiques = CommandCritique.critiques(of: [0, 0, 0, 0, 0] + attributes)
        #expect(!critiques.map(\.requirement).contains(.givesMaximaWhereNeeded))
    }

    @Test("only a command that is written after a late answer shows that the accessory goes on")
    func late() throws {
        func run(goesOn: Bool) throws -> RequirementVerdict? {
            let steps = ConformanceTests.fault(#""late","by":12"#)
            return try ConformanceTests.verdict(.goesOnAfterLateAnswer, steps) { bench in
                bench.subscribe()
                bench.announce("a", uid: 0)
                bench.announce("b", uid: 1)
                let late = bench.write(ScenarioBench.fetch(0), outcome: nil)
                bench.wait(.seconds(10))
                let other = bench.write(ScenarioBench.fetch(1), outcome: nil)
                bench.wait(.seconds(2))
                bench.hear(.session(Self.watch, .answered(late, .sent(octets: 20))))
                bench.hear(.session(Self.watch, .answered(other, .sent(octets: 20))))
                bench.announce("c", uid: 2)
                if goesOn { bench.write(ScenarioBench.fetch(2)) }
            }
        }
        #expect(ConformanceTests.isFailed(try run(goesOn: false)))
        #expect(try run(goesOn: true)?.standing == .kept)
    }

    // MARK: Reasons

    private static func hints(
        _ steps: String, _ story: (ScenarioBench) -> Void
    ) throws -> [String] {
        let bench = try ScenarioBench(steps: #"{"wait":"subscribed"},"# + steps)
        story(bench)
        bench.wait(.seconds(60))
        return try #require(bench.failure).hints
    }

    private static let fetch =
        #"{"expect":{"command":"getNotificationAttributes","of":"a","answer":"success"}}"#

    @Test("a refusal for lack of consent, a stopped answer and a doubled one are reasons")
    func answers() throws {
        let post = #"{"post":{"as":"a"}},"#
        let refused = try Self.hints(#"{"consent":false},"# + post + Self.fetch) { bench in
            bench.subscribe()
            bench.announce("a", uid: 0)
            bench.write(ScenarioBench.fetch(0), outcome: .refused(.writeNotPermitted))
        }
        #expect(refused.count == 1 && refused[0].hasSuffix("S1"), "\(refused)")
        let stopped = try Self.hints(
            #"{"set":{"answers":"responsesOnly"}},"# + post + Self.fetch
        ) { bench in
            bench.subscribe()
            bench.announce("a", uid: 0)
            bench.write(ScenarioBench.fetch(0), outcome: .withheld)
        }
        #expect(stopped.count == 1 && stopped[0].hasSuffix("S27"), "\(stopped)")
        let doubled = try Self.hints(
            #"{"inject":{"fault":"duplicated"}},{"post":{"as":"b"}},{"wait":"command"},"# + post
                + #"{"expect":{"command":"getNotificationAttributes","of":"a"}}"#
        ) { bench in
            bench.subscribe()
            bench.announce("b", uid: 0)
            bench.write(ScenarioBench.fetch(0))
            bench.announce("a", uid: 1)
        }
        #expect(
            doubled.contains {
                $0.hasSuffix(
                    "it may have taken the second answer for that to the next command, S4")
            }, "\(doubled)")
    }

    @Test("a Modified that is not fetched is the reason, whatever else is fetched")
    func modified() throws {
        let hints = try Self.hints(
            #"{"post":{"as":"a"}},"# + Self.fetch + #",{"modify":{"of":"a","title":"T"}},"#
                + Self.fetch
        ) { bench in
            bench.subscribe()
            bench.announce("a", uid: 0)
            bench.write(ScenarioBench.fetch(0))
            bench.announce("a", uid: 0, .modified)
            bench.announce("other", uid: 1)
            bench.write(ScenarioBench.fetch(1))
        }
        #expect(hints.first?.hasSuffix("S22") == true, "\(hints)")
    }

    @Test("a clock that was adjusted is the reason why it should be read")
    func clock() throws {
        let hints = try Self.hints(
            #"{"clock":{"zone":"+01:00"}},{"expect":{"read":"localTimeInformation"}}"#
        ) { bench in bench.subscribe() }
        #expect(
            hints == [
                "the clock was adjusted, and it is not subscribed to Current Time, which reports this"
            ])
    }

    @Test("the button of another ringing call is not that of this one")
    func secondCall() throws {
        let hints = try Self.hints(
            #"{"ring":{"as":"one"}},{"ring":{"as":"two"}},{"expect":{"action":"negative","of":"two"}}"#
        ) { bench in
            bench.subscribe()
            bench.announce("one", uid: 0, flags: .negativeAction, category: .incomingCall)
            bench.announce("two", uid: 1, flags: .negativeAction, category: .incomingCall)
            bench.write([2, 0, 0, 0, 0, 1], outcome: .performed)
        }
        #expect(hints == [#"it performed the negative action of "one" (UID 0) instead"#])
    }

    @Test(
        "requirements that a run did not reach are one line, and a long wait is said before it begins"
    )
    func lines() throws {
        let report = ScenarioReport(isJSON: false, isColored: false)
        let closing = report.closing(of: try ScenarioReportTests.result())
        #expect(closing.filter { $0.contains("untested, as the run ended early") }.count == 1)
        let patient = try Scenario(
            parsing: Array(
                #"{"title":"T","timeout":4500,"steps":[{"wait":"connected","within":4000}]}"#.utf8))
        #expect(report.opening(of: patient).contains { $0.contains("--limit") })
        let quick = try Scenario(
            parsing: Array(#"{"title":"T","steps":[{"wait":"connected"}]}"#.utf8))
        #expect(report.opening(of: quick) == ["T"])
    }
}
