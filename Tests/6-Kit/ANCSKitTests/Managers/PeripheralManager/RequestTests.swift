import BluetoothLE
import LinuxIO
import Octets
import Testing

@testable import ANCSEvents
@testable import ANCSKit
@testable import ANCSReceiver

@Suite("Requests that the app answers")
struct RequestTests {
    /// Two values that the app keeps, for everybody.
    struct Pair: Sendable {
        let service = MutableService(type: BluetoothUUID(UInt16(0xFFE0)))
        let one = value(0xFFE1)
        let other = value(0xFFE2)

        init() { service.characteristics = [one, other] }

        private static func value(_ uuid: UInt16) -> MutableCharacteristic {
            MutableCharacteristic(
                type: BluetoothUUID(uuid), properties: [.read, .write, .writeWithoutResponse],
                permissions: [.readable, .writeable])
        }
    }

    static func publish(at bench: isolated ManagerBench) async throws -> Pair {
        let pair = Pair()
        try await bench.manager.add(pair.service)
        return pair
    }

    /// The last write that the app was told of.
    static func lastWrite(at bench: isolated ManagerBench) -> [ATTRequest]? {
        guard case .didReceiveWrite(let requests)? = bench.events.last else { return nil }
        return requests
    }

    @Test("a read waits for the app, and a long one asks it again for the whole value")
    func read() async throws {
        try await ManagerBench.run { bench in
            let pair = try await Self.publish(at: bench)
            let value = [UInt8](0..<30)
            bench.setApp { event, manager in
                guard case .didReceiveRead(let request) = event else { return }
                request.value = value
                manager.respond(to: request, withResult: .success)
                // Nobody waits for a second answer.
                manager.respond(to: request, withResult: .unlikelyError)
            }
            let central = try await bench.connectedCentral()
            let handle = await bench.handle(of: pair.one)
            let start = Hexadecimal.text(Array(value.prefix(22))).lowercased()
            #expect(try await central.answer(to: "0a" + handle) == "0b" + start)
            #expect(
                try await central.answer(to: "0c" + handle + "1600") == "0d161718191a1b1c1d")
            #expect(try await central.answer(to: "0c" + handle + "1f00") == "010c" + handle + "07")
        }
    }

    @Test("an error of the app reaches the central")
    func refusedRead() async throws {
        try await ManagerBench.run { bench in
            let pair = try await Self.publish(at: bench)
            bench.setApp { event, manager in
                guard case .didReceiveRead(let request) = event else { return }
                manager.respond(to: request, withResult: ATTErrorCode(rawValue: 0x80))
            }
            let central = try await bench.connectedCentral()
            let handle = await bench.handle(of: pair.one)
            #expect(try await central.answer(to: "0a" + handle) == "010a" + handle + "80")
        }
    }

    @Test("a queued write to two characteristics is one request, accepted or refused as a whole")
    func queued() async throws {
        try await ManagerBench.run { bench in
            let pair = try await Self.publish(at: bench)
            let refused = Lock(false)
            bench.setApp { event, manager in
                guard case .didReceiveWrite(let requests) = event else { return }
                if refused.withLock({ $0 }) {
                    manager.respond(to: requests[1], withResult: .outOfRange)
                } else {
                    manager.respond(to: requests[0], withResult: .success)
                }
            }
            let central = try await bench.connectedCentral()
            let (one, other) = (
                await bench.handle(of: pair.one), await bench.handle(of: pair.other)
            )
            func prepare() async throws {
                for part in [
                    one + "0000aabb", other + "000001", one + "0200cc", other + "090002",
                ] {
                    #expect(try await central.answer(to: "16" + part) == "17" + part)
                }
            }
            try await prepare()
            #expect(try await central.answer(to: "1801") == "19")
            let write = Self.lastWrite(at: bench)
            let requests = try #require(write)
            #expect(requests.map(\.characteristic) == [pair.one, pair.other, pair.other])
            #expect(requests.map(\.offset) == [0, 0, 9])
            #expect(requests.map(\.value) == [[0xAA, 0xBB, 0xCC], [1], [2]])
            #expect(Set(requests.map(\.central)).count == 1)

            refused.withLock { $0 = true }
            try await prepare()
            #expect(try await central.answer(to: "1801") == "0118" + other + "ff")
            #expect(try await central.answer(to: "1801") == "19", "the queue is empty")
        }
    }

    @Test("a write without response is reported, and answering it does nothing")
    func command() async throws {
        try await ManagerBench.run { bench in
            let pair = try await Self.publish(at: bench)
            bench.setApp { event, manager in
                guard case .didReceiveWrite(let requests) = event else { return }
                manager.respond(to: requests[0], withResult: .success)
            }
            let central = try await bench.connectedCentral()
            let handle = await bench.handle(of: pair.one)
            await central.send(Hexadecimal.octets("52" + handle + "0102") ?? [])
            try await bench.wait("it is told") { Self.lastWrite(at: bench) != nil }
            let write = Self.lastWrite(at: bench)
            #expect(write?.map(\.value) == [[1, 2]])
            #expect(await central.pdus.isEmpty)
        }
    }

    @Test("an answer to a central that has disconnected is dropped, even if it has returned")
    func left() async throws {
        try await ManagerBench.run { bench in
            let pair = try await Self.publish(at: bench)
            let central = try await bench.connectedCentral()
            let handle = await bench.handle(of: pair.one)
            await central.send(Hexadecimal.octets("0a" + handle) ?? [])
            var asked: ATTRequest?
            try await bench.wait("it is asked") {
                for case .didReceiveRead(let request) in bench.events { asked = request }
                return asked != nil
            }
            try await central.disconnect()
            try await bench.wait("it has left") { await bench.adapter.connectedPeers.isEmpty }
            try await bench.connect(central)
            let request = try #require(asked)
            request.value = [1]
            await bench.manager.respond(to: request, withResult: .success)
            try await bench.pass(.seconds(1))
            #expect(await central.pdus.isEmpty)
        }
    }

    @Test("a request is refused when there is no room for its event")
    func noRoom() async throws {
        try await ManagerBench.run { bench in
            let manager = PeripheralManager(bench.adapter, maximumPendingEvents: 1)
            let pair = Pair()
            try await manager.add(pair.service)
            let central = try await bench.connectedCentral()
            let handle = Hexadecimal.text(
                [UInt8(await manager.firstHandle(of: pair.one)), 0]
            ).lowercased()
            // The state is an event as well.
            #expect(try await central.answer(to: "0a" + handle) == "010a" + handle + "11")
            #expect(await manager.events.next() == .stateUpdated(.poweredOn))
            #expect(await manager.events.next() == .missed(1))
        }
    }

    @Test("a removed service is gone, and centrals are notified")
    func removed() async throws {
        try await ManagerBench.run { bench in
            let pair = try await Self.publish(at: bench)
            let central = try await bench.connectedCentral()
            let handle = await bench.handle(of: pair.one)
            let found = bench.serviceChangedDescriptor
            let descriptor = try #require(found)
            #expect(try await central.answer(to: "12" + descriptor + "0200") == "13")
            await bench.manager.remove(pair.service)
            try await bench.wait("Service Changed comes") { await central.updates.count == 1 }
            #expect(try await central.answer(to: "0a" + handle) == "010a" + handle + "01")
            try await bench.manager.add(pair.service)
            try await bench.wait("it comes again") { await central.updates.count == 2 }
            #expect(await bench.handle(of: pair.one) == handle)
            // From the service declaration to the last value: Core Vol 3, Part G, 7.1.
            let first = await bench.manager.firstHandle(of: pair.one) - 2
            #expect(await central.updates.last == [UInt8(first), 0, UInt8(first) + 4, 0])
        }
    }

    // MARK: What cannot be published

    typealias Row = (
        properties: Characteristic.Properties, value: [UInt8]?,
        permissions: MutableCharacteristic.Permissions
    )

    static let impossible: [Row] = [
        ([.read, .notify], [1], .readable), ([.read, .write], [1], .readable),
        (.read, [1], [.readable, .writeable]),
        (.read, [UInt8](repeating: 0, count: 513), .readable),
        ([.read, .broadcast], nil, .readable), ([.read, .extendedProperties], nil, .readable),
        (.authenticatedSignedWrites, nil, .writeable),
    ]

    @Test(
        "an invalid service is refused, and nothing of it is published",
        arguments: 0..<impossible.count)
    func refused(row: Int) async throws {
        try await ManagerBench.run { bench in
            let (properties, value, permissions) = Self.impossible[row]
            let service = MutableService(type: BluetoothUUID(UInt16(0xFFE0)))
            service.characteristics = [
                MutableCharacteristic(
                    type: BluetoothUUID(UInt16(0xFFE1)), properties: properties, value: value,
                    permissions: permissions)
            ]
            await #expect(throws: BluetoothError.self) { try await bench.manager.add(service) }
            service.characteristics = []
            try await bench.manager.add(service)
            await #expect(throws: BluetoothError.self) { try await bench.manager.add(service) }
        }
    }

    @Test(
        "descriptors and declarations that the host makes itself are refused",
        arguments: [0x2800, 0x2803, 0x2902] as [UInt16])
    func structuralTypes(uuid: UInt16) async throws {
        try await ManagerBench.run { bench in
            let service = MutableService(type: BluetoothUUID(UInt16(0xFFE0)))
            let permissions = MutableCharacteristic.Permissions.readable
            service.characteristics = [
                MutableCharacteristic(
                    type: BluetoothUUID(uuid), properties: .read, permissions: permissions)
            ]
            await #expect(throws: BluetoothError(.uuidNotAllowed)) {
                try await bench.manager.add(service)
            }
            let characteristic = MutableCharacteristic(
                type: BluetoothUUID(UInt16(0xFFE1)), properties: .read, permissions: permissions)
            characteristic.descriptors = [
                MutableDescriptor(type: BluetoothUUID(uuid), value: [1])
            ]
            service.characteristics = [characteristic]
            await #expect(throws: BluetoothError.self) { try await bench.manager.add(service) }
        }
    }

    @Test("the host's own services cannot be published", arguments: [0x1800, 0x1801] as [UInt16])
    func hostServices(uuid: UInt16) async throws {
        try await ManagerBench.run { bench in
            await #expect(throws: BluetoothError(.uuidNotAllowed)) {
                try await bench.manager.add(MutableService(type: BluetoothUUID(uuid)))
            }
        }
    }
}

extension PeripheralManager {
    fileprivate func firstHandle(of characteristic: MutableCharacteristic) -> UInt16 {
        characteristics.first { $0.value === characteristic }?.key.rawValue ?? 0
    }
}
