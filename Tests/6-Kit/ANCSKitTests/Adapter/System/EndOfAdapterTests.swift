import BluetoothLE
import LinuxIO
import Testing

@testable import ANCSEvents
@testable import ANCSKit
@testable import ANCSReceiver

/// What becomes of those who wait when their adapter ends.
@Suite struct EndOfAdapterTests {
    @Test("stopping an adapter ends the events of all its clients")
    func eventsEnd() async throws {
        try await Air.run { air in
            let adapter = try await air.adapter(at: air.port())
            let central = CentralManager(adapter)
            let peripheral = PeripheralManager(adapter)
            let binding = try AccessoryBinding(
                .init(app: "app", services: [Accessory.service], store: nil), manager: central)
            await binding.launch()
            let readers = [
                Task(executorPreference: air.loop) {
                    for await _ in central.events {}
                },
                Task(executorPreference: air.loop) {
                    for await _ in peripheral.events {}
                },
                Task(executorPreference: air.loop) {
                    for await _ in binding.events {}
                },
            ]
            let ended = Lock(0)
            for reader in readers {
                Task(executorPreference: air.loop) {
                    await reader.value
                    ended.withLock { $0 += 1 }
                }
            }
            await adapter.stop()
            try await air.pass(.seconds(1))
            #expect(ended.withLock { $0 } == readers.count)
            for reader in readers { reader.cancel() }
        }
    }

    @Test("a manager of a stopped adapter gets one event about it")
    func madeAfterwards() async throws {
        try await Air.run { air in
            let adapter = try await air.adapter(at: air.port())
            await adapter.stop()
            let central = CentralManager(adapter)
            #expect(await central.events.next() == .stateUpdated(.poweredOff))
            #expect(await central.events.next() == nil)
            let peripheral = PeripheralManager(adapter)
            #expect(await peripheral.events.next() == .stateUpdated(.poweredOff))
            #expect(await peripheral.events.next() == nil)
        }
    }

    private static let stopped = DeviceError.controller(.stopped)

    @Test("stopping a shared adapter ends a consumer, its sessions, and a phone")
    func consumerAndPhoneEnd() async throws {
        try await Air.run { air in
            let adapter = try await air.adapter(at: air.port())
            let consumer = try NotificationConsumer(
                ConsumerConfiguration(name: "Desk"), at: adapter)
            let runner = try NotificationConsumer(
                ConsumerConfiguration(name: "Other desk"), at: adapter)
            let phone = try NotificationProvider(ProviderConfiguration(), at: adapter)
            await consumer.start()
            await phone.start()
            let ended = Lock(Set<String>())
            let note = { @Sendable (name: String, body: () async throws -> Void) async in
                await #expect(throws: Self.stopped) { try await body() }
                ended.withLock { _ = $0.insert(name) }
            }
            Task(executorPreference: air.loop) {
                await note("consumer") { for try await _ in consumer.events {} }
            }
            Task(executorPreference: air.loop) {
                await note("phone") { for try await _ in phone.events {} }
            }
            Task(executorPreference: air.loop) {
                await note("runner") { try await runner.run { _ in } }
            }
            try await air.pass(.seconds(1))
            #expect(ended.withLock { $0 } == [])
            await adapter.stop()
            try await air.pass(.seconds(1))
            #expect(ended.withLock { $0 } == ["consumer", "phone", "runner"])
        }
    }

    @Test("a consumer and a phone that start on a stopped adapter end at once")
    func startedAfterwards() async throws {
        try await Air.run { air in
            let adapter = try await air.adapter(at: air.port())
            await adapter.stop()
            let consumer = try NotificationConsumer(
                ConsumerConfiguration(name: "Desk"), at: adapter)
            await #expect(throws: Self.stopped) { try await consumer.run { _ in } }
            let phone = try NotificationProvider(ProviderConfiguration(), at: adapter)
            await phone.start()
            await #expect(throws: Self.stopped) { for try await _ in phone.events {} }
        }
    }

    @Test("discovery in progress ends when the adapter is closed")
    func proceduresEnd() async throws {
        try await Air.run { air in
            let adapter = try await air.adapter(at: air.port())
            let manager = try await air.manager(at: adapter)
            let accessory = try await air.accessory()
            try accessory.addService()
            accessory.advertise()
            try await manager.connect(try await air.find([Accessory.service], by: manager))
            let found = Lock([PeerKey]?.none)
            adapter.system.findConnected(withServices: [Accessory.service]) { peers in
                found.withLock { $0 = peers }
            }
            #expect(found.withLock { $0 } == nil)
            adapter.system.close()
            try await air.until("an answer") { found.withLock { $0 } != nil }
            #expect(found.withLock { $0 } == [])
        }
    }
}
