import ANCSEvents
import ANCS
import BluetoothLE
import DBus
import Octets
import Testing

@testable import BlueZ

/// Where bluetoothd ends when it is asked for a socket, it is not asked again and again.
@Suite struct SocketGuardTests {
    private static let data = "AcquireNotify dev_1/service0010/char0016"
    private static let startData = "StartNotify dev_1/service0010/char0016"
    private static let stopData = "StopNotify dev_1/service0010/char0016"
    private static let source = "StartNotify dev_1/service0010/char0011"
    private static let enforcing = SELinuxState(isEnforcing: true, policy: "targeted/policy.33 1 2")
    private static let modalias = "usb:v1D6Bp0246d0552"
    private static let lost = BusError(BusError.noReply)

    private static func bench(
        _ selinux: SELinuxState = enforcing, textsOnBus: Bool = false,
        after ends: [DaemonEnds] = []
    ) -> Bench {
        var configuration = BlueZAccessory.Configuration(name: "desk lamp")
        configuration.allowsTextsOnBus = textsOnBus
        let bench = Bench(configuration)
        bench.selinux = selinux
        bench.input { accessory, now in
            accessory.remembered(ends, at: now)
            accessory.selinuxRead(selinux, at: now)
        }
        return bench
    }

    /// The phone is there, and its services are known.
    private static func begin(_ bench: Bench, modalias: String = modalias) -> [Bench.Line] {
        bench.addAdapter(modalias: modalias)
        bench.addPairedPhone(isConnected: true)
        bench.resolve()
        let name = bench.now == .zero ? Bench.owner : Bench.secondOwner
        return bench.daemonBegins(name)
    }

    /// Asks for the texts of the phone that is there.
    @discardableResult
    private static func subscribe(_ bench: Bench) -> [Bench.Line] {
        guard let phone = bench.connectedPhones.first else { return [] }
        return bench.request(.subscribe(.dataSource), of: phone.rawValue)
    }

    /// bluetoothd ends when it is asked for a socket. What it was asked before stays unanswered.
    private static func end(_ bench: Bench) {
        _ = begin(bench)
        #expect(subscribe(bench).calls == [data])
        bench.daemonEnds()
        for _ in bench.pending { bench.finish(at: 0, .failure(lost)) }
        bench.wait(.seconds(1))
    }

    /// Whether bluetoothd is asked for a socket when the phone is there.
    private static func isAsked(_ bench: Bench, modalias: String = modalias) -> Bool {
        let lines = begin(bench, modalias: modalias) + subscribe(bench)
        return lines.calls.contains(data)
    }

    private static func ends(
        _ count: Int, _ selinux: SELinuxState = enforcing, age: Duration = .zero
    ) -> DaemonEnds {
        DaemonEnds(
            DaemonCircumstances(modalias: modalias, selinux: selinux), count: count, age: age)
    }

    // MARK: Enforcing

    @Test func oneEndIsEnoughWhereSELinuxEnforces() {
        let bench = Self.bench()
        Self.end(bench)
        #expect(bench.remembered == [[Self.ends(1)]])
        let lines = Self.begin(bench)
        #expect(lines.events.contains(.socketsEndDaemon(isEnforcing: true)))
        #expect(lines.phoneEvents.count == 1)
        #expect(Self.subscribe(bench).isEmpty)
        // It waits, without a word or a call at the phone.
        bench.answer("RegisterAgent /org/bluez")
        bench.goOnAir()
        #expect(bench.wait(.seconds(86_400)).isEmpty)
        #expect(bench.remembered.count == 1)
    }

    @Test func itIsSaidOncePerBluetoothd() {
        let bench = Self.bench(after: [Self.ends(1)])
        let event = BlueZEvent.socketsEndDaemon(isEnforcing: true)
        #expect(Self.begin(bench).events.filter { $0 == event }.count == 1)
        bench.disconnect()
        #expect((bench.connect() + bench.resolve()).events.filter { $0 == event }.isEmpty)
        bench.daemonEnds()
        #expect(Self.begin(bench).events.filter { $0 == event }.count == 1)
    }

