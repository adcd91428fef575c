import ANCS
import BluetoothLE
import LinuxIO
import Octets
import Testing

@testable import ANCSEvents
@testable import ANCSKit
@testable import ANCSReceiver

@Suite("A consumer and an app at one adapter")
struct ConsumerAndAppTests {
    /// A consumer at the adapter of a bench, and what it tells.
    actor Accessory {
        nonisolated let consumer: NotificationConsumer
        private(set) var events: [ConsumerEvent] = []

        nonisolated var unownedExecutor: UnownedSerialExecutor { consumer.unownedExecutor }

        init(at adapter: BluetoothAdapter) throws {
            consumer = try NotificationConsumer(ConsumerConfiguration(name: "Desk"), at: adapter)
        }

        func run() async throws {
            await consumer.start()
            for try await event in consumer.events { events.append(event) }
        }

        var isWaiting: Bool {
            events.contains { event in
                if case .session(_, .waitingForService) = event { true } else { false }
            }
        }
    }

    @Test(
        "the app's central without ANCS keeps its link, and does not prevent phones from connecting"
    )
    func place() async throws {
        try await ManagerBench.run { bench in
            let accessory = try Accessory(at: bench.adapter)
            let reader = Task(executorPreference: bench.loop) { try await accessory.run() }
            let central = try await bench.addCentral()
            try await bench.pass(.milliseconds(100))
            try await bench.connect(central)
            try await bench.wait("the consumer looks for ANCS") { await accessory.isWaiting }
            try await bench.pass(.seconds(200))
            #expect(await central.link != nil)
            let manager = bench.manager
            #expect(await manager.advertisingState.plan?.wanted.solicitedServices == [.ancs])
            await accessory.consumer.stop()
            try await reader.value
        }
    }

    @Test("both advertise together, and stopping one leaves the other its link")
    func together() async throws {
        try await ManagerBench.run { bench in
            let manager = bench.manager
            let service = MutableService(type: BluetoothUUID(UInt16(0x180D)))
            let value = MutableCharacteristic(
                type: BluetoothUUID(UInt16(0x2A37)), properties: .notify, permissions: [])
            service.characteristics = [value]
            try await manager.add(service)
            try await manager.startAdvertising(
                AdvertisementData(serviceUUIDs: [service.uuid]),
                options: AdvertisingOptions(stopsOnConnection: false))
            let accessory = try Accessory(at: bench.adapter)
            #expect((accessory.consumer.port as? HostPort)?.adapter === bench.adapter)
            let reader = Task(executorPreference: bench.loop) { try await accessory.run() }

            let central = try await bench.addCentral()
            try await bench.pass(.milliseconds(100))
            try await central.scan()
            try await bench.wait("somebody is on air") { await !central.heard.isEmpty }
            let heard = try #require(await central.heard.values.first?.advertisement)
            #expect(heard.solicitedServices == [.ancs])
            #expect(heard.services == [service.uuid])

            try await bench.connect(central)
            try await bench.wait("the consumer looks for ANCS") { await accessory.isWaiting }
            let descriptor = await bench.descriptor(of: value)
            #expect(try await central.answer(to: "12" + descriptor + "0100") == "13")
            await accessory.consumer.stop()
            try await reader.value
            try await bench.pass(.seconds(5))
            #expect(await central.link != nil)
            #expect(await manager.updateValue([60], for: value))
            try await bench.wait("the value arrives") { await central.updates == [[60]] }
            #expect(await manager.advertisingState.plan?.wanted.solicitedServices == [])
        }
    }
}
