import ANCSEvents
import BluetoothLE
import BluetoothTypes
import Testing

@testable import ANCSKit
@testable import AccessoryConformance

/// A grader that is told what was seen, second by second.
struct LinkStory {
    private var grader = LinkGrader()
    private(set) var now = Duration.zero

    static let iPhone = LinkParameters(
        interval: .milliseconds(30), supervisionTimeout: .milliseconds(720))

    /// A request, in milliseconds.
    static func request(
        _ shortest: Double, _ longest: Double, _ timeout: UInt16, latency: UInt16 = 0
    ) -> ConnectionParameters {
        ConnectionParameters(
            intervalMinimum: ConnectionInterval(rawValue: UInt16(shortest / 1.25)),
            intervalMaximum: ConnectionInterval(rawValue: UInt16(longest / 1.25)),
            latency: latency,
            supervisionTimeout: SupervisionTimeout(rawValue: timeout / 10))
    }

    /// What both editions allow.
    static let good = request(30, 45, 6000)

    static let advertisement = AdvertisingData([
        .flags(.generalDiscoverable), .transmitPower(0), .localName("Watch", isComplete: true),
        .solicitedServices([.ancs]),
    ])

    mutating func see(_ observation: LinkObservation) { grader.observe(observation, at: now) }

    mutating func wait(_ time: Duration) { now = now + time }

    mutating func connect() { see(.connected(Self.iPhone, isWhole: true)) }

    mutating func ask(_ wanted: ConnectionParameters = good, granted: Bool = true) {
        see(.requested(wanted, breaking: LinkRequirements.breaches(of: wanted)))
        see(.answered(isGranted: granted))
    }

    /// The verdicts once nothing more is seen.
    func verdicts() -> [Requirement: RequirementVerdict] {
        var grader = grader
        grader.finish(at: now)
        return Dictionary(
            uniqueKeysWithValues: grader.verdicts(of: "").map { ($0.requirement, $0) })
    }

    func result(_ requirement: Requirement) -> String {
        verdicts()[requirement]?.standing.rawValue ?? ""
    }

    func evidence(_ requirement: Requirement) -> [String] {
        verdicts()[requirement]?.evidence.map(\.message) ?? []
    }

    /// The requirements with this result, in their order.
    func requirements(_ word: String) -> [String] {
        Requirement.allCases.filter(\.isOfLink).filter { result($0) == word }.map(\.number)
    }
}