    @Test func whatAnEarlierRunHasSeenCounts() {
        let bench = Self.bench(after: [Self.ends(1, age: .seconds(86_400 * 365))])
        #expect(!Self.isAsked(bench))
    }

    @Test(arguments: [
        (SELinuxState(isEnforcing: true, policy: "targeted/policy.33 1 3"), modalias),
        (SELinuxState(isEnforcing: false, policy: "targeted/policy.33 1 2"), modalias),
        (SELinuxState(), modalias), (enforcing, "usb:v1D6Bp0246d0553"),
    ])
    func aChangeIsAChance(_ selinux: SELinuxState, _ modalias: String) {
        let bench = Self.bench(selinux, after: [Self.ends(1)])
        #expect(Self.isAsked(bench, modalias: modalias))
    }

    @Test func aNewPolicyIsNoticedWhileThePhoneWaits() {
        let bench = Self.bench(after: [Self.ends(1)])
        #expect(!Self.isAsked(bench))
        bench.selinux = SELinuxState(isEnforcing: true, policy: "targeted/policy.33 1 3")
        #expect(bench.wait(.seconds(59)).phoneEvents.isEmpty)
        #expect(
            bench.wait(.seconds(1)).phoneEvents
                == [.available(hasControlPoint: true, hasDataSource: true)])
        #expect(Self.subscribe(bench).calls == [Self.data])
        // What it was with the old policy is still known.
        bench.selinux = Self.enforcing
        bench.disconnect()
        bench.connect()
        #expect(!(bench.resolve() + Self.subscribe(bench)).calls.contains(Self.data))
    }

    @Test func aPolicyThatComesWhileASessionStandsIsHeededWithItsNextSocket() throws {
        let bench = Self.bench(SELinuxState(), after: [Self.ends(1)])
        _ = Self.begin(bench)
        bench.subscribe()
        bench.selinux = Self.enforcing
        bench.addPairedPhone("dev_2", isConnected: true)
        #expect(bench.broadcast([1]) == [.report(1, .notificationSource([1]))])
        let socket = try #require(bench.sockets.first)
        bench.input { $0.hungUp(socket, at: $1) }
        let lines = bench.wait(.seconds(2))
        #expect(!lines.calls.contains(Self.data))
        #expect(lines.events.contains(.socketsEndDaemon(isEnforcing: true)))
        #expect(lines.phoneEvents == [.unavailable])
    }

    // MARK: Not enforcing

    @Test func elsewhereTwoEndsAreFollowedByAPause() {
        let bench = Self.bench(SELinuxState())
        Self.end(bench)
        Self.end(bench)
        #expect(bench.remembered.last?.map(\.count) == [2])
        let lines = Self.begin(bench)
        #expect(lines.events.contains(.socketsEndDaemon(isEnforcing: false)))
        #expect(Self.subscribe(bench).isEmpty)
        #expect(bench.wait(.seconds(898)).phoneEvents.isEmpty)
        #expect(
            bench.wait(.seconds(1)).phoneEvents
                == [.available(hasControlPoint: true, hasDataSource: true)])
        #expect(Self.subscribe(bench).calls == [Self.data])
        // One more is enough.
        bench.daemonEnds()
        #expect(!Self.isAsked(bench))
        #expect(bench.remembered.last?.map(\.count) == [3])
    }

    @Test func thePauseGoesOnAfterARestart() {
        let bench = Self.bench(
            SELinuxState(), after: [Self.ends(2, SELinuxState(), age: .seconds(600))])
        #expect(!Self.isAsked(bench))
        #expect(bench.wait(.seconds(299)).phoneEvents.isEmpty)
        #expect(
            bench.wait(.seconds(1)).phoneEvents
                == [.available(hasControlPoint: true, hasDataSource: true)])
    }

    @Test func aSocketEndsTheMatter() {
        let bench = Self.bench(SELinuxState())
        Self.end(bench)
        _ = Self.begin(bench)
        Self.subscribe(bench)
        bench.answer(Self.data, .descriptor(Bench.descriptor))
        #expect(bench.remembered.last == [])
        bench.daemonEnds()
        #expect(bench.remembered.last == [])
        Self.end(bench)
        #expect(bench.remembered.last?.map(\.count) == [1])
        #expect(Self.isAsked(bench))
    }

    // MARK: What counts

    /// The bus reports the failure of the call before the end of bluetoothd, or after it, and bluetoothd may take
    /// longer to end than the call may take.
    @Test(arguments: [Duration.zero, .seconds(10)])
    func aReplyThatIsLostShortlyBeforeTheEndCounts(_ pause: Duration) {
        let bench = Self.bench()
        _ = Self.begin(bench)
        Self.subscribe(bench)
        // What is asked again is asked of nobody, and that is not what the user has to hear of.
        #expect(bench.finish(Self.data, .failure(Self.lost)) == [.call(Self.data)])
        #expect(
            bench.finish(Self.data, .failure(BusError(BusError.serviceUnknown))) == [
                .report(1, .subscriptionRefused(.dataSource, errorCode: 0x0E))
            ])
        bench.wait(pause)
        bench.daemonEnds()
        #expect(bench.remembered == [[Self.ends(1)]])
    }

    @Test func anEndLaterThanThatDoesNotCount() {
        let bench = Self.bench()
        _ = Self.begin(bench)
        Self.subscribe(bench)
        bench.finish(Self.data, .failure(Self.lost))
        bench.finish(Self.data, .failure(Self.lost))
        bench.wait(.seconds(10) + .nanoseconds(1))
        bench.daemonEnds()
        #expect(bench.remembered.isEmpty)
    }

    @Test func aBluetoothdThatStillAnswersIsNotEnding() {
        let bench = Self.bench()
        _ = Self.begin(bench)
        Self.subscribe(bench)
        bench.finish(Self.data, .failure(Self.lost))
        bench.refuse(Self.data, "Failed")
        bench.daemonEnds()
        #expect(bench.remembered.isEmpty)
    }

    @Test func aBluetoothdThatStillHasTheCallMayBeEnding() {
        let bench = Self.bench()
        _ = Self.begin(bench)
        Self.subscribe(bench)
        bench.finish(Self.data, .failure(Self.lost))
        bench.refuse(Self.data, "NotPermitted", "Notify acquired")
        bench.daemonEnds()
        #expect(bench.remembered == [[Self.ends(1)]])
    }

    @Test func anEndWithoutTheCallDoesNotCount() {
        let bench = Self.bench()
        _ = Self.begin(bench)
        bench.subscribe()
        bench.request(.writeControlPoint([0]))
        bench.daemonEnds()
        _ = Self.begin(bench)
        bench.daemonEnds()
        #expect(bench.remembered.isEmpty)
    }

    @Test func aReplacementCountsAsAnEnd() {
        let bench = Self.bench()
        _ = Self.begin(bench)
        Self.subscribe(bench)
        bench.ownerChanged(to: Bench.secondOwner)
        #expect(bench.remembered == [[Self.ends(1)]])
    }

    @Test func twoPhonesAreOneEnd() {
        let bench = Self.bench()
        bench.begin()
        for name in ["dev_1", "dev_2"] {
            bench.addPairedPhone(name)
            bench.connect(name)
            bench.resolve(name)
        }
        for phone in [1, 2] as [UInt64] { bench.request(.subscribe(.dataSource), of: phone) }
        #expect(bench.pending.count { $0.text.hasPrefix("AcquireNotify") } == 2)
        bench.daemonEnds()
        #expect(bench.remembered == [[Self.ends(1)]])
    }

    @Test func noMoreIsRememberedThanTheLimit() {
        let bench = Self.bench()
        for number in 0..<20 {
            bench.selinux.policy = "policy \(number)"
            bench.input { [selinux = bench.selinux] in $0.selinuxRead(selinux, at: $1) }
            Self.end(bench)
        }
        let policies = bench.remembered.last?.map(\.circumstances.selinux.policy)
        #expect(policies == (12..<20).map { "policy \($0)" })
        let many = (0..<20).map {
            DaemonEnds(
                DaemonCircumstances(modalias: "\($0)"), count: .max, age: .seconds(Int64.max))
        }
        let other = Self.bench(after: many)
        Self.end(other)
        #expect(other.remembered.last?.count == 8)
        #expect(other.remembered.last?.first?.count == DaemonEnds.maximumCount)
    }

    // MARK: While it waits

    @Test func aPhoneThatWaitsAndGoesHasNoTroubleWithItsKeys() {
        let bench = Self.bench(after: [Self.ends(1)])
        _ = Self.begin(bench)
        for _ in 1...10 {
            #expect(bench.disconnect().phoneEvents == [.disconnected(.linkEnded)])
            #expect((bench.connect() + bench.resolve()).phoneEvents.count == 1)
        }
    }

    @Test func aPhoneThatWaitsIsLeftWithoutACall() {
        let bench = Self.bench(after: [Self.ends(1)])
        _ = Self.begin(bench)
        let phone = PhoneID(rawValue: 1)
        let lines = bench.input { $0.leave(phone, at: $1) }
        #expect(lines.phoneEvents == [.disconnected(.left)])
        #expect(lines.calls.allSatisfy { $0 == "RegisterAdvertisement hci0" })
    }

    @Test func aPhoneWithoutTextsNeedsNoSocket() {
        let bench = Self.bench(after: [Self.ends(1)])
        bench.begin()
        bench.addPairedPhone()
        bench.remove(Bench.path("dev_1/service0010/char0016"))
        bench.connect()
        bench.resolve()
        #expect(
            bench.wait(.seconds(1)).phoneEvents
                == [.available(hasControlPoint: true, hasDataSource: false)])
    }

    @Test func servicesThatComeAnewWaitToo() {
        let bench = Self.bench(after: [Self.ends(1)])
        _ = Self.begin(bench)
        bench.removeANCS()
        #expect(bench.addANCS(service: "service0030").phoneEvents.isEmpty)
        bench.selinux = SELinuxState()
        #expect(
            bench.wait(.seconds(60)).phoneEvents
                == [.available(hasControlPoint: true, hasDataSource: true)])
    }

    // MARK: On the bus

    @Test func textsComeOverTheBusWhereTheUserAllowsIt() {
        let bench = Self.bench(textsOnBus: true, after: [Self.ends(1)])
        _ = Self.begin(bench)
        #expect(Self.subscribe(bench) == [.call(Self.startData)])
        let lines = bench.answer(Self.startData)
        #expect(lines.last == .report(1, .subscribed(.dataSource)))
        guard case .event(.phone(_, .isBroadcast)) = lines.first else {
            Issue.record("nobody is told that texts are broadcast: \(lines)")
            return
        }
        bench.request(.subscribe(.notificationSource))
        bench.answer(Self.source)
        #expect(
            bench.broadcast([7], of: "dev_1/service0010/char0016") == [.report(1, .dataSource([7]))]
        )
        // No socket was asked for, so it may be stopped.
        #expect(bench.input { $0.leave(PhoneID(rawValue: 1), at: $1) }.calls.count == 2)
    }

    @Test func aSocketIsTriedFirstThoughTheUserAllowsTheBus() {
        let bench = Self.bench(textsOnBus: true)
        #expect(Self.isAsked(bench))
    }
}

extension [Bench.Line] {
    fileprivate var events: [BlueZEvent] {
        compactMap { if case .event(let event) = $0 { event } else { nil } }
    }
}
