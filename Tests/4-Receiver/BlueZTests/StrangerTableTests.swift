import ANCS
import ANCSEvents
import BluetoothLE
import DBus
import DBusTestKit
import Testing

@testable import BlueZ

/// Devices that connect, pair with nobody, and have as many services as there are handles.
@Suite struct StrangerTableTests {
    private static let stranger = "dev_9"

    /// The path of what has a handle.
    private static func path(_ name: String, _ handles: (String, UInt16)...) -> ObjectPath {
        let text = handles.map { kind, handle in
            let digits = String(handle, radix: 16)
            return "/\(kind)" + String(repeating: "0", count: 4 - digits.count) + digits
        }.joined()
        return Bench.path(name + text)
    }

    private static func added(
        _ path: ObjectPath, _ interface: String, _ uuid: BluetoothUUID
    ) -> BusSignal {
        BusSignal(
            from: Bench.owner, .root, ObjectTree.objectManager, "InterfacesAdded",
            [.objectPath(path), .interfaces([interface: ["UUID": .string(uuid.text)]])])
    }

    private static func removed(_ path: ObjectPath, _ interface: String) -> BusSignal {
        BusSignal(
            from: Bench.owner, .root, ObjectTree.objectManager, "InterfacesRemoved",
            [.objectPath(path), .strings([interface])])
    }

    /// A table of services with a characteristic each, and what comes before it goes.
    private static func table(
        of count: Int, _ service: BluetoothUUID, _ characteristic: BluetoothUUID
    ) -> (coming: [BusSignal], going: [BusSignal]) {
        var (coming, going): ([BusSignal], [BusSignal]) = ([], [])
        for number in 0..<UInt16(count / 2) {
            let first = path(stranger, ("service", 3 * number + 1))
            let second = path(
                stranger, ("service", 3 * number + 1), ("char", 3 * number + 2))
            coming.append(added(first, AttributeObject.service, service))
            coming.append(added(second, AttributeObject.characteristic, characteristic))
            going.append(removed(second, AttributeObject.characteristic))
            going.append(removed(first, AttributeObject.service))
        }
        return (coming, going)
    }

    private static func tree() -> ObjectTree {
        var tree = ObjectTree()
        let device = BusSignal(
            .root, ObjectTree.objectManager, "InterfacesAdded",
            [
                .objectPath(path(stranger)),
                .interfaces([DeviceObject.interface: ["Connected": .bool(true)]]),
            ])
        _ = tree.receive(device, at: .zero)
        return tree
    }

    /// How often a tree has an accessory look at the device while its table comes and goes.
    private static func looks(_ table: (coming: [BusSignal], going: [BusSignal])) -> Int {
        var tree = tree()
        return (table.coming + table.going).reduce(0) { looks, signal in
            looks
                + tree.receive(signal, at: .zero).count {
                    if case .device = $0 { true } else { false }
                }
        }
    }

    @Test(arguments: [250, 2_000, 21_000])
    func aDeviceThatIsNoPhoneIsNeverLookedAt(_ count: Int) {
        #expect(Self.looks(Self.table(of: count, "180D", "2A37")) == 0)
    }

    /// However many there are: each time that a service of ANCS could be one of a phone.
    @Test(arguments: [250, 2_000, 21_000])
    func aDeviceWithThousandsOfServicesOfANCSIsLookedAtAFewTimes(_ count: Int) {
        let looks = Self.looks(Self.table(of: count, .ancs, .notificationSource))
        #expect(looks > 0)
        #expect(looks <= 4 * ANCSUUID.maximumServices)
    }

    @Test(arguments: [BluetoothUUID.notificationSource, .controlPoint, .dataSource])
    func thousandsOfItsCharacteristicsAreNoneEither(_ uuid: BluetoothUUID) {
        var tree = AttributeTree()
        let service = Self.path(Self.stranger, ("service", 1))
        var paths = [(service, AttributeObject.service, BluetoothUUID.ancs)]
        for handle in 2...UInt16(ANCSUUID.maximumServices + 2) {
            let path = Self.path(Self.stranger, ("service", 1), ("char", handle))
            paths.append((path, AttributeObject.characteristic, uuid))
        }
        for (path, interface, uuid) in paths {
            guard let place = AttributePath(path) else { continue }
            _ = tree.add(place, at: path, (interface, ["UUID": .string(uuid.text)]))
        }
        #expect(tree.hasTooManyServices)
        #expect(tree.ancs == nil)
    }

    @Test func sixteenServicesAreLookedThroughAndSeventeenAreRefused() {
        var tree = Self.tree()
        let table = Self.table(
            of: 2 * (ANCSUUID.maximumServices + 1), .ancs, .notificationSource)
        for signal in table.coming.dropLast(2) { _ = tree.receive(signal, at: .zero) }
        let first = Self.path(Self.stranger, ("service", 1), ("char", 2))
        #expect(tree.places(on: Self.path(Self.stranger))?.notificationSource == first)
        for signal in table.coming.suffix(2) { _ = tree.receive(signal, at: .zero) }
        #expect(tree.places(on: Self.path(Self.stranger)) == nil)
        for signal in table.going.prefix(2) { _ = tree.receive(signal, at: .zero) }
        #expect(tree.places(on: Self.path(Self.stranger)) != nil)
    }

    @Test func itIsSaidOnceAndAPhoneInServiceGoesOn() {
        let bench = Bench(.init(name: "desk lamp"))
        bench.begin()
        bench.serve()
        bench.addDevice(Self.stranger, and: ["UUIDs": .strings([BluetoothUUID.ancs.text])])
        let table = Self.table(of: 4_000, .ancs, .notificationSource)
        let lines = table.coming.flatMap { bench.receive($0) }
        #expect(lines == [.phone(2, .tooManyServices)])
        #expect(bench.broadcast([1]) == [.report(1, .notificationSource([1]))])
        #expect(table.going.flatMap { bench.receive($0) }.isEmpty)
    }

    /// A Central has all of them that it keeps, and discovers them by one request.
    @Test func aPeripheralMayHaveThousandsOfServices() {
        let bench = SystemBench()
        bench.begin()
        let peer = bench.connect()
        let table = Self.table(of: 21_000, "180D", "2A37")
        for signal in table.coming {
            guard case .objectPath(let path)? = signal.arguments.first,
                let local = ObjectPath(
                    path.text.replacing("/\(Self.stranger)/", with: "/dev_1/"))
            else { continue }
            _ = bench.receive(
                BusSignal(
                    from: Bench.owner, .root, signal.interface, signal.member,
                    [.objectPath(local), signal.arguments[1]]))
        }
        bench.wait(.seconds(6))
        let lines = bench.start(.discoverPrimaryServices, on: peer)
        guard case .completed(_, .success(.services(let services)))? = lines.first else {
            Issue.record("they are not discovered: \(lines)")
            return
        }
        #expect(services.count > AttributeTree.limit / 2 - 10)
    }
}
