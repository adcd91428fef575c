import ANCSEvents
import ANCS
import BluetoothLE
import DBus
import Octets
import Testing

@testable import BlueZ

/// bluetoothd does not say who connected to whom: what is paired here, what is served, and what is left alone.
@Suite struct PhoneRecognitionTests {
    private static let ancs: [String: BusValue] = ["UUIDs": .strings([BluetoothUUID.ancs.text])]

    private static func onAir() -> Bench {
        let bench = Bench()
        bench.begin()
        return bench
    }

    // MARK: Left alone

    static let others: [String: [String: BusValue]] = [
        "a paired keyboard": [
            "Paired": .bool(true), "AddressType": .string("public"),
            "UUIDs": .strings(["00001812-0000-1000-8000-00805f9b34fb"]),
        ],
        "a headset": ["AddressType": .string("public"), "Class": .uint32(0x24_0404)],
        "a paired headset": [
            "Paired": .bool(true), "AddressType": .string("public"), "Class": .uint32(0x24_0404),
        ],
        "a sensor that a scan heard": ["RSSI": .int16(-60)],
        "a phone that is blocked": ["Blocked": .bool(true)],
    ]

    @Test(arguments: others.keys.sorted())
    func nothingIsDoneAt(_ other: String) {
        let bench = Self.onAir()
        let properties = Self.others[other] ?? [:]
        #expect(bench.addDevice(and: properties).isEmpty)
        bench.add(
            Bench.path("dev_1/b"), "org.bluez.GattService1",
            [
                "UUID": .string("0000180f-0000-1000-8000-00805f9b34fb"),
                "Device": .objectPath(Bench.path("dev_1")),
            ])
        #expect(bench.resolve().isEmpty)
        #expect(bench.wait(.seconds(60)).isEmpty)
        #expect(bench.disconnect().isEmpty)
        #expect(bench.remove(Bench.path("dev_1")).isEmpty)
    }

    @Test func aSensorThatTheDesktopConnectsToIsNotPaired() {
        let bench = Self.onAir()
        #expect(bench.addDevice(isConnected: false).isEmpty)
        bench.wait(.seconds(2))
        #expect(bench.connect().isEmpty)
        #expect(bench.resolve().isEmpty)
    }

    @Test func aNewDeviceThatNobodyInvitedIsNotPaired() {
        let bench = Self.onAir()
        bench.input { $0.stopAdvertising(at: $1) }
        bench.answer("UnregisterAdvertisement hci0")
        #expect(bench.addDevice().isEmpty)
    }

    @Test func aDeviceThatWasConnectedBeforeTheStartIsNotPaired() {
        let bench = Bench()
        bench.addAdapter()
        bench.addDevice()
        #expect(bench.daemonBegins().phoneEvents.isEmpty)
        bench.goOnAir()
        #expect(bench.changeDevice("dev_1", ["Name": .string("thing")]).isEmpty)
    }

