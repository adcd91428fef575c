import ANCSEvents
import DBus
import Octets
import Testing

@testable import BlueZ

@Suite struct StartTests {
    @Test func bluetoothdIsAskedForItsObjectsAndTheAdapterIsUsed() {
        let bench = Bench()
        bench.addAdapter()
        #expect(bench.ownerChanged(to: Bench.owner) == [.call("GetManagedObjects /")])
        #expect(
            bench.answer("GetManagedObjects /", bench.managedObjects) == [
                .event(.ready(adapter: "hci0")), .call("RegisterAgent /org/bluez"),
                .event(.pairingWindow(isOpen: true)), .call("RegisterAdvertisement hci0"),
            ])
        #expect(bench.answer("RegisterAgent /org/bluez").isEmpty)
        #expect(bench.answer("RegisterAdvertisement hci0") == [.call("Get ActiveInstances hci0")])
        #expect(
            bench.answer("Get ActiveInstances hci0", .byte(1)) == [.event(.advertising(true))])
        #expect(bench.nextDeadline == nil)
    }

    @Test func theBusMayStartBluetoothd() {
        let bench = Bench()
        #expect(bench.ownerChanged(to: nil) == [.call("GetManagedObjects /")])
        #expect(bench.pending.first?.call.startsProgram == true)
        bench.addAdapter()
        #expect(bench.ownerChanged(to: Bench.owner) == [.call("GetManagedObjects /")])
        // The first answer says what the second will.
        #expect(bench.answer("GetManagedObjects /", bench.managedObjects).isEmpty)
        #expect(
            bench.answer("GetManagedObjects /", bench.managedObjects).first
                == .event(.ready(adapter: "hci0")))
    }

    @Test func anAnswerBeforeTheNameIsNotUsed() {
        let bench = Bench()
        bench.ownerChanged(to: nil)
        bench.addAdapter()
        #expect(bench.answer("GetManagedObjects /", bench.managedObjects).isEmpty)
        #expect(
            bench.daemonBegins().prefix(2) == [
                .call("GetManagedObjects /"), .event(.ready(adapter: "hci0")),
            ])
    }

    static let failures: [(BusError, BluetoothdFailure)] = [
        (BusError(BusError.serviceUnknown), .notRunning),
        (BusError(BusError.nameHasNoOwner), .notRunning),
        (BusError("org.freedesktop.DBus.Error.Spawn.ExecFailed"), .notRunning),
        (BusError("org.freedesktop.systemd1.NoSuchUnit"), .notRunning),
        (BusError("org.freedesktop.systemd1.UnitMasked"), .notRunning),
        (BusError(BusError.accessDenied), .denied), (BusError(BusError.noReply), .noAnswer),
        (BusError(BusError.failed, "why"), .refused("why")),
    ]

    @Test(arguments: failures)
    func whatCannotBeUsedIsNamed(_ error: BusError, _ failure: BluetoothdFailure) {
        let bench = Bench()
        bench.ownerChanged(to: nil)
        #expect(bench.finish("GetManagedObjects /", .failure(error)) == [.event(.failed(failure))])
        #expect(bench.nextDeadline == nil)
        // It was the last event.
        #expect(bench.ownerChanged(to: Bench.owner).isEmpty)
        #expect(bench.addAdapter().isEmpty)
    }

    @Test func anAdapterMayAppearAfterBluetoothd() {
        let bench = Bench()
        bench.daemonBegins()
        #expect(bench.wait(.milliseconds(4_999)).isEmpty)
        #expect(bench.addAdapter().first == .event(.ready(adapter: "hci0")))
        #expect(bench.nextDeadline == nil)
    }

    @Test func itsTwoInterfacesMayComeInAnyOrder() {
        let bench = Bench()
        bench.daemonBegins()
        #expect(
            bench.add("/org/bluez/hci0", Bench.advertisingManager, ["ActiveInstances": .byte(0)])
                .isEmpty)
        #expect(
            bench.add("/org/bluez/hci0", Bench.adapter, ["Powered": .bool(false)]).isEmpty)
        #expect(bench.power(true).first == .event(.ready(adapter: "hci0")))
    }

    @Test func withoutAnAdapterTheStartFailsAfterFiveSeconds() {
        let bench = Bench()
        bench.daemonBegins()
        #expect(bench.wait(.seconds(5)) == [.event(.failed(.noAdapter("any")))])
    }

    @Test func theTimeBeginsWithTheAnswer() {
        let bench = Bench()
        bench.ownerChanged(to: Bench.owner)
        #expect(bench.wait(.seconds(20)).isEmpty)
        #expect(bench.answer("GetManagedObjects /", bench.managedObjects).isEmpty)
        #expect(bench.wait(.milliseconds(4_999)).isEmpty)
        #expect(bench.wait(.milliseconds(1)) == [.event(.failed(.noAdapter("any")))])
    }

    @Test func bluetoothdThatEndsAtTheStartIsWaitedForAsLong() {
        let bench = Bench()
        bench.daemonBegins()
        bench.wait(.seconds(3))
        #expect(bench.daemonEnds().isEmpty)
        #expect(bench.wait(.seconds(5)) == [.event(.failed(.ended))])
    }

    @Test func anAdapterThatIsOffIsNamed() {
        let bench = Bench()
        bench.addAdapter(isPowered: false)
        bench.daemonBegins()
        #expect(
            bench.wait(.seconds(5)) == [.event(.failed(.off(adapter: "hci0", isBlocked: false)))])
    }

    @Test func anAdapterThatCannotAdvertiseIsNamed() {
        let bench = Bench()
        bench.add("/org/bluez/hci0", Bench.adapter, ["Powered": .bool(true)])
        bench.daemonBegins()
        #expect(bench.wait(.seconds(5)) == [.event(.failed(.cannotAdvertise(adapter: "hci0")))])
    }

    // MARK: Which adapter

    private static func twoAdapters(_ adapter: AdapterName) -> Bench {
        let bench = Bench(.init(name: "desk lamp", adapter: adapter))
        bench.addAdapter()
        bench.addAdapter("/org/bluez/hci1", address: "00:1A:7D:DA:71:14")
        return bench
    }

    static let names: [(String, String)] = [
        ("any", "hci0"), ("hci1", "hci1"), ("00:1A:7D:DA:71:14", "hci1"), ("hci0", "hci0"),
    ]

    @Test(arguments: names)
    func theAdapterThatIsMeantIsUsed(_ name: String, _ adapter: String) throws {
        let bench = Self.twoAdapters(try #require(AdapterName(name)))
        #expect(bench.daemonBegins().dropFirst().first == .event(.ready(adapter: adapter)))
        #expect(bench.pending.last?.text == "RegisterAdvertisement \(adapter)")
    }

    @Test func anAdapterThatIsMeantAndNotThereIsNotReplacedByAnother() {
        let bench = Self.twoAdapters(.interface("hci7"))
        bench.daemonBegins()
        #expect(bench.wait(.seconds(5)) == [.event(.failed(.noAdapter("hci7")))])
    }

    @Test func anyAdapterIsOneThatIsOn() {
        let bench = Bench()
        bench.addAdapter(isPowered: false)
        bench.addAdapter("/org/bluez/hci1")
        #expect(bench.daemonBegins().dropFirst().first == .event(.ready(adapter: "hci1")))
    }

    // MARK: It goes, and comes back

    @Test func anAdapterThatIsSwitchedOffAndOnIsUsedAgain() {
        let bench = Bench()
        bench.begin()
        bench.serve()
        let lines = bench.power(false)
        #expect(lines.phoneEvents == [.disconnected(.bluetoothGone)])
        #expect(lines.contains(.event(.resetting(.off(adapter: "hci0", isBlocked: false)))))
        #expect(lines.calls.isEmpty)
        bench.disconnect()
        #expect(
            bench.power(true) == [
                .event(.ready(adapter: "hci0")), .call("RegisterAdvertisement hci0"),
            ])
        bench.connect()
        #expect(
            bench.resolve().phoneEvents == [.available(hasControlPoint: true, hasDataSource: true)])
    }

    @Test func anAdapterThatIsUnpluggedIsWaitedFor() {
        let bench = Bench()
        bench.begin()
        #expect(
            bench.remove("/org/bluez/hci0") == [
                .event(.advertising(false)), .event(.resetting(.adapterLost(adapter: "hci0"))),
            ])
        #expect(bench.wait(.seconds(5)) == [.event(.resetting(.noAdapter("any")))])
        #expect(bench.wait(.seconds(3_600)).isEmpty)
        #expect(bench.addAdapter().first == .event(.ready(adapter: "hci0")))
    }

    @Test func withAnyAdapterTheNextOneIsUsed() {
        let bench = Self.twoAdapters(.any)
        bench.daemonBegins()
        let lines = bench.remove("/org/bluez/hci0")
        #expect(lines.contains(.event(.resetting(.adapterLost(adapter: "hci0")))))
        #expect(lines.contains(.event(.ready(adapter: "hci1"))))
        // The first one comes back to an accessory that has what it needs.
        #expect(bench.addAdapter().isEmpty)
    }

    @Test func anAdvertisementOfTheOldAdapterIsNotTakenForThatOfTheNew() {
        let bench = Bench()
        bench.addAdapter()
        bench.daemonBegins()
        bench.power(false)
        bench.power(true)
        #expect(bench.pending.filter { $0.text == "RegisterAdvertisement hci0" }.count == 2)
        #expect(bench.answer("RegisterAdvertisement hci0").isEmpty)
        #expect(bench.answer("RegisterAdvertisement hci0") == [.call("Get ActiveInstances hci0")])
    }

    @Test func aDaemonThatDoesNotAnswerAfterARestartIsAskedAgain() {
        let bench = Bench()
        bench.begin()
        #expect(bench.daemonEnds().last == .event(.resetting(.ended)))
        bench.ownerChanged(to: Bench.secondOwner)
        #expect(bench.lose("GetManagedObjects /") == [.event(.resetting(.noAnswer))])
        #expect(bench.wait(.seconds(10)) == [.call("GetManagedObjects /")])
        // It is said once.
        #expect(bench.lose("GetManagedObjects /").isEmpty)
        bench.wait(.seconds(10))
        bench.addAdapter()
        #expect(
            bench.answer("GetManagedObjects /", bench.managedObjects).first
                == .event(.ready(adapter: "hci0")))
    }

    @Test func aListThatCannotBeReadIsAskedForAgainAlsoAtTheStart() {
        let bench = Bench()
        bench.addAdapter()
        bench.ownerChanged(to: Bench.owner)
        let error = BusError(BusError.inconsistentMessage)
        #expect(
            bench.finish("GetManagedObjects /", .failure(error)) == [
                .event(.resetting(.unreadable))
            ])
        #expect(bench.wait(.seconds(10)) == [.call("GetManagedObjects /")])
        // It is said once.
        #expect(bench.finish("GetManagedObjects /", .failure(error)).isEmpty)
        bench.wait(.seconds(10))
        #expect(
            bench.answer("GetManagedObjects /", bench.managedObjects).first
                == .event(.ready(adapter: "hci0")))
    }

    @Test func afterARestartItIsSaidWhatIsMissingNow() {
        let bench = Bench()
        bench.begin()
        #expect(bench.daemonEnds().last == .event(.resetting(.ended)))
        #expect(bench.daemonBegins(Bench.secondOwner) == [.call("GetManagedObjects /")])
        #expect(bench.wait(.seconds(5)) == [.event(.resetting(.noAdapter("any")))])
        #expect(bench.addAdapter(isPowered: false).isEmpty)
        #expect(
            bench.wait(.seconds(5)) == [.event(.resetting(.off(adapter: "hci0", isBlocked: false)))]
        )
        #expect(bench.power(true).first == .event(.ready(adapter: "hci0")))
        #expect(bench.nextDeadline == nil)
    }

    @Test func aCallIsAnsweredOnce() throws {
        let bench = Bench()
        bench.addAdapter()
        bench.ownerChanged(to: Bench.owner)
        let call = try #require(bench.pending.first)
        let values = [bench.managedObjects]
        #expect(!bench.finish(call.text, .success(values)).isEmpty)
        #expect(bench.input { $0.receive(.success(values), to: call.id, at: $1) }.isEmpty)
    }

    @Test func aSignalOfAnotherProgramIsNotBelieved() {
        let bench = Bench()
        bench.begin()
        let lines = bench.input {
            $0.receive(
                BusSignal(
                    from: ":1.66", "/org/bluez/hci0", "org.freedesktop.DBus.Properties",
                    "PropertiesChanged",
                    [.string(Bench.adapter), .options(["Powered": .bool(false)]), .strings([])]),
                at: $1)
        }
        #expect(lines.isEmpty)
    }
}
