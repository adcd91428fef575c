import ANCS
import ANCSEvents
import BluetoothLE
import DBus
import Octets
import Testing

@testable import BlueZ

/// Any program of any local user can have bluetoothd pair with a device. So a bond that this program did not make is
/// asked about once, when its device offers ANCS, and counts for nothing before.
@Suite struct BondPolicyTests {
    private static let lamp = BondIdentity(
        adapter: "00:1A:7D:DA:71:13", address: "C0:FF:EE:00:00:01", type: "random")
    private static let question = BlueZAccessory.firstBondQuestion + 1

    private static func asks(
        of phone: UInt64, name: String? = nil, number: UInt64 = question
    ) -> [Bench.Line] {
        [
            .phone(phone, .peer(.unserved(.notAccepted))),
            .phone(phone, .askAboutBond(number, address: lamp.address, name: name)),
        ]
    }

    private static func daemon(
        _ policy: BondPolicy = .ask, window: PairingWindow = .closed,
        decided: [BondIdentity: Bool] = [:]
    ) -> Bench {
        var configuration = BlueZAccessory.Configuration(name: "desk lamp")
        configuration.pairingWindow = window
        configuration.ability = .keyboardDisplay
        configuration.requiresAuthentication = true
        configuration.bonds = policy
        let bench = Bench(configuration, decided: decided)
        bench.begin()
        return bench
    }

    private static func offer(_ bench: Bench, _ name: String = "dev_1") -> [Bench.Line] {
        bench.addPairedPhone(name)
        return bench.connect(name) + bench.resolve(name)
    }

    private static func answer(
        _ bench: Bench, _ answer: PairingReply.Answer, to number: UInt64 = question
    ) -> [Bench.Line] {
        bench.input { $0.answer(number, answer, at: $1) }
    }

    // MARK: The question

    @Test func aBondOfAnotherProgramIsAskedAboutAndServedOnceItIsAccepted() {
        let bench = Self.daemon()
        let lines = Self.offer(bench)
        #expect(lines.suffix(2) == Self.asks(of: 1)[...])
        #expect(!lines.contains(.available(1)) && lines.calls.isEmpty)
        #expect(bench.request(.subscribe(.dataSource)).isEmpty)
        let accepted = Self.answer(bench, .confirm(true))
        #expect(accepted.contains(.available(1)))
        #expect(bench.decided.map(\.bond) == [Self.lamp] && bench.decided[0].isAccepted == true)
        bench.subscribe()
        #expect(bench.broadcast([1]) == [.report(1, .notificationSource([1]))])
        bench.disconnect()
        bench.connect()
        #expect(bench.resolve() == [.available(2)])
    }

