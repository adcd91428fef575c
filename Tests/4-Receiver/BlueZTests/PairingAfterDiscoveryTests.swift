import ANCSEvents
import ANCS
import BluetoothLE
import DBus
import Octets
import Testing

@testable import BlueZ

/// Pairing waits for bluetoothd's discovery of the services: a phone that hides ANCS until it is paired would not be
/// served otherwise.
@Suite struct PairingAfterDiscoveryTests {
    private static let paired = PhoneEvent.paired(identity: "DA:00:00:00:00:01")

    /// A new phone is connected, and its services are being discovered.
    private static func discovering(
        _ ability: PairingAbility = .noInputNoOutput
    ) -> Bench {
        var configuration = BlueZAccessory.Configuration(name: "desk lamp")
        configuration.ability = ability
        let bench = Bench(configuration)
        bench.begin()
        #expect(!bench.addDevice(isResolved: false).calls.contains("Pair dev_1"))
        bench.answer("UnregisterAdvertisement hci0")
        return bench
    }

    @Test func pairingBeginsWhenTheServicesAreResolved() {
        let bench = Self.discovering()
        #expect(bench.wait(.milliseconds(19_999)).isEmpty)
        #expect(bench.resolve().calls == ["Pair dev_1"])
        #expect(!bench.wait(.seconds(60)).calls.contains("Pair dev_1"))
    }

    @Test func aDiscoveryThatNeverEndsIsWaitedForTwentySeconds() {
        let bench = Self.discovering()
        #expect(bench.wait(.milliseconds(19_999)).isEmpty)
        #expect(bench.wait(.milliseconds(1)).calls == ["Pair dev_1"])
        #expect(bench.resolve().isEmpty)
    }

    @Test func aPhoneThatIsPairedInTheMiddleOfADiscoveryComesBackOnce() {
        let bench = Self.discovering()
        let lines = bench.changeDevice("dev_1", ["Paired": .bool(true)])
        #expect(lines.phoneEvents == [Self.paired, .discoveredEarly])
        #expect(lines.calls == ["Disconnect dev_1"])
        bench.answer("Disconnect dev_1")
        #expect(bench.disconnect().phoneEvents == [.disconnected(.discoveredEarly)])
        bench.connect()
        bench.addANCS()
        #expect(bench.resolve().last == .available(2))
    }

