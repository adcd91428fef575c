import ANCSEvents
import BluetoothLE
import DBus
import Testing

@testable import ANCSKit
@testable import BlueZ

@Suite struct SystemServicesTests {
    private let bench = SystemBench()
    private let peer: PeerKey
    private static let read = "ReadValue dev_1/service0010/char0014"

    init() {
        bench.begin()
        peer = bench.connect()
    }

    private func result(_ procedure: GATTProcedure) -> GATTResult? {
        guard
            case .completed(_, .success(let result))? = bench.start(procedure, on: peer).first
        else { return nil }
        return result
    }

    private func range(_ first: UInt16, _ last: UInt16) -> AttributeHandleRange {
        AttributeHandleRange(AttributeHandle(first), AttributeHandle(last))
    }

    @Test func theTreeHasTheHandlesOfThePaths() {
        #expect(
            result(.discoverPrimaryServices)
                == .services([
                    RemoteDatabase.Service(
                        range: range(0x10, 0x18), uuid: BluetoothUUID(0x180D as UInt16))
                ]))
        guard case .characteristics(let all)? = result(.discoverCharacteristics(range(0x10, 0x18)))
        else {
            Issue.record("no characteristics")
            return
        }
        #expect(all.map(\.declaration.rawValue) == [0x11, 0x14, 0x16])
        #expect(all.map(\.value.rawValue) == [0x12, 0x15, 0x17])
        #expect(all.map(\.properties) == [.notify, .read, [.write, .writeWithoutResponse]])
        #expect(
            result(.discoverDescriptors(range(0x13, 0x13)))
                == .descriptors([
                    RemoteDatabase.Descriptor(
                        handle: AttributeHandle(0x13), type: BluetoothUUID(0x2902 as UInt16))
                ]))
        #expect(
            result(.discoverPrimaryServicesByUUID(BluetoothUUID(0x180F as UInt16)))
                == .services([]))
        #expect(result(.exchangeMTU) == .mtu(185))
    }

    @Test func includedServicesAreFound() {
        let path = ObjectPath("\(Bench.path("dev_1"))/service0020") ?? .root
        bench.add(
            path, "org.bluez.GattService1",
            [
                "UUID": .string("180f"), "Primary": .bool(true),
                "Includes": .array(
                    [.objectPath(SystemBench.attributes(of: "dev_1")[0].0)], of: "o"),
            ])
        bench.wait(.seconds(1))
        #expect(
            result(.discoverIncludedServices(range(0x20, 0x21)))
                == .includedServices([
                    RemoteDatabase.IncludedService(
                        declaration: AttributeHandle(0x21), range: range(0x10, 0x18),
                        uuid: BluetoothUUID(0x180D as UInt16))
                ]))
    }

    @Test func objectsMayComeInAnyOrder() {
        var trees: Set<[AttributeHandle]> = []
        for order in [Array(0..<6), Array((0..<6).reversed()), [3, 0, 5, 1, 4, 2]] {
            var tree = AttributeTree()
            for index in order {
                let (path, interface, properties) = SystemBench.attributes(of: "dev_1")[index]
                guard let place = AttributePath(path) else { continue }
                let isAdded = tree.add(place, at: path, (interface, properties))
                #expect(isAdded)
            }
            trees.insert(
                tree.database.services.flatMap { service in
                    service.characteristics.flatMap { [$0.value] + $0.descriptors.map(\.handle) }
                })
        }
        #expect(trees.count == 1)
        #expect(trees.first?.count == 5)
    }

    @Test(
        arguments: [
            "/org/bluez/hci0/dev_1/service0000", "/org/bluez/hci0/dev_1/service10",
            "/org/bluez/hci0/dev_1/service0010/char", "/org/bluez/hci0/dev_1/char0011",
            "/org/bluez/hci0/dev_1/service0010/desc0011", "/org/bluez/hci0/dev_1", "/",
            "/org/bluez/hci0/service0010", "/org/bluez/hci0/dev_1/service00100/char0011",
        ] as [ObjectPath])
    func otherPathsHaveNoPlace(_ path: ObjectPath) {
        #expect(AttributePath(path) == nil)
    }

    @Test func aPeerHasSoManyAttributes() {
        var tree = AttributeTree()
        for handle in 1...UInt16(AttributeTree.limit + 10) {
            let digits = String(handle, radix: 16)
            let text =
                "/org/bluez/hci0/dev_1/service"
                + String(repeating: "0", count: 4 - digits.count) + digits
            guard let path = ObjectPath(text), let place = AttributePath(path) else { continue }
            _ = tree.add(place, at: path, (AttributeObject.service, ["UUID": .string("180f")]))
        }
        #expect(tree.objects.count == AttributeTree.limit)
    }

    @Test func removedServicesEndTheirRequestsUnanswered() {
        bench.subscribe(of: peer)
        bench.start(.readValue(SystemBench.readable), on: peer)
        bench.start(.writeValue(SystemBench.writable, [1]), on: peer)
        let lines = bench.removeAttributes()
        for (request, handle) in [
            (1, SystemBench.notified), (2, SystemBench.readable), (3, SystemBench.writable),
        ] {
            let failure = PeerRequestFailure.gatt(.errorResponse(.invalidHandle, handle))
            #expect(lines.contains(.completed(UInt64(request), .failure(failure))))
        }
        #expect(
            bench.wait(RemotePeer.completionTime)
                == [.event(.servicesChanged(peer, range(0x10, 0x18)))])
    }

    @Test func newServicesAreOneChange() {
        bench.removeAttributes()
        bench.wait(.milliseconds(400))
        bench.addAttributes()
        // A discovery waits until all objects are there.
        #expect(bench.start(.discoverPrimaryServices, on: peer) == [])
        let lines = bench.wait(RemotePeer.completionTime)
        #expect(lines.first == .event(.servicesChanged(peer, range(0x10, 0x18))))
        #expect(lines.count == 2)
    }

    @Test func servicesThatNeverCeaseToChangeDoNotHoldUpADiscovery() {
        let (path, interface, properties) = SystemBench.attributes(of: "dev_1")[5]
        var lines = bench.remove(path)
        lines += bench.start(.discoverPrimaryServices, on: peer)
        for _ in 0..<20 where lines.isEmpty {
            lines += bench.add(path, interface, properties)
            lines += bench.remove(path)
            lines += bench.wait(.milliseconds(300))
        }
        #expect(lines.first == .event(.servicesChanged(peer, range(0x18, 0x18))))
        #expect(lines.count == 2)
    }

    @Test func aHandleThatIsUsedAgainIsAnotherAttribute() {
        bench.start(.readValue(SystemBench.readable), on: peer)
        bench.removeAttributes()
        bench.addAttributes()
        bench.wait(.seconds(1))
        #expect(bench.start(.readValue(SystemBench.readable), on: peer) == [.call(Self.read)])
        // The reply of the one before.
        #expect(bench.answer(Self.read, .octets([1])) == [])
        #expect(
            bench.answer(Self.read, .octets([2])) == [.completed(2, .success(.value([2])))])
    }

    @Test func theMTUIsReportedWhenItChangesDuringASubscription() {
        bench.subscribe(of: peer)
        let path = SystemBench.attributes(of: "dev_1")[1].0
        #expect(
            bench.change(path, "org.bluez.GattCharacteristic1", ["MTU": .uint16(247)])
                == [.event(.mtuChanged(peer, 247))])
        #expect(bench.query { $0.mtu(of: peer) } == 247)
        bench.linkDown()
        #expect(bench.query { $0.mtu(of: peer) } == nil)
    }
}
