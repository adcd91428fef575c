import BluetoothLE
import LinuxIO
import Octets
import Testing

@testable import ANCSEvents
@testable import ANCSKit
@testable import ANCSReceiver

@Suite("Advertising of a manager")
struct ManagerAdvertisingTests {
    static let heartRate = BluetoothUUID(UInt16(0x180D))
    static let data = AdvertisementData(localName: "Desk", serviceUUIDs: [heartRate])

    /// What a central hears that looks for a while, and asks for scan responses.
    static func hear(
        _ central: TestCentral, at bench: isolated ManagerBench
    ) async throws -> AdvertisingData? {
        await central.forgetHeard()
        try await central.scan()
        try await bench.pass(.seconds(1))
        return await central.heard.values.first?.advertisement
    }

    @Test("the advertising data follows from the state, octet by octet")
    func state() async throws {
        try await ManagerBench.run { bench in
            let manager = bench.manager
            #expect(await manager.advertisingState == .off)
            try await manager.startAdvertising(Self.data)
            #expect(await manager.isAdvertising)
            try await bench.wait("it is on air") { bench.events.last == .didStartAdvertising }
            let plan = try #require(await manager.advertisingState.plan)
            #expect(await manager.advertisingState == .onAir(plan))
            #expect(
                plan.placements == [
                    .init(.service(Self.heartRate), .advertisement),
                    .init(.localName("Desk"), .advertisement),
                ])
            let central = try await bench.addCentral()
            let heard = try #require(try await Self.hear(central, at: bench))
            let structures =
                plan.advertisement.data.structures + plan.advertisement.scanResponse.structures
            #expect(heard.structures == structures)
        }
    }

    static let forbidden: [(AdvertisementData, AdvertisementDataKey)] = [
        (AdvertisementData(manufacturerData: [0xFF, 0xFF, 1]), .manufacturerData),
        (AdvertisementData(serviceData: [heartRate: [1]]), .serviceData),
        (AdvertisementData(txPowerLevel: 4), .txPowerLevel),
        (AdvertisementData(overflowServiceUUIDs: [heartRate]), .overflowServiceUUIDs),
        (AdvertisementData(localName: "Desk", isConnectable: true), .isConnectable),
    ]

    @Test("any other key is an error that names it", arguments: 0..<forbidden.count)
    func forbiddenKey(row: Int) async throws {
        try await ManagerBench.run { bench in
            let (data, key) = Self.forbidden[row]
            let error = await #expect(throws: BluetoothError.self) {
                try await bench.manager.startAdvertising(data)
            }
            #expect(error?.code == .invalidParameters)
            #expect(error?.message.contains(key.rawValue) == true)
            #expect(await bench.manager.isAdvertising == false)
        }
    }

    @Test("a connection ends advertising, unless asked otherwise", arguments: [true, false])
    func connection(stops: Bool) async throws {
        try await ManagerBench.run { bench in
            let manager = bench.manager
            try await manager.startAdvertising(
                Self.data, options: AdvertisingOptions(stopsOnConnection: stops))
            let central = try await bench.addCentral()
            let other = try await bench.addCentral()
            try await bench.connect(central)
            try await bench.pass(.seconds(1))
            #expect(await manager.isAdvertising == !stops)
            #expect(
                bench.events.contains(.didStopAdvertising(.connected)) == stops)
            #expect((try await Self.hear(other, at: bench) == nil) == stops)
            #expect((await manager.advertisingState == .off) == stops)
            // An end is not an interruption, after which it would come back.
            #expect(bench.events.contains(.advertisingInterrupted(nil)) == !stops)
        }
    }

    @Test("advertising ends at its time limit, and not before")
    func timeLimit() async throws {
        try await ManagerBench.run { bench in
            let manager = bench.manager
            try await manager.startAdvertising(
                Self.data, options: AdvertisingOptions(timeLimit: .seconds(10)))
            try await bench.pass(.seconds(10) - .milliseconds(1))
            #expect(await manager.isAdvertising)
            try await bench.pass(.milliseconds(2))
            #expect(await manager.isAdvertising == false)
            #expect(bench.events.last == .didStopAdvertising(.timeLimit))
            try await bench.pass(.milliseconds(100))
            let central = try await bench.addCentral()
            #expect(try await Self.hear(central, at: bench) == nil)
        }
    }

    @Test("advertising that is stopped while it starts can be started again")
    func stopWhileStarting() async throws {
        try await ManagerBench.run { bench in
            let manager = bench.manager
            try await manager.startAdvertising(Self.data)
            await manager.stopAdvertising()
            #expect(await manager.isAdvertising == false)
            #expect(await manager.advertisingState == .off)
            let central = try await bench.addCentral()
            #expect(try await Self.hear(central, at: bench) == nil)
            #expect(bench.events.contains(.didStartAdvertising) == false)
            try await manager.startAdvertising(Self.data)
            #expect(try await Self.hear(central, at: bench) != nil)
            await #expect(throws: BluetoothError(.alreadyAdvertising)) {
                try await manager.startAdvertising(Self.data)
            }
            await manager.stopAdvertising()
            try await bench.pass(.milliseconds(50))
            #expect(try await Self.hear(central, at: bench) == nil)
        }
    }

    @Test("stopping and starting at once reports no end")
    func startedAnew() async throws {
        try await ManagerBench.run { bench in
            let manager = bench.manager
            try await manager.startAdvertising(Self.data)
            try await bench.wait("it is on air") { bench.events.last == .didStartAdvertising }
            bench.clearEvents()
            try await manager.restart(Self.data)
            try await bench.wait("it is on air again") { bench.events.last == .didStartAdvertising }
            #expect(bench.events == [.didStartAdvertising])
        }
    }

    @Test("in the background there is no name, and every service is in the overflow area")
    func background() async throws {
        try await ManagerBench.run { bench in
            let manager = bench.manager
            let central = try await bench.addCentral()
            try await manager.startAdvertising(Self.data)
            #expect(try await Self.hear(central, at: bench)?.localName == "Desk")
            await manager.setInBackground(true)
            try await bench.pass(.milliseconds(50))
            let hidden = try #require(try await Self.hear(central, at: bench))
            #expect(hidden.localName == nil)
            #expect(hidden.services.isEmpty)
            #expect(hidden.overflowArea?.mayContain(Self.heartRate) == true)
            await manager.setInBackground(false)
            try await bench.pass(.milliseconds(50))
            #expect(try await Self.hear(central, at: bench)?.services == [Self.heartRate])
        }
    }

    @Test("two managers advertise together, and a released one takes its data away")
    func twoManagers() async throws {
        try await ManagerBench.run { bench in
            let battery = BluetoothUUID(UInt16(0x180F))
            let central = try await bench.addCentral()
            try await bench.manager.startAdvertising(Self.data)
            var other: PeripheralManager? = PeripheralManager(bench.adapter)
            try await other?.startAdvertising(AdvertisementData(serviceUUIDs: [battery]))
            let both = try await Self.hear(central, at: bench)
            #expect(both?.services == [Self.heartRate, battery])
            other = nil
            try await bench.pass(.milliseconds(50))
            #expect(try await Self.hear(central, at: bench)?.services == [Self.heartRate])
        }
    }

    @Test("data without an overflow area has to fit")
    func extensions() async throws {
        try await ManagerBench.run { bench in
            let error = await #expect(throws: BluetoothError.self) {
                try await bench.manager.startAdvertising(
                    AdvertisementData(solicitedServiceUUIDs: [
                        BluetoothUUID(UInt128(1)), BluetoothUUID(UInt128(2)),
                    ]))
            }
            #expect(error?.code == .outOfSpace)
            #expect(await bench.manager.isAdvertising == false)
        }
    }
}

extension PeripheralManager {
    /// Stops advertising and starts again, with nothing in between.
    fileprivate func restart(_ data: AdvertisementData) throws(BluetoothError) {
        stopAdvertising()
        try startAdvertising(data)
    }
}