@Suite("The grade of a link") struct LinkGraderTests {
    @Test("an accessory that shares its identity key with another is named")
    func identityKey() {
        var story = LinkStory()
        story.see(.identityKeyCompared(sharedWith: nil))
        #expect(story.result(.hasOwnIdentityKey) == "kept")
        story.see(.identityKeyCompared(sharedWith: "Tern 0001"))
        #expect(
            story.evidence(.hasOwnIdentityKey) == [
                "it shares its identity key with Tern 0001: with resolvable addresses a phone "
                    + "confuses the two (at 0.0 s)"
            ])
    }

    @Test("what an accessory that is bonded advertises is a note at most")
    func bondedAdvertising() {
        func result(isBonded: Bool) -> String {
            var story = LinkStory()
            var advertisement = ReceivedAdvertisement(advertising: AdvertisingData())
            advertisement.isOfBonded = isBonded
            story.see(.advertised(advertisement))
            return story.result(.advertisingData)
        }
        #expect(result(isBonded: false) == "broken")
        #expect(result(isBonded: true) == "note")
    }

    @Test("an interval that may be twice one of Apple's is a note, and says what it may be")
    func doubled() {
        var story = LinkStory()
        var advertisement = ReceivedAdvertisement(
            advertising: LinkStory.advertisement, interval: .milliseconds(310))
        advertisement.alternativeInterval = .microseconds(152_500)
        story.see(.advertised(advertisement))
        #expect(story.result(.advertisingInterval) == "note")
        #expect(
            story.evidence(.advertisingInterval) == [
                "it was heard every 310.0 ms: it may advertise every 152.5 ms, and not have been "
                    + "heard each time (at 0.0 s)"
            ])
    }

    @Test("nothing is said of what was not seen")
    func nothing() {
        let story = LinkStory()
        #expect(
            story.requirements("untested") == Requirement.allCases.filter(\.isOfLink).map(\.number))
    }

    @Test(
        "an accessory that does everything right breaks no requirement, and keeps what was tested")
    func good() {
        var story = LinkStory()
        story.see(
            .advertised(
                ReceivedAdvertisement(
                    advertising: LinkStory.advertisement, interval: .microseconds(152_500))))
        story.connect()
        story.see(.servicesFound(["1800", "1801"]))
        story.wait(.seconds(1))
        story.ask()
        story.see(.refusedAccess)
        story.see(.asksForSecurity)
        story.see(.pairs)
        story.see(.paired)
        story.wait(.seconds(10))
        story.see(.disconnected(isLost: false))
        story.connect()
        story.see(.bondRestored)
        story.ask(granted: false)
        story.wait(.seconds(10))
        story.see(.disconnected(isLost: false))
        story.connect()
        story.see(.phoneAddressChanged)
        story.see(.bondRestored)
        story.ask()
        #expect(story.requirements("broken") == [])
        #expect(story.requirements("note") == [])
        // No Human Interface Device, and no lost link.
        #expect(story.requirements("untested") == ["L3", "P4", "K1"])
    }

    @Test("eight faults, each named by its requirement")
    func eightFaults() {
        var story = LinkStory()
        // A3: no Flags. A1: 100 ms.
        story.see(
            .advertised(
                ReceivedAdvertisement(
                    advertising: AdvertisingData([.transmitPower(0), .solicitedServices([.ancs])]),
                    interval: .milliseconds(100))))
        story.connect()
        // P2
        story.see(.servicesFound([]))
        // P3
        story.see(.asksForSecurity)
        story.see(.pairs)
        // L8, L1, L4
        story.wait(.seconds(6))
        story.ask(LinkStory.request(7.5, 45, 6000, latency: 40), granted: false)
        // L9
        for _ in 0..<4 {
            story.wait(.seconds(1))
            story.ask(LinkStory.request(7.5, 45, 6000, latency: 40), granted: false)
        }
        #expect(story.requirements("broken") == ["L1", "L4", "L9", "A1", "A3", "P2"])
        #expect(story.requirements("note") == ["L8", "P3"])
        #expect(
            story.evidence(.latency) == [
                "it asked for 7.5 to 45 ms, latency 40, timeout 6000 ms (5 times, first at 6.0 s)"
            ])
        #expect(
            story.evidence(.acceptsAnAnswer) == [
                "it asked for connection parameters 5 times in a row on a link of 10.0 s (at 0.0 s)"
            ])
        #expect(story.evidence(.advertisingInterval) == ["it advertised every 100.0 ms (at 0.0 s)"])
        #expect(
            story.evidence(.asksSoon) == [
                "it asked for connection parameters 6.0 s after the connection (at 6.0 s)"
            ])
    }

    @Test("a number that one edition forbids is a note, and one that both forbid is broken")
    func editions() throws {
        var story = LinkStory()
        story.connect()
        story.ask(LinkStory.request(30, 45, 4000))
        #expect(story.result(.supervisionTimeout) == "note")
        let finding = try #require(story.verdicts()[.supervisionTimeout])
        #expect(
            finding.demand
                == "the supervision timeout is 6 to 18 s (Apple, 2025); it may be rejected")
        #expect(finding.requirement.remedy == "Ask for 6 s, which both editions allow.")
        story.ask(LinkStory.request(30, 45, 1000))
        #expect(story.result(.supervisionTimeout) == "broken")
        #expect(story.evidence(.supervisionTimeout).count == 2)
    }

    @Test("a product is worked out")
    func sums() {
        var story = LinkStory()
        story.connect()
        story.ask(LinkStory.request(180, 200, 6000, latency: 9))
        #expect(
            story.evidence(.timeoutBeyondSilence) == [
                "it asked for 180 to 200 ms, latency 9, timeout 6000 ms: 3 × 200 ms × (9 + 1) = 6000 ms "
                    + "(at 0.0 s)"
            ])
        story.ask(LinkStory.request(180, 201.25, 18_000, latency: 29))
        #expect(
            story.evidence(.longestSilence).last?.contains("201.25 ms × (29 + 1) = 6037.5 ms")
                == true
        )
    }

    @Test("an HID accessory may ask for 11.25 ms")
    func humanInterface() {
        var story = LinkStory()
        story.connect()
        let wanted = LinkStory.request(11.25, 11.25, 6000)
        story.see(
            .requested(wanted, breaking: LinkRequirements.breaches(of: wanted, isHID: true)))
        #expect(story.requirements("broken") == [])
        #expect(story.result(.humanInterface) == "kept")
        var other = LinkStory()
        other.connect()
        other.ask(wanted)
        #expect(other.requirements("broken") == ["L1", "L2"])
        #expect(other.result(.humanInterface) == "untested")
    }

    @Test(
        "a first request within 2 s is soon enough; a later one, or none in 5 s, is a note",
        arguments: [
            (0, "kept"), (2000, "kept"), (2001, "note"), (4999, "note"), (8000, "note"),
        ])
    func time(milliseconds: Int, word: String) {
        var story = LinkStory()
        story.connect()
        story.wait(.milliseconds(milliseconds))
        story.ask()
        #expect(story.result(.asksSoon) == word)
    }

    @Test("a link that asks for nothing is a note after 5 s, if its timeout is an iPhone's")
    func silent() {
        func result(_ seconds: Int, _ parameters: LinkParameters?, isWhole: Bool = true) -> String {
            var story = LinkStory()
            story.see(.connected(parameters, isWhole: isWhole))
            story.wait(.seconds(seconds))
            story.see(.disconnected(isLost: false))
            return story.result(.asksSoon)
        }
        #expect(result(4, LinkStory.iPhone) == "untested")
        #expect(result(5, LinkStory.iPhone) == "note")
        #expect(result(5, LinkStory.iPhone, isWhole: false) == "untested")
        #expect(result(5, nil) == "untested")
        let long = LinkParameters(interval: .milliseconds(30), supervisionTimeout: .seconds(2))
        #expect(result(60, long) == "untested")
    }

    @Test("what was granted for half a minute is settled: a later change is no renegotiation")
    func changes() {
        func result(pause: Duration) -> String {
            var story = LinkStory()
            story.connect()
            for _ in 0..<8 {
                story.ask()
                story.see(
                    .inForce(
                        LinkParameters(
                            interval: .milliseconds(45), supervisionTimeout: .seconds(6))))
                story.wait(pause)
            }
            return story.result(.acceptsAnAnswer)
        }
        #expect(result(pause: .seconds(30)) == "untested")
        #expect(result(pause: .seconds(29)) == "broken")
    }

    @Test(
        "three requests after an answer without effect are right, and four are not",
        arguments: [(1, "kept"), (3, "kept"), (4, "broken")])
    func vain(count: Int, word: String) {
        var story = LinkStory()
        story.connect()
        for _ in 0..<count { story.ask(granted: false) }
        #expect(story.result(.acceptsAnAnswer) == word)
    }

    @Test("what is put back after it was granted is an answer without effect")
    func overwritten() {
        var story = LinkStory()
        story.connect()
        story.ask()
        #expect(story.result(.acceptsAnAnswer) == "untested")
        story.see(
            .inForce(
                LinkParameters(interval: .milliseconds(30), supervisionTimeout: .seconds(6))))
        #expect(story.result(.acceptsAnAnswer) == "untested")
        story.see(.inForce(LinkStory.iPhone))
        #expect(story.result(.acceptsAnAnswer) == "kept")
    }

    @Test("what an advertisement lacks is broken if iOS finds nothing by it, and a note otherwise")
    func data() {
        func result(_ advertising: AdvertisingData, _ response: AdvertisingData) -> String {
            var story = LinkStory()
            story.see(
                .advertised(ReceivedAdvertisement(advertising: advertising, response: response)))
            return story.result(.advertisingData)
        }
        let flags = AdvertisingData.Structure.flags(.generalDiscoverable)
        let solicited = AdvertisingData.Structure.solicitedServices([.ancs])
        let power = AdvertisingData.Structure.transmitPower(0)
        let heart = AdvertisingData.Structure.solicitedServices(["180D"])
        #expect(result(AdvertisingData([flags, power, solicited]), AdvertisingData()) == "kept")
        // TX Power is recommended.
        #expect(result(AdvertisingData([flags, solicited]), AdvertisingData()) == "note")
        #expect(
            result(AdvertisingData([flags, power, heart]), AdvertisingData([solicited])) == "note")
        #expect(result(AdvertisingData([flags, power]), AdvertisingData([solicited])) == "broken")
        #expect(result(AdvertisingData([power, solicited]), AdvertisingData()) == "broken")
    }

    @Test("advertising that is directed or accepts no connection is broken")
    func reach() {
        func story(_ reach: ReceivedAdvertisement.Reach) -> LinkStory {
            var story = LinkStory()
            story.see(
                .advertised(
                    ReceivedAdvertisement(advertising: LinkStory.advertisement, reach: reach)))
            return story
        }
        #expect(story(.everyone).result(.connectable) == "kept")
        #expect(story(.nobody).requirements("broken") == ["A2"])
        // It has no data to be judged.
        #expect(story(.oneDevice).requirements("broken") == ["A2"])
        #expect(story(.oneDevice).result(.advertisingData) == "untested")
    }

    @Test("security that is asked for after a refusal, or with a bond, is no note")
    func security() {
        func result(refused: Bool, isRestored: Bool = false) -> String {
            var story = LinkStory()
            story.connect()
            if refused { story.see(.refusedAccess) }
            story.see(.asksForSecurity)
            story.see(isRestored ? .bondRestored : .pairs)
            return story.result(.waitsWithSecurity)
        }
        #expect(result(refused: false) == "note")
        #expect(result(refused: true) == "kept")
        #expect(result(refused: false, isRestored: true) == "untested")
    }

    @Test("a phone with another address has to be known, if it was known before")
    func address() {
        func result(restoredBefore: Bool, changed: Bool) -> String {
            var story = LinkStory()
            story.connect()
            if restoredBefore { story.see(.bondRestored) }
            story.see(.disconnected(isLost: false))
            story.connect()
            if changed { story.see(.phoneAddressChanged) }
            story.see(.bondUnknown)
            return story.result(.knowsChangedAddress)
        }
        #expect(result(restoredBefore: true, changed: true) == "broken")
        #expect(result(restoredBefore: false, changed: true) == "note")
        #expect(result(restoredBefore: true, changed: false) == "untested")
    }

    @Test("services that are found on an encrypted link say nothing")
    func services() {
        func result(_ services: [BluetoothUUID], isEncrypted: Bool) -> String {
            var story = LinkStory()
            story.connect()
            if isEncrypted { story.see(.bondRestored) }
            story.see(.servicesFound(services))
            return story.result(.discoverableWithoutPairing)
        }
        #expect(result(["1800"], isEncrypted: false) == "kept")
        #expect(result([], isEncrypted: false) == "broken")
        #expect(result([], isEncrypted: true) == "untested")
    }

    @Test("after three lost links within 60 s, a quick return is a note")
    func losses() {
        func result(_ losses: Int, link: Duration, back: Duration, isLost: Bool = true) -> String {
            var story = LinkStory()
            for _ in 0..<losses {
                story.connect()
                story.wait(link)
                story.see(.disconnected(isLost: isLost))
            }
            story.wait(back)
            story.connect()
            return story.result(.slowsDown)
        }
        #expect(result(3, link: .seconds(1), back: .seconds(1)) == "note")
        #expect(result(3, link: .seconds(1), back: .seconds(2)) == "kept")
        #expect(result(2, link: .seconds(1), back: .seconds(1)) == "untested")
        #expect(result(3, link: .seconds(31), back: .seconds(1)) == "untested")
        #expect(result(3, link: .seconds(1), back: .seconds(1), isLost: false) == "untested")
    }

    @Test("whatever comes, findings stay few and nothing traps")
    func bounded() {
        var story = LinkStory()
        for number in 0..<5000 as Range<UInt16> {
            if number % 7 == 0 { story.connect() }
            story.ask(
                ConnectionParameters(
                    intervalMinimum: ConnectionInterval(rawValue: number &* 9973),
                    intervalMaximum: ConnectionInterval(rawValue: number &* 7919),
                    latency: number &* 31, supervisionTimeout: SupervisionTimeout(rawValue: number)),
                granted: false)
            story.see(
                .advertised(
                    ReceivedAdvertisement(
                        advertising: AdvertisingData(), interval: .milliseconds(Int64(number)))))
            story.see(.disconnected(isLost: true))
        }
        for verdict in story.verdicts().values {
            #expect(verdict.evidence.count <= 12)
            #expect(verdict.demand.utf8.count < 1000)
        }
    }

    @Test("no word of a finding says that an iPhone refuses")
    func words() {
        for requirement in Requirement.allCases.filter(\.isOfLink) {
            let text = [requirement.statement, requirement.row.demand, requirement.remedy].joined(
                separator: " ")
            #expect(!text.contains("refuses") && !text.contains("rejects"), "\(text)")
        }
    }
}