    @Test func theAnswerToAPhoneThatPairsOnItsOwnWaitsForTheDiscovery() {
        let bench = Self.discovering(.yesNo)
        #expect(bench.askAgent("RequestConfirmation", 42).isEmpty)
        #expect(bench.wait(.seconds(5)).isEmpty)
        let lines = bench.resolve()
        #expect(!lines.calls.contains("Pair dev_1"))
        #expect(lines.phoneEvents == [.ask(.init(id: 1, kind: .compare(42)))])
        #expect(bench.input { $0.answer(1, .confirm(true), at: $1) }.count == 1)
        #expect(
            bench.changeDevice("dev_1", ["Paired": .bool(true)]).phoneEvents.first == Self.paired)
    }

    @Test func aQuestionThatWaitsIsAnsweredWhenTheLinkEndsOrBluetoothdCancels() {
        let bench = Self.discovering(.yesNo)
        bench.askAgent("RequestConfirmation", 42)
        #expect(bench.disconnect().answers == 1)
        let other = Self.discovering(.yesNo)
        other.askAgent("RequestPasskey")
        #expect(other.call(PairingAgent.path, PairingAgent.interface, "Cancel").answers == 2)
        #expect(other.resolve().phoneEvents.isEmpty)
    }

    // MARK: A phone that forgot this machine

    /// A phone that is paired is connected, at a machine whose user can be asked, and which may have opened pairing.
    private static func forgotten(
        isOpen: Bool = true, isServed: Bool = false, requires: Bool = true
    ) -> Bench {
        var configuration = BlueZAccessory.Configuration(name: "desk lamp")
        configuration.ability = .keyboardDisplay
        configuration.requiresAuthentication = requires
        let bench = Bench(configuration)
        bench.begin()
        bench.addPairedPhone()
        bench.isEncrypted = false
        bench.connect()
        bench.resolve()
        if isServed { bench.subscribe() }
        if isOpen { bench.input { $0.openPairingWindow(for: .seconds(300), at: $1) } }
        return bench
    }

    @Test func whileTheWindowIsOpenItsUserComparesDigitsAndTheBondIsReplaced() {
        let bench = Self.forgotten()
        #expect(
            bench.askAgent("RequestConfirmation", 42).phoneEvents == [
                .ask(.init(id: 1, kind: .compare(42)))
            ])
        // The user takes a while, and is not told that it has no keys.
        #expect(bench.wait(.seconds(20)).phoneEvents.isEmpty)
        #expect(bench.input { $0.answer(1, .confirm(true), at: $1) }.answers == 1)
        bench.isEncrypted = true
        #expect(
            bench.wait(.seconds(2)).phoneEvents == [
                .pairedAgain(identity: "C0:FF:EE:00:00:01")
            ])
        #expect(bench.wait(.seconds(600)).phoneEvents.isEmpty)
        // The next one is a new one.
        #expect(bench.disconnect().phoneEvents.contains(.disconnected(.linkEnded)))
        bench.connect()
        #expect(bench.resolve().contains(.available(2)))
    }

    @Test func aSubscriptionMaySayItBeforeTheKernelIsAsked() {
        let bench = Self.forgotten()
        bench.request(.subscribe(.dataSource))
        bench.askAgent("RequestConfirmation", 42)
        bench.input { $0.answer(1, .confirm(true), at: $1) }
        let lines = bench.answer(
            "AcquireNotify dev_1/service0010/char0016", .descriptor(Bench.descriptor), .uint16(185))
        #expect(
            lines.phoneEvents == [
                .pairedAgain(identity: "C0:FF:EE:00:00:01"), .report(.subscribed(.dataSource)),
            ])
        bench.isEncrypted = true
        #expect(!bench.wait(.seconds(10)).phoneEvents.contains { $0 == lines.phoneEvents[0] })
    }

    @Test func otherDigitsAreANoAndItHasNoKeys() {
        let bench = Self.forgotten()
        bench.askAgent("RequestConfirmation", 42)
        #expect(bench.input { $0.answer(1, .confirm(false), at: $1) }.answers == 1)
        let missing = PhoneEvent.keyTrouble(KeyTrouble(.missing))
        #expect(bench.wait(.seconds(10)).phoneEvents.contains(missing))
        bench.isEncrypted = true
        #expect(
            !bench.wait(.seconds(10)).phoneEvents.contains(
                .pairedAgain(identity: "C0:FF:EE:00:00:01")))
    }

    @Test func aPairingThatDoesNotEndIsNotWaitedForWithoutLimit() {
        let bench = Self.forgotten()
        bench.askAgent("RequestConfirmation", 42)
        bench.input { $0.answer(1, .confirm(true), at: $1) }
        let missing = PhoneEvent.keyTrouble(KeyTrouble(.missing))
        #expect(bench.wait(.seconds(60)).phoneEvents.contains(missing))
    }

    @Test func justWorksAndAClosedWindowAndAPhoneInServiceAreRefused() {
        let refused: [(Bench, String)] = [
            (Self.forgotten(), "RequestAuthorization"),
            (Self.forgotten(isOpen: false), "RequestConfirmation"),
            (Self.forgotten(isServed: true), "RequestConfirmation"),
            (Self.forgotten(requires: false), "RequestConfirmation"),
        ]
        for (bench, member) in refused {
            let lines = bench.askAgent(member, 42)
            #expect(lines.answers == 1)
            #expect(lines.phoneEvents == [.keyTrouble(KeyTrouble(.missing))])
        }
    }

    @Test func aPhoneThatIsPairedAndPairsAgainHasLostItsKeys() {
        let bench = Bench()
        bench.begin()
        bench.addPairedPhone()
        bench.connect()
        let lines = bench.askAgent("RequestConfirmation", 42)
        #expect(lines.phoneEvents == [.keyTrouble(KeyTrouble(.missing))])
        #expect(lines.answers == 1)
        // Once, however often it tries.
        #expect(bench.askAgent("RequestAuthorization").phoneEvents.isEmpty)
    }
}
