import BluetoothLE
import Testing

@testable import ANCSEvents
@testable import ANCSKit
@testable import ANCSReceiver

/// Scanning as Core Bluetooth does it: filters, the overflow area, duplicates.
@Suite struct ScanningTests {
    /// Everybody who is told of within two seconds, with what they say.
    private static func heard(
        by manager: CentralManager, on air: isolated Air
    ) async throws -> [(Peripheral, AdvertisementData)] {
        try await air.pass(.seconds(2))
        await manager.stopScan()
        let marker = Task(executorPreference: air.loop) { () -> [(Peripheral, AdvertisementData)] in
            var all: [(Peripheral, AdvertisementData)] = []
            for await event in manager.events {
                guard case .discovered(let peripheral, let data, _) = event else { continue }
                all.append((peripheral, data))
            }
            return all
        }
        // Whatever waits is read at once; then the reader waits, and is told that nothing comes.
        try await air.pass(.milliseconds(10))
        marker.cancel()
        return await marker.value
    }

    @Test("only peripherals with one of the services are reported")
    func filter() async throws {
        try await Air.run { air in
            let adapter = try await air.adapter(at: air.port())
            let manager = try await air.manager(at: adapter)
            let one = try await air.accessory()
            let other = try await air.accessory()
            one.advertise([Accessory.service, BluetoothUUID(UInt16(0x1234))])
            other.advertise([Accessory.otherService])
            try await manager.scanForPeripherals(withServices: [Accessory.service])
            #expect(await manager.isScanning)
            let heard = try await Self.heard(by: manager, on: air)
            let services = heard.map(\.1.serviceUUIDs)
            #expect(services == [[Accessory.service, BluetoothUUID(UInt16(0x1234))]])
            #expect(await !manager.isScanning)
        }
    }

    @Test(
        "without services every peripheral is reported, with all of its data",
        arguments: [true, false])
    func everybody(isNil: Bool) async throws {
        try await Air.run { air in
            let adapter = try await air.adapter(at: air.port())
            let manager = try await air.manager(at: adapter)
            let accessory = try await air.accessory()
            accessory.advertise(
                [Accessory.service],
                others: [
                    .transmitPower(-4), .appearance(192),
                    .serviceData(BluetoothUUID(UInt16(0x180F)), .short, [99]),
                    .manufacturerData(company: 0x004C, [1, 2]),
                    .solicitedServices([BluetoothUUID(UInt16(0x4444))]),
                ])
            try await manager.scanForPeripherals(withServices: isNil ? nil : [])
            let heard = try await Self.heard(by: manager, on: air)
            let wanted = AdvertisementData(
                serviceUUIDs: [Accessory.service],
                solicitedServiceUUIDs: [BluetoothUUID(UInt16(0x4444))],
                manufacturerData: [0x4C, 0x00, 1, 2],
                serviceData: [BluetoothUUID(UInt16(0x180F)): [99]],
                txPowerLevel: -4, isConnectable: true, appearance: 192)
            #expect(heard.map(\.1) == [wanted])
        }
    }

    @Test("a peripheral is reported once, and again when its scan response adds data")
    func duplicates() async throws {
        try await Air.run { air in
            let adapter = try await air.adapter(at: air.port())
            let manager = try await air.manager(at: adapter)
            let silent = try await air.accessory()
            silent.advertise()
            let named = try await air.accessory()
            named.advertise(name: "Band")
            try await manager.scanForPeripherals(withServices: [Accessory.service])
            let heard = try await Self.heard(by: manager, on: air)
            #expect(Set(heard.map { $0.0.identifier }).count == 2)
            #expect(heard.count <= 3)
            #expect(heard.filter { $0.1.localName == "Band" }.count == 1)
            let name = await heard.first { $0.1.localName == "Band" }?.0.name
            #expect(name == "Band")
        }
    }