    @Test func aDeviceOfAnotherAdapterIsOfNoInterest() {
        let bench = Self.onAir()
        bench.addAdapter("/org/bluez/hci1")
        #expect(
            bench.add(
                "/org/bluez/hci1/dev_1", Bench.device,
                ["Connected": .bool(true), "AddressType": .string("random")]
            ).isEmpty)
    }

    // MARK: Phones

    @Test func aDeviceIsNewForTwoSeconds() {
        let bench = Self.onAir()
        bench.addDevice(isConnected: false)
        bench.wait(.milliseconds(1_999))
        #expect(bench.connect().calls.first == "Pair dev_1")
    }

    /// bluetoothd remembers a device without a bond for 30 s, so that it is not new when it comes back.
    @Test func aPhoneWhosePairingWasInterruptedIsPairedWhenItTriesAgain() {
        let bench = Self.onAir()
        bench.addDevice()
        bench.disconnect()
        bench.refuse("Pair dev_1", "AuthenticationCanceled")
        bench.goOnAir()
        bench.wait(.seconds(20))
        bench.connect()
        #expect(bench.resolve().calls.first == "Pair dev_1")
    }

    @Test func aPhoneThatADesktopScanHeardBeforeItConnectedIsPairedWhenItsServicesAreKnown() {
        let bench = Self.onAir()
        bench.addDevice(isConnected: false, and: ["RSSI": .int16(-50)])
        bench.wait(.seconds(30))
        #expect(bench.connect().isEmpty)
        let continuity = BusValue.strings(["d0611e78-bbb4-4591-a5f8-487910ae4366"])
        #expect(bench.changeDevice("dev_1", ["UUIDs": continuity]).calls.first == "Pair dev_1")
    }

    @Test func aPhoneThatWasPairedInTheDesktopsSettingsIsServed() {
        let bench = Self.onAir()
        bench.addDevice(
            isPaired: true,
            and: Self.ancs.merging(["AddressType": .string("public"), "Class": .uint32(0x7A_020C)])
            { $1 })
        bench.addANCS()
        #expect(bench.resolve() == [.available(1)])
    }

    @Test func aPairedPhoneIsKnownByItsServicesThatWereFoundLastTime() {
        let bench = Self.onAir()
        bench.addDevice(isConnected: false, isPaired: true)
        bench.addANCS()
        #expect(!bench.connect().phoneEvents.isEmpty)
    }

    @Test func phonesThatAreConnectedAlreadyAreServed() {
        let bench = Bench()
        bench.addAdapter()
        bench.addPairedPhone(isConnected: true)
        bench.resolve()
        #expect(
            bench.daemonBegins().phoneEvents == [
                .connected(address: "C0:FF:EE:00:00:01", identity: "C0:FF:EE:00:00:01"),
                .available(hasControlPoint: true, hasDataSource: true),
            ])
    }

    @Test func aDeviceThatIsRemovedWhileItIsServedIsGone() {
        let bench = Self.onAir()
        bench.serve()
        #expect(bench.remove(Bench.path("dev_1")).phoneEvents == [.disconnected(.linkEnded)])
    }

    // MARK: Several phones

    private static func two() -> Bench {
        var configuration = BlueZAccessory.Configuration(name: "desk lamp")
        configuration.maximumPhones = 2
        configuration.pairingWindow = .open
        let bench = Bench(configuration)
        bench.begin()
        return bench
    }

    @Test func twoPhonesAreServedEachByItsOwn() throws {
        let bench = Self.two()
        bench.serve("dev_1", of: 1)
        bench.serve("dev_2", of: 2)
        #expect(
            bench.broadcast([1], of: "dev_2/service0010/char0011") == [
                .report(2, .notificationSource([1]))
            ])
        let socket = try #require(bench.sockets.first)
        #expect(
            bench.input { $0.receive([2], from: socket, at: $1) } == [.report(1, .dataSource([2]))])
        #expect(bench.disconnect("dev_1").phoneEvents == [.disconnected(.linkEnded)])
        #expect(
            bench.broadcast([3], of: "dev_2/service0010/char0011") == [
                .report(2, .notificationSource([3]))
            ])
    }

    private static func one() -> BlueZAccessory.Configuration {
        var configuration = BlueZAccessory.Configuration(name: "desk lamp")
        configuration.maximumPhones = 1
        return configuration
    }

    @Test func aPhoneThatThereIsNoRoomForIsTakenWhenThereIs() {
        let bench = Bench(Self.one())
        bench.begin()
        bench.serve("dev_1", of: 1)
        bench.addPairedPhone("dev_2")
        let unserved = bench.connect("dev_2") + bench.resolve("dev_2")
        #expect(unserved.calls.isEmpty && unserved.last == .phone(2, .peer(.unserved(.noPlace))))
        let lines = bench.disconnect("dev_1")
        #expect(lines.contains(.phone(1, .disconnected(.linkEnded))))
        #expect(lines.contains(.available(2)))
    }

    /// Its ANCS is not complete when the other phone takes its place.
    @Test func aPhoneThatHasGivenUpItsPlaceDoesNotTakeItBackFromAnother() {
        let bench = Bench(Self.one())
        bench.begin()
        bench.serve("dev_1", of: 1)
        bench.addPairedPhone("dev_2")
        bench.removeANCS()
        bench.wait(PhoneLink.yieldingTime)
        for (path, interface, properties) in Bench.ancsObjects(of: "dev_1", service: "service0010")
            .prefix(2)
        {
            bench.add(path, interface, properties)
        }
        bench.connect("dev_2")
        #expect(bench.resolve("dev_2") == [.available(2)])
        #expect(!bench.wait(.seconds(10)).contains(.phone(1, Self.incomplete)))
        bench.disconnect("dev_2")
        #expect(bench.wait(.seconds(1)).contains(.phone(1, Self.incomplete)))
    }

    private static let incomplete = PhoneEvent.available(
        hasControlPoint: false, hasDataSource: false)

    @Test func whenTheWindowOpensNoMorePhonesPairThanThereIsRoomFor() {
        var configuration = Self.one()
        configuration.pairingWindow = .closed
        let bench = Bench(configuration)
        bench.begin()
        bench.addDevice("dev_1")
        bench.addDevice("dev_2")
        let lines = bench.input { $0.openPairingWindow(for: nil, at: $1) }
        #expect(lines.calls.filter { $0.hasPrefix("Pair") } == ["Pair dev_1"])
        // The other one is next.
        #expect(bench.disconnect("dev_1").calls.contains("Pair dev_2"))
    }

    @Test func aPhoneThatAnotherProgramPairedWaitsForItsPlaceToo() {
        var configuration = Self.one()
        configuration.pairingWindow = .closed
        let bench = Bench(configuration)
        bench.begin()
        bench.addDevice("dev_1")
        bench.serve("dev_2", of: 2)
        #expect(bench.changeDevice("dev_1", ["Paired": .bool(true)]).isEmpty)
        #expect(
            bench.disconnect("dev_2").contains(
                .phone(1, .paired(identity: "DA:00:00:00:00:01"))))
    }

    // MARK: Lost keys (P12)

    @Test func aPhoneThatGoesAtOnceForHalfAMinuteHasLostItsKeys() {
        let bench = Self.onAir()
        bench.addPairedPhone()
        let ended = [PhoneEvent.disconnected(.linkEnded)]
        for _ in 1...15 {
            bench.connect()
            bench.wait(.seconds(2))
            #expect(bench.disconnect().phoneEvents == ended)
        }
        bench.connect()
        bench.wait(.seconds(2))
        #expect(bench.disconnect().phoneEvents == [.keyTrouble(KeyTrouble(.missing))] + ended)
        // It is said once, and once more when it lasts.
        var events: [PhoneEvent] = []
        for _ in 1...60 {
            bench.connect()
            bench.wait(.seconds(2))
            events += bench.disconnect().phoneEvents.filter { $0 != ended[0] }
        }
        #expect(events == [.keyTrouble(KeyTrouble(.missing, isLasting: true))])
    }

    @Test func itsServicesMayBeKnownFromBefore() {
        let bench = Self.onAir()
        bench.addPairedPhone()
        for phone in 1...5 as ClosedRange<UInt64> {
            bench.connect()
            bench.resolve()
            bench.request(.subscribe(.dataSource), of: phone)
            let events = bench.disconnect().phoneEvents
            #expect(events.contains(.keyTrouble(KeyTrouble(.missing))) == (phone == 5))
            bench.wait(.seconds(30))
        }
    }

    @Test func aLongLinkWithoutASessionSaysNothingOfKeys() {
        let bench = Self.onAir()
        bench.addPairedPhone()
        for _ in 1...5 {
            bench.connect()
            bench.wait(.seconds(15))
            #expect(bench.disconnect().phoneEvents == [.disconnected(.linkEnded)])
        }
    }

    @Test func aPhoneThatWasServedInBetweenHasItsKeys() {
        let bench = Self.onAir()
        bench.addPairedPhone()
        for _ in 1...2 {
            bench.connect()
            bench.disconnect()
        }
        bench.connect()
        bench.resolve()
        bench.subscribe(of: 3)
        bench.disconnect()
        bench.connect()
        #expect(bench.disconnect().phoneEvents == [.disconnected(.linkEnded)])
    }

    @Test func aPhoneWhoseBondWasRemovedHereIsPairedAgain() {
        let bench = Self.onAir()
        bench.serve()
        bench.remove(Bench.path("dev_1"))
        bench.removeANCS()
        bench.goOnAir()
        #expect(bench.addDevice("dev_2").calls.contains("Pair dev_2"))
        #expect(
            bench.refuse("Pair dev_2", "AuthenticationFailed").phoneEvents == [
                .pairingFailed(.refusedByPeer(.unspecified))
            ])
    }

    // MARK: Limits

    @Test func noMoreThan8192ObjectsOfAKindAreKept() {
        var tree = ObjectTree()
        for number in 0..<ObjectTree.limit + 100 {
            let interfaces = BusValue.dictionary(
                [.string(Bench.device): .options(["Address": .string("\(number)")])], key: "s",
                value: "a{sv}")
            let signal = BusSignal(
                .root, ObjectTree.objectManager, "InterfacesAdded",
                [.objectPath(Bench.path("dev_\(number)")), interfaces])
            _ = tree.receive(signal, at: .zero)
        }
        #expect(tree.devices.count == ObjectTree.limit)
    }

    @Test(
        arguments: [
            [], [.bool(true)], [.objectPath("/org/bluez/hci0/dev_9")],
            [.objectPath("/org/bluez/hci0/dev_9"), .string("no")],
            [.objectPath("/org/bluez/hci0/dev_9"), .options(["org.bluez.Device1": .bool(true)])],
        ] as [[BusValue]])
    func aSignalOfOtherTypesChangesNothing(_ arguments: [BusValue]) {
        let bench = Self.onAir()
        for member in ["InterfacesAdded", "InterfacesRemoved"] {
            #expect(bench.signal(.root, ObjectTree.objectManager, member, arguments).isEmpty)
        }
        #expect(
            bench.signal(
                "/org/bluez/hci0", ObjectTree.propertiesInterface, "PropertiesChanged", arguments
            ).isEmpty)
    }
}
