import ANCSEvents
import ANCS
import BluetoothLE
import DBus
import Testing

@testable import BlueZ

/// A phone that nobody has paired before.
@Suite struct FirstPairingTests {
    private static let paired = PhoneEvent.paired(identity: "C0:FF:EE:00:00:01")
    private static let available = PhoneEvent.available(
        hasControlPoint: true, hasDataSource: true)

    /// A new phone is connected, and is being paired.
    private static func pairing(
        _ configuration: BlueZAccessory.Configuration = .init(name: "desk lamp"),
        isPairable: Bool = true
    ) -> Bench {
        let bench = Bench(configuration)
        bench.begin(isPairable: isPairable)
        bench.addDevice()
        return bench
    }

    @Test func aNewPhoneIsPairedFoundToHaveANCSAndSubscribedTo() {
        let bench = Bench()
        bench.begin()
        #expect(
            bench.addDevice(isResolved: false) == [
                .phone(1, .connected(address: "DA:00:00:00:00:01", identity: nil)),
                // There is room for one.
                .event(.advertising(false)), .call("UnregisterAdvertisement hci0"),
            ])
        bench.answer("UnregisterAdvertisement hci0")
        #expect(bench.resolve() == [.call("Pair dev_1")])
        #expect(
            bench.changeDevice("dev_1", ["Name": .string("Nina's iPhone")]) == [
                .phone(1, .named("Nina's iPhone"))
            ])
        #expect(
            bench.changeDevice(
                "dev_1", ["Address": .string("C0:FF:EE:00:00:01"), "Paired": .bool(true)]
            ).isEmpty)
        #expect(
            bench.answer("Pair dev_1") == [
                .call("Set Trusted true dev_1"), .phone(1, Self.paired), .phone(1, .waiting),
            ])
        #expect(bench.addANCS() == [.event(.pairingWindow(isOpen: false)), .available(1)])
        // The socket comes last of what may never be answered.
        #expect(
            bench.request(.subscribe(.dataSource)) == [
                .call("ReadValue dev_1/service0010/char0016/desc0018")
            ])
        #expect(
            bench.answer("ReadValue dev_1/service0010/char0016/desc0018", .octets([0, 0])) == [
                .call("AcquireNotify dev_1/service0010/char0016")
            ])
        #expect(
            bench.answer("AcquireNotify dev_1/service0010/char0016", .descriptor(Bench.descriptor))
                .last
                == .report(1, .subscribed(.dataSource)))
        #expect(bench.sockets.count == 1)
        #expect(
            bench.request(.subscribe(.notificationSource)) == [
                .call("StartNotify dev_1/service0010/char0011")
            ])
        #expect(bench.broadcast([1]).isEmpty)
        #expect(bench.broadcast([2]).isEmpty)
        #expect(
            bench.answer("StartNotify dev_1/service0010/char0011") == [
                .report(1, .subscribed(.notificationSource)), .report(1, .notificationSource([1])),
                .report(1, .notificationSource([2])),
            ])
        #expect(bench.broadcast([3]) == [.report(1, .notificationSource([3]))])
    }

    @Test func nothingIsAskedBetweenThePropertyPairedAndTheAnswerToPair() {
        let bench = Self.pairing()
        bench.answer("UnregisterAdvertisement hci0")
        #expect(bench.changeDevice("dev_1", ["Paired": .bool(true)]).isEmpty)
        #expect(bench.addANCS().isEmpty)
        #expect(bench.resolve().isEmpty)
        #expect(bench.request(.subscribe(.dataSource)).isEmpty)
        let events = bench.answer("Pair dev_1").phoneEvents
        #expect(events == [.paired(identity: "DA:00:00:00:00:01"), Self.available])
    }

    @Test func anIdentityAddressThatComesLaterIsReported() {
        let bench = Self.pairing()
        bench.answer("Pair dev_1")
        #expect(
            bench.changeDevice(
                "dev_1", ["Address": .string("C0:FF:EE:00:00:01"), "Paired": .bool(true)]
            ).phoneEvents == [Self.paired])
    }

    /// A phone with a private address, which `Pair` was called for.
    private static func pairingPrivate() -> Bench {
        let bench = Bench()
        bench.begin()
        bench.addDevice(address: "5A:00:00:00:00:01")
        bench.changeDevice("dev_1", ["Paired": .bool(true)])
        return bench
    }

    @Test func aPhoneWithAPrivateAddressIsPairedWhenItsIdentityIsKnown() {
        let bench = Self.pairingPrivate()
        #expect(bench.answer("Pair dev_1").phoneEvents.isEmpty)
        bench.addANCS()
        #expect(bench.wait(.milliseconds(180)).phoneEvents.isEmpty)
        #expect(bench.broadcast([1]).isEmpty)
        #expect(
            bench.changeDevice("dev_1", ["Address": .string("C0:FF:EE:00:00:01")]).phoneEvents
                == [Self.paired, Self.available])
        #expect(bench.wait(.seconds(2)).phoneEvents.isEmpty)
    }

    @Test func aPhoneWithoutAnIdentityIsNotWaitedForWithoutAnEnd() {
        let bench = Self.pairingPrivate()
        bench.answer("Pair dev_1")
        bench.addANCS()
        #expect(bench.wait(.milliseconds(999)).phoneEvents.isEmpty)
        #expect(
            bench.wait(.milliseconds(1)).phoneEvents
                == [.paired(identity: "5A:00:00:00:00:01"), Self.available])
        // One that comes later is said all the same.
        #expect(
            bench.changeDevice("dev_1", ["Address": .string("C0:FF:EE:00:00:01")]).phoneEvents
                == [Self.paired])
    }

    @Test func aPhoneWithoutAnIdentityMayGo() {
        let bench = Self.pairingPrivate()
        bench.answer("Pair dev_1")
        #expect(bench.disconnect().phoneEvents == [.disconnected(.linkEnded)])
        #expect(bench.wait(.seconds(2)).phoneEvents.isEmpty)
    }

    @Test func aPhoneThatIsTrustedIsNotTrustedAgain() {
        let bench = Bench()
        bench.begin()
        bench.addDevice(and: ["Trusted": .bool(true)])
        #expect(!bench.answer("Pair dev_1").calls.contains("Set Trusted true dev_1"))
    }

    @Test func theAgentIsRegisteredBeforePair() {
        let bench = Bench()
        bench.addAdapter()
        bench.addDevice(and: ["UUIDs": .strings([BluetoothUUID.ancs.text])])
        let calls = bench.daemonBegins().calls
        #expect(
            calls.filter { $0.hasPrefix("RegisterAgent") || $0.hasPrefix("Pair") } == [
                "RegisterAgent /org/bluez", "Pair dev_1",
            ])
    }

    @Test func anAgentThatBluetoothdReleasedIsRegisteredAgainBeforePair() {
        let bench = Bench()
        bench.begin()
        bench.call(PairingAgent.path, PairingAgent.interface, "Release")
        #expect(bench.addDevice().calls.prefix(2) == ["RegisterAgent /org/bluez", "Pair dev_1"])
    }

    // MARK: It fails

    static let failures: [(BusError, SecurityFailure)] = [
        (.blueZ("AuthenticationCanceled", "Authentication Canceled"), .cancelled),
        (
            .blueZ("AuthenticationRejected", "Authentication Rejected"),
            .refused(.numericComparisonFailed)
        ),
        (.blueZ("AuthenticationTimeout", "Authentication Timeout"), .timedOut),
        (.blueZ("AuthenticationFailed", "Authentication Failed"), .refusedByPeer(.unspecified)),
        (.blueZ("ConnectionAttemptFailed", "Page Timeout"), .refusedByPeer(.unspecified)),
        (.blueZ("Failed", "Input/output error"), .refusedByPeer(.unspecified)),
        (BusError(BusError.noReply), .timedOut),
    ]

    @Test(arguments: failures)
    func pairingThatFailsIsNamedAndNotRepeatedByItself(
        _ error: BusError, _ failure: SecurityFailure
    ) {
        let bench = Self.pairing()
        let lines = bench.finish("Pair dev_1", .failure(error))
        #expect(lines.phoneEvents == [.pairingFailed(failure)])
        #expect(bench.wait(.seconds(600)).calls.filter { $0.hasPrefix("Pair") }.isEmpty)
        #expect(bench.changeDevice("dev_1", ["Name": .string("Nina")]).calls.isEmpty)
        bench.disconnect()
        // Its object is new, for its address is.
        bench.goOnAir()
        #expect(bench.addDevice("dev_2").calls.contains("Pair dev_2"))
    }

    @Test func openingTheWindowTriesAgain() {
        let bench = Self.pairing()
        bench.refuse("Pair dev_1", "AuthenticationFailed")
        let lines = bench.input { $0.openPairingWindow(for: .seconds(60), at: $1) }
        #expect(lines.calls.first == "Pair dev_1")
    }

    @Test func whateverTheAnswerAPhoneThatIsPairedIsPaired() {
        for error in [BusError(BusError.noReply), .blueZ("AlreadyExists", "Already Exists")] {
            let bench = Self.pairing()
            bench.changeDevice("dev_1", ["Paired": .bool(true)])
            #expect(
                bench.finish("Pair dev_1", .failure(error)).phoneEvents == [
                    .paired(identity: "DA:00:00:00:00:01"), .waiting,
                ])
        }
    }

    @Test func aPhoneThatAnotherProgramPairsIsWaitedFor() {
        let bench = Self.pairing()
        #expect(bench.refuse("Pair dev_1", "InProgress", "In Progress").phoneEvents.isEmpty)
        #expect(
            bench.changeDevice("dev_1", ["Paired": .bool(true)]).phoneEvents == [
                .paired(identity: "DA:00:00:00:00:01"), .waiting,
            ])
    }

    @Test func aLinkThatEndsWhilePairingIsTheEndOfIt() {
        let bench = Self.pairing()
        #expect(bench.disconnect().phoneEvents == [.disconnected(.linkEnded)])
        #expect(bench.refuse("Pair dev_1", "AuthenticationCanceled").phoneEvents.isEmpty)
    }

    @Test func aPhoneWhoseLinkEndsJustBeforeTheAnswerIsKnownWhenItComesBack() {
        let bench = Self.pairing()
        bench.changeDevice("dev_1", ["Paired": .bool(true)])
        bench.disconnect()
        #expect(bench.answer("Pair dev_1").isEmpty)
        #expect(
            bench.connect().phoneEvents == [
                .connected(address: "DA:00:00:00:00:01", identity: "DA:00:00:00:00:01")
            ])
    }

    // MARK: The adapter lets peers make bonds

    @Test func anAdapterThatIsNotPairableIsForAsLongAsPairingTakes() {
        let bench = Bench()
        bench.begin(isPairable: false)
        #expect(
            bench.addDevice().calls.prefix(2) == ["Set Pairable true hci0", "Pair dev_1"])
        bench.change("/org/bluez/hci0", Bench.adapter, ["Pairable": .bool(true)])
        #expect(bench.answer("Pair dev_1").calls.contains("Set Pairable false hci0"))
    }

    @Test func itIsRestoredWhenTheLinkEndsAndWhenTheAdapterIsSwitchedOff() {
        for isPower in [false, true] {
            let bench = Self.pairing(isPairable: false)
            let lines = isPower ? bench.power(false) : bench.disconnect()
            #expect(lines.calls.contains("Set Pairable false hci0"))
            #expect(
                !bench.refuse("Pair dev_1", "AuthenticationCanceled").calls.contains(
                    "Set Pairable false hci0"))
        }
    }

    @Test func onePairableAdapterIsLeftAlone() {
        let bench = Self.pairing()
        #expect(bench.pending.filter { $0.text.hasPrefix("Set Pairable") }.isEmpty)
        #expect(!bench.answer("Pair dev_1").calls.contains("Set Pairable false hci0"))
    }
}