    @Test(
        "with duplicates a peripheral is reported each time, and only to the manager that wants them"
    )
    func allDuplicates() async throws {
        try await Air.run { air in
            let adapter = try await air.adapter(at: air.port())
            let many = try await air.manager(at: adapter)
            let few = try await air.manager(at: adapter)
            let accessory = try await air.accessory()
            accessory.advertise()
            try await many.scanForPeripherals(
                withServices: [Accessory.service], options: ScanOptions(allowsDuplicates: true))
            try await few.scanForPeripherals(withServices: [Accessory.service])
            let heardByFew = try await Self.heard(by: few, on: air)
            let heardByMany = try await Self.heard(by: many, on: air)
            #expect(heardByFew.count == 1)
            #expect(heardByMany.count > 10)
        }
    }

    @Test("a second scan replaces the first, and reports every device again")
    func secondScan() async throws {
        try await Air.run { air in
            let adapter = try await air.adapter(at: air.port())
            let manager = try await air.manager(at: adapter)
            let accessory = try await air.accessory()
            accessory.advertise([Accessory.service, Accessory.otherService])
            try await manager.scanForPeripherals(withServices: [Accessory.service])
            try await air.pass(.seconds(1))
            try await manager.scanForPeripherals(withServices: [Accessory.otherService])
            let heard = try await Self.heard(by: manager, on: air)
            #expect(heard.count == 2)
            #expect(heard[0].0 === heard[1].0)
        }
    }

    @Test("a service in the overflow area is found by a scan for that service only")
    func overflow() async throws {
        try await Air.run { air in
            let adapter = try await air.adapter(at: air.port())
            let asking = try await air.manager(at: adapter)
            let other = try await air.manager(at: adapter)
            let everybody = try await air.manager(at: adapter)
            let accessory = try await air.accessory()
            accessory.advertise([], others: [OverflowArea([Accessory.service]).structure])
            try await asking.scanForPeripherals(
                withServices: [Accessory.service, Accessory.otherService])
            try await other.scanForPeripherals(withServices: [Accessory.otherService])
            try await everybody.scanForPeripherals(withServices: nil)
            let found = try await Self.heard(by: asking, on: air)
            #expect(found.map { $0.1.overflowServiceUUIDs } == [[Accessory.service]])
            #expect(found.map { $0.1.serviceUUIDs } == [[]])
            #expect(try await Self.heard(by: other, on: air).isEmpty)
            let anybody = try await Self.heard(by: everybody, on: air)
            #expect(anybody.map(\.1) == [AdvertisementData(isConnectable: true)])
        }
    }

    @Test("a peripheral that solicits a service is found by a scan for that")
    func solicited() async throws {
        try await Air.run { air in
            let adapter = try await air.adapter(at: air.port())
            let manager = try await air.manager(at: adapter)
            let wanting = try await air.accessory()
            let other = try await air.accessory()
            wanting.advertise([], others: [.solicitedServices([Accessory.otherService])])
            other.advertise([Accessory.service])
            try await manager.scanForPeripherals(
                withServices: nil,
                options: ScanOptions(solicitedServices: [Accessory.otherService]))
            let heard = try await Self.heard(by: manager, on: air)
            #expect(heard.map { $0.1.solicitedServiceUUIDs } == [[Accessory.otherService]])
            #expect(
                await manager.rememberedCount == 1,
                "a peer that no client scans for is not remembered")
        }
    }

    @Test("a non-connectable peripheral is reported as non-connectable")
    func notConnectable() async throws {
        try await Air.run { air in
            let adapter = try await air.adapter(at: air.port())
            let manager = try await air.manager(at: adapter)
            let beacon = try await air.accessory()
            beacon.advertise(isConnectable: false)
            try await manager.scanForPeripherals(withServices: [Accessory.service])
            let heard = try await Self.heard(by: manager, on: air)
            #expect(heard.map { $0.1.isConnectable } == [false])
        }
    }

    @Test("a scan is refused while the adapter is not powered on")
    func notPoweredOn() async throws {
        try await Air.run { air in
            let adapter = try await air.adapter(at: air.port())
            let manager = try await air.manager(at: adapter)
            await adapter.stop()
            await #expect(throws: BluetoothError(.notPoweredOn)) {
                try await manager.scanForPeripherals(withServices: nil)
            }
        }
    }
}

extension CentralManager {
    /// How many peers the system knows.
    fileprivate var rememberedCount: Int? { adapter.host?.peers.count }
}