    @Test func aBondThatIsDeclinedIsNotAskedAboutAgain() {
        let bench = Self.daemon()
        _ = Self.offer(bench)
        let lines = Self.answer(bench, .confirm(false))
        #expect(lines.phoneEvents == [.withdrawn, .peer(.unserved(.declined))])
        bench.disconnect()
        #expect(
            (bench.connect() + bench.resolve()).phoneEvents.last == .peer(.unserved(.declined)))
        #expect(bench.decided.map(\.isAccepted) == [false])
    }

    @Test func whoOpensPairingIsAskedAgainAboutWhatIsConnected() {
        let bench = Self.daemon()
        _ = Self.offer(bench)
        _ = Self.answer(bench, .confirm(false))
        let lines = bench.input { $0.openPairingWindow(for: .seconds(120), at: $1) }
        #expect(lines.phoneEvents == Self.asks(of: 1, number: Self.question + 1).phoneEvents)
        #expect(
            Self.answer(bench, .confirm(true), to: Self.question + 1).contains(.available(1)))
    }

    @Test func aDeviceThatComesAndGoesIsTheSameQuestionWhichCanBeAnsweredMeanwhile() {
        let bench = Self.daemon()
        _ = Self.offer(bench)
        for phone in UInt64(2)...20 {
            bench.disconnect()
            let lines = bench.connect() + bench.resolve()
            #expect(lines.suffix(2) == Self.asks(of: phone)[...])
        }
        bench.disconnect()
        #expect(Self.answer(bench, .confirm(true)).phoneEvents == [.withdrawn])
        bench.connect()
        #expect(bench.resolve() == [.available(21)])
    }

    @Test func anAnswerOfAnotherKindDecidesNothing() {
        let bench = Self.daemon()
        _ = Self.offer(bench)
        for answer in [PairingReply.Answer.cancel, .passkey(1)] {
            #expect(Self.answer(bench, answer).isEmpty)
        }
        #expect(Self.answer(bench, .confirm(true), to: Self.question + 1).isEmpty)
        #expect(bench.decided.isEmpty)
    }

    @Test(arguments: [BondPolicy.accepted, .any])
    func otherPoliciesAskNothing(_ policy: BondPolicy) {
        let bench = Self.daemon(policy)
        let lines = Self.offer(bench)
        #expect(lines.contains(.available(1)) == (policy == .any))
        #expect(
            lines.contains(.phone(1, .peer(.unserved(.notAccepted)))) == (policy == .accepted))
        #expect(!lines.contains(Self.asks(of: 1)[1]))
    }

    @Test func whatAnEarlierRunHasDecidedCounts() {
        #expect(
            Self.offer(Self.daemon(decided: [Self.lamp: true])).contains(.available(1)))
        #expect(
            Self.offer(Self.daemon(decided: [Self.lamp: false])).contains(
                .phone(1, .peer(.unserved(.declined)))))
    }

    /// The address of a phone, of another adapter or of another type, is another bond.
    @Test func aBondOfAnotherAdapterOrTypeOfAddressIsAnother() {
        var other = Self.lamp
        other.adapter = "00:1A:7D:DA:71:14"
        var otherType = Self.lamp
        otherType.type = "public"
        let bench = Self.daemon(decided: [other: true, otherType: true])
        #expect(!Self.offer(bench).contains(.available(1)))
    }

    // MARK: Places

    @Test func fourDevicesThatNobodyHasAcceptedTakeNoPlace() {
        let phone = BondIdentity(
            adapter: "00:1A:7D:DA:71:13", address: "C0:FF:EE:00:00:09", type: "random")
        let bench = Self.daemon(decided: [phone: true])
        for number in 1...4 {
            bench.addDevice(
                "dev_\(number)", isConnected: false, isPaired: true,
                address: "C0:FF:EE:00:00:0\(number)",
                and: ["UUIDs": .strings([BluetoothUUID.ancs.text])])
            bench.addANCS(to: "dev_\(number)")
            bench.connect("dev_\(number)")
            bench.resolve("dev_\(number)")
        }
        bench.addDevice(
            "dev_9", isConnected: false, isPaired: true, address: phone.address,
            and: ["UUIDs": .strings([BluetoothUUID.ancs.text])])
        bench.addANCS(to: "dev_9")
        bench.connect("dev_9")
        #expect(bench.resolve("dev_9").contains(.available(5)))
        bench.input { accessory, _ in #expect(accessory.countPairedPhones() == 1) }
    }

    @Test func aPhoneWithoutAPlaceIsNamedOnceOnItsLinkAndServedWhenThereIsOne() {
        let bench = Self.daemon(.any)
        for number in UInt64(1)...4 { bench.serve("dev_\(number)", of: number) }
        bench.addPairedPhone("dev_5")
        let lines = bench.connect("dev_5") + bench.resolve("dev_5")
        #expect(lines.phoneEvents.last == .peer(.unserved(.noPlace)))
        #expect(
            bench.changeDevice("dev_5", ["Name": .string("Ada")]).phoneEvents == [.named("Ada")])
        #expect(bench.disconnect("dev_2").contains(.available(5)))
    }

    @Test func untilItIsAcceptedTheWindowStaysOpen() {
        let bench = Self.daemon(window: .untilPhoneIsBonded)
        #expect(!Self.offer(bench).contains(.event(.pairingWindow(isOpen: false))))
        #expect(Self.answer(bench, .confirm(true)).contains(.event(.pairingWindow(isOpen: false))))
    }

    // MARK: When a decision is void

    @Test func aBondThatIsGoneIsAskedAboutWhenItReturns() {
        let bench = Self.daemon(decided: [Self.lamp: true])
        bench.serve()
        bench.changeDevice("dev_1", ["Paired": .bool(false)])
        #expect(bench.decided.map(\.isAccepted) == [nil])
        #expect(bench.connectedPhones.count == 1)
        let lines = bench.changeDevice("dev_1", ["Paired": .bool(true)])
        #expect(lines == Self.asks(of: 1))
        #expect(bench.request(.subscribe(.dataSource)).isEmpty)
    }

    @Test func aDeviceThatWasRemovedIsAskedAboutThoughItComesBackAtOnce() {
        let bench = Self.daemon(decided: [Self.lamp: true])
        bench.addPairedPhone()
        bench.removeANCS()
        bench.remove(Bench.path("dev_1"))
        #expect(bench.decided.isEmpty)
        #expect(Self.offer(bench).suffix(2) == Self.asks(of: 1)[...])
        #expect(bench.decided.map(\.isAccepted) == [nil])
    }

    @Test func aDeviceThatWasRemovedIsForgottenAfterSomeSeconds() {
        let bench = Self.daemon(decided: [Self.lamp: true])
        bench.addPairedPhone()
        bench.remove(Bench.path("dev_1"))
        bench.wait(BondBook.patience)
        #expect(bench.decided.map(\.isAccepted) == [nil])
    }

    @Test func aBondThatEndedWhileThisProgramDidNotRunIsForgotten() {
        let bench = Self.daemon(decided: [Self.lamp: true])
        bench.wait(BondBook.patience)
        #expect(bench.decided.map(\.isAccepted) == [nil])
    }

    /// bluetoothd removes its devices before their adapter, and its name last.
    @Test(arguments: [true, false])
    func whatIsAcceptedStaysSoWhenTheAdapterOrBluetoothdGoes(isAdapter: Bool) {
        let bench = Self.daemon(decided: [Self.lamp: true])
        bench.serve()
        bench.disconnect()
        bench.removeANCS()
        bench.remove(Bench.path("dev_1"))
        bench.wait(.milliseconds(200))
        bench.remove("/org/bluez/hci0")
        if !isAdapter { bench.daemonEnds() }
        bench.wait(.seconds(60))
        #expect(bench.decided.isEmpty)
        if isAdapter {
            bench.addAdapter()
        } else {
            bench.addAdapter()
            bench.daemonBegins(Bench.secondOwner)
            bench.answer("RegisterAgent /org/bluez")
        }
        bench.goOnAir()
        #expect(Self.offer(bench).contains(.available(2)))
        bench.wait(.seconds(60))
        #expect(bench.decided.isEmpty)
    }

    @Test func switchingTheAdapterOffChangesNothing() {
        let bench = Self.daemon(decided: [Self.lamp: true])
        bench.addPairedPhone()
        bench.power(false)
        bench.wait(.seconds(60))
        bench.power(true)
        bench.goOnAir()
        #expect((bench.connect() + bench.resolve()).contains(.available(1)))
    }

    @Test func theQuestionEndsWithTheBond() {
        let bench = Self.daemon()
        _ = Self.offer(bench)
        bench.disconnect()
        #expect(bench.changeDevice("dev_1", ["Paired": .bool(false)]).phoneEvents == [.withdrawn])
        #expect(Self.answer(bench, .confirm(true)).isEmpty)
    }

    // MARK: Who made it

    /// A new device is connected, and pairing is open.
    private static func pairing(isResolved: Bool = true) -> Bench {
        let bench = daemon(window: .open)
        bench.addDevice(isResolved: isResolved, address: lamp.address)
        bench.answer("UnregisterAdvertisement hci0")
        return bench
    }

    private static func becomePhone(_ bench: Bench) -> [Bench.Line] {
        bench.addANCS() + bench.resolve()
    }

    @Test func aPairingWithDigitsHereIsKeptAndAsksNothingMore() {
        let bench = Self.pairing()
        _ = bench.askAgent("RequestConfirmation", 42)
        bench.input { $0.answer(1, .confirm(true), at: $1) }
        bench.changeDevice("dev_1", ["Paired": .bool(true)])
        bench.answer("Pair dev_1")
        #expect(bench.decided.map(\.bond) == [Self.lamp] && bench.decided[0].isAccepted == true)
        #expect(
            Self.becomePhone(bench).phoneEvents.contains(
                .available(hasControlPoint: true, hasDataSource: true)))
    }

    @Test func justWorksThatThisProgramBeganIsRemovedAsBefore() {
        let bench = Self.pairing()
        bench.changeDevice("dev_1", ["Paired": .bool(true)])
        #expect(bench.answer("Pair dev_1").calls.contains("RemoveDevice hci0"))
    }

    @Test(arguments: ["AlreadyExists", "InProgress", "AuthenticationFailed"])
    func aBondThatAnotherAgentMakesIsNeitherRemovedNorServedUnasked(_ error: String) {
        let bench = Self.pairing()
        var lines: [Bench.Line] = []
        if error == "AlreadyExists" {
            lines += bench.changeDevice("dev_1", ["Paired": .bool(true)])
        }
        lines += bench.refuse("Pair dev_1", error)
        if error != "AlreadyExists" {
            lines += bench.changeDevice("dev_1", ["Paired": .bool(true)])
        }
        lines += Self.becomePhone(bench)
        #expect(!lines.calls.contains("RemoveDevice hci0"))
        #expect(!lines.contains(.available(1)))
        #expect(lines.suffix(2) == Self.asks(of: 1)[...])
    }

    @Test func aBondThatIsMadeWhileServicesAreDiscoveredIsAskedAbout() {
        let bench = Self.pairing(isResolved: false)
        // The discovery may have begun before the bond, so that there is another link.
        #expect(
            bench.changeDevice("dev_1", ["Paired": .bool(true)]).calls.contains("Disconnect dev_1"))
        bench.addANCS()
        bench.disconnect()
        let lines = bench.connect() + bench.resolve()
        #expect(lines.suffix(2) == Self.asks(of: 2)[...])
    }

    /// Our agent was asked, and refused: whatever bluetoothd makes of it, nobody else answered.
    @Test func justWorksThatOurAgentHasRefusedIsRemoved() {
        let bench = Self.pairing(isResolved: false)
        _ = bench.askAgent("RequestAuthorization")
        bench.resolve()
        #expect(
            bench.changeDevice("dev_1", ["Paired": .bool(true)]).calls.contains("RemoveDevice hci0")
        )
    }

    @Test func aPhoneThatPairsByItselfWithDigitsHereIsAccepted() {
        let bench = Self.pairing(isResolved: false)
        _ = bench.askAgent("RequestConfirmation", 42)
        bench.resolve()
        bench.input { $0.answer(1, .confirm(true), at: $1) }
        bench.changeDevice("dev_1", ["Paired": .bool(true)])
        #expect(bench.decided.first?.isAccepted == true)
    }
}
