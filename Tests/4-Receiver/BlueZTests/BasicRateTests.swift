import ANCSEvents
import BluetoothLE
import DBus
import Octets
import Testing

@testable import BlueZ

@Suite("BR/EDR draws the iPhone away")
struct BasicRateTests {
    private static let hci0: ObjectPath = "/org/bluez/hci0"
    private static let drawn = BlueZEvent.discoverable(adapter: "hci0")
    private static let named = BlueZEvent.pairedWithoutLowEnergy(
        name: "Ada's iPhone", address: "AC:BC:32:01:02:03")

    private static func begun() -> Bench {
        let bench = Bench()
        bench.begin()
        bench.change(hci0, Bench.advertisingManager, ["ActiveInstances": .byte(1)])
        // A laptop, with the service classes of a desktop. Assigned Numbers 2.8.
        bench.change(hci0, Bench.adapter, ["Class": .uint32(0x7C_010C)])
        return bench
    }

    @discardableResult
    private static func discoverable(_ isSo: Bool, _ bench: Bench) -> [Bench.Line] {
        bench.change(hci0, Bench.adapter, ["Discoverable": .bool(isSo)])
    }

    /// An iPhone that the desktop has paired over BR/EDR, for audio and its network.
    @discardableResult
    private static func addPhone(
        to bench: Bench, and others: [String: BusValue] = [:]
    ) -> [Bench.Line] {
        bench.addDevice(
            isConnected: false, isPaired: true, address: "AC:BC:32:01:02:03",
            and: [
                "AddressType": .string("public"), "Class": .uint32(0x7A_020C),
                "Name": .string("Ada's iPhone"), "Modalias": .string("bluetooth:v004Cp7A10d1100"),
                "UUIDs": .strings([
                    "0000110a-0000-1000-8000-00805f9b34fb", "00001116-0000-1000-8000-00805f9b34fb",
                ]),
            ].merging(others) { _, other in other })
    }

    // MARK: Discoverable

    @Test("A discoverable adapter is reported while pairing is open, once each time")
    func discoverable() {
        let bench = Self.begun()
        #expect(Self.discoverable(true, bench) == [.event(Self.drawn)])
        #expect(Self.discoverable(true, bench).isEmpty)
        #expect(Self.discoverable(false, bench).isEmpty)
        #expect(Self.discoverable(true, bench) == [.event(Self.drawn)])
    }

    @Test("Once a phone is paired it does not matter, until the user opens pairing")
    func closed() {
        let bench = Self.begun()
        bench.addPairedPhone()
        #expect(!Self.discoverable(true, bench).contains(.event(Self.drawn)))
        let lines = bench.input { $0.openPairingWindow(for: .seconds(60), at: $1) }
        #expect(lines.contains(.event(Self.drawn)))
    }

    @Test("It is reported at the start, and again after a restart of bluetoothd")
    func start() {
        let bench = Self.begun()
        Self.discoverable(true, bench)
        bench.ownerChanged(to: nil)
        bench.ownerChanged(to: Bench.secondOwner)
        #expect(
            bench.answer("GetManagedObjects /", bench.managedObjects).contains(.event(Self.drawn)))
    }

    @Test("An adapter without BR/EDR attracts no phone over BR/EDR")
    func lowEnergyOnly() {
        let bench = Self.begun()
        bench.change(Self.hci0, Bench.adapter, ["Class": .uint32(0)])
        let services = [
            "00001800-0000-1000-8000-00805f9b34fb", "00001200-0000-1000-8000", "nonsense",
        ]
        bench.change(Self.hci0, Bench.adapter, ["UUIDs": .strings(services)])
        #expect(Self.discoverable(true, bench).isEmpty)
    }

    @Test("A machine of unknown type has no Class of Device")
    func withoutClass() {
        let bench = Self.begun()
        let services = [
            "00001800-0000-1000-8000-00805f9b34fb", "00001200-0000-1000-8000-00805F9B34FB",
        ]
        bench.change(
            Self.hci0, Bench.adapter, ["Class": .uint32(0), "UUIDs": .strings(services)])
        #expect(Self.discoverable(true, bench) == [.event(Self.drawn)])
    }

    // MARK: Paired over BR/EDR

    @Test("An iPhone that is paired over BR/EDR alone is named, once while pairing is open")
    func pairedPhone() {
        let bench = Self.begun()
        #expect(Self.addPhone(to: bench) == [.event(Self.named)])
        #expect(bench.changeDevice("dev_1", ["Connected": .bool(true)]).isEmpty)
        #expect(bench.changeDevice("dev_1", ["Connected": .bool(false)]).isEmpty)
        // It was removed, and paired over BR/EDR again.
        bench.remove(Bench.path("dev_1"))
        #expect(Self.addPhone(to: bench) == [.event(Self.named)])
    }

    @Test("It is named at the start, and each time the user opens pairing")
    func namedAtTheStart() {
        let bench = Bench()
        bench.addAdapter()
        Self.addPhone(to: bench)
        #expect(bench.daemonBegins().filter { $0 == .event(Self.named) }.count == 1)
        bench.goOnAir()
        bench.input { $0.closePairingWindow(at: $1) }
        bench.goOnAir()
        let lines = bench.input { $0.openPairingWindow(for: nil, at: $1) }
        #expect(lines.filter { $0 == .event(Self.named) }.count == 1)
    }

    static let others: [(String, [String: BusValue])] = [
        ("not paired", ["Paired": .bool(false)]),
        ("paired over Low Energy", ["UUIDs": .strings([BluetoothUUID.ancs.text])]),
        (
            "Low Energy without ANCS",
            ["UUIDs": .strings(["d0611e78-bbb4-4591-a5f8-487910ae4366"])]
        ),
        ("a phone of another maker", ["Modalias": .string("bluetooth:v0075p0100d0200")]),
        ("a Mac", ["Class": .uint32(0x38_010C)]), ("headphones", ["Class": .uint32(0x24_0418)]),
    ]

    @Test("Others are not named", arguments: others)
    func other(_ name: String, _ properties: [String: BusValue]) {
        let lines = Self.addPhone(to: Self.begun(), and: properties)
        #expect(!lines.contains(.event(Self.named)), "\(name)")
    }

    @Test("One whose services of Low Energy appear is not named again")
    func lowEnergyFollows() {
        let bench = Self.begun()
        Self.addPhone(to: bench)
        #expect(!bench.addANCS().contains(.event(Self.named)))
    }
}
