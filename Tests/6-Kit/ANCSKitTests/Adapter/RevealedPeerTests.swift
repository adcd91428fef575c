import BluetoothLE
import LinuxIO
import Octets
import Testing

@testable import ANCSEvents
@testable import ANCSKit
@testable import ANCSReceiver

/// A stranger turns out, when it pairs, to be a device that is known: what its clients hold of the one and
/// of the other goes on.
@Suite("Strangers that pairing reveals as known peers")
struct RevealedPeerTests {
    /// An accessory that is bonded, and has come back as a stranger: without its keys, under an address that
    /// nobody can resolve.
    private struct Stranger {
        let adapter: BluetoothAdapter
        let manager: CentralManager
        let accessory: Accessory
        /// The object of the device that was known, which has no link.
        let known: Peripheral

        init(on air: isolated Air) async throws {
            adapter = try await air.adapter(at: air.port()) {
                $0.controller.pairing.lostKeys = .pairAgain
            }
            manager = try await air.manager(at: adapter)
            let before = try await air.accessory()
            try before.addService()
            before.advertise()
            known = try await air.find([Accessory.service], by: manager)
            try await manager.connect(known)
            try await Self.pair(known)
            before.close()
            accessory = try await air.accessory(at: before.port) {
                $0.ownAddress = .resolvablePrivate()
            }
            try accessory.addService()
            accessory.advertise()
            _ = try await air.next(of: manager) { event in
                if case .disconnected = event { true } else { nil }
            }
        }

        /// Reads a protected value, for which the devices pair.
        static func pair(_ peripheral: Peripheral) async throws {
            let protected = try await characteristic(Accessory.protected, of: peripheral)
            #expect(try await peripheral.readValue(for: protected) == [7])
        }

        static func characteristic(
            _ uuid: BluetoothUUID, of peripheral: Peripheral
        ) async throws -> Characteristic {
            let service = try #require(
                try await peripheral.discoverServices([Accessory.service]).first)
            return try #require(
                try await peripheral.discoverCharacteristics([uuid], for: service).first)
        }

        /// Hears the stranger, and connects it.
        func connect(by manager: CentralManager, on air: isolated Air) async throws -> Peripheral {
            let stranger = try await air.find([Accessory.service], by: manager)
            #expect(stranger !== known)
            #expect(stranger.identifier != known.identifier)
            try await manager.connect(stranger)
            return stranger
        }
    }

    @Test(
        "a client that waits for the known device gets the stranger's link, and the stranger's object becomes its"
    )
    func pendingConnect() async throws {
        try await Air.run { air in
            let scene = try await Stranger(on: air)
            let (manager, known) = (scene.manager, scene.known)
            let waiting = Task(executorPreference: air.loop) { try await manager.connect(known) }
            try await air.pass(.seconds(1))
            let stranger = try await scene.connect(by: manager, on: air)
            let former = stranger.identifier
            try await Stranger.pair(stranger)
            try await waiting.value
            let told = try await air.next(of: manager) { event in
                if case .identified(stranger, let former) = event { former } else { nil }
            }
            #expect(told == former)
            #expect(stranger.identifier == known.identifier)
            #expect(await known.state == .disconnected)
            let found = await manager.retrievePeripherals(withIdentifiers: [known.identifier])
            #expect(found == [stranger])
            await manager.cancelPeripheralConnection(stranger)
            try await air.until("the link has fallen") { scene.accessory.links.isEmpty }
        }
    }

    @Test("an app's object of the known device is connected by the link that another app made")
    func heldObject() async throws {
        try await Air.run { air in
            let scene = try await Stranger(on: air)
            let other = try await air.manager(at: scene.adapter)
            let stranger = try await scene.connect(by: other, on: air)
            try await Stranger.pair(stranger)
            #expect(stranger.identifier == scene.known.identifier)
            #expect(await scene.known.state == .disconnected, "it was not waited for")
            let start = air.loop.now
            try await scene.manager.connect(scene.known)
            #expect(air.loop.now == start, "it takes no radio")
            try await Stranger.pair(scene.known)
            await other.cancelPeripheralConnection(stranger)
            try await air.pass(.seconds(10))
            #expect(scene.accessory.links.count == 1)
            #expect(scene.accessory.pairings == 1)
            await scene.manager.cancelPeripheralConnection(scene.known)
            try await air.until("the link has fallen") { scene.accessory.links.isEmpty }
            scene.accessory.advertise()
            #expect(try await air.find([Accessory.service], by: scene.manager) === scene.known)
        }
    }

    @Test("a subscription to a stranger's value continues after pairing, and ends with the link")
    func subscription() async throws {
        try await Air.run { air in
            let scene = try await Stranger(on: air)
            let stranger = try await scene.connect(by: scene.manager, on: air)
            let open = try await Stranger.characteristic(Accessory.open, of: stranger)
            try await stranger.setNotifyValue(true, for: open)
            try await Stranger.pair(stranger)
            try scene.accessory.notify([9], of: Accessory.open)
            let value = try await air.next(of: scene.manager) { event in
                if case .valueUpdated(stranger, open, let value) = event { value } else { nil }
            }
            #expect(value == [9])
            scene.accessory.disconnect()
            let gone = try await air.next(of: scene.manager) { event in
                if case .disconnected(let peripheral, _) = event { peripheral } else { nil }
            }
            #expect(gone === stranger)
        }
    }

    @Test("an app bound to the known device gets the link that it made to a stranger")
    func binding() async throws {
        try await Air.run { air in
            let scene = try await Stranger(on: air)
            var configuration = AccessoryBinding.Configuration(
                app: "app", services: [Accessory.service], store: nil)
            configuration.remembered = .bound(scene.known.identifier, name: nil)
            let binding = try AccessoryBinding(configuration, manager: scene.manager)
            await binding.launch()
            #expect(await binding.state == .connecting(scene.known.identifier))
            let stranger = try await scene.connect(by: scene.manager, on: air)
            try await Stranger.pair(stranger)
            let deadline = air.loop.now + .seconds(10)
            while await binding.state != .connected(scene.known.identifier) {
                try #require(air.loop.now < deadline, "the app was never bound")
                try await air.pass(.milliseconds(10))
            }
            #expect(await binding.peripheral === stranger, "the object that has the link")
            try await Stranger.pair(stranger)
            await scene.manager.cancelPeripheralConnection(stranger)
            try await air.pass(.seconds(60))
            #expect(await binding.state == .connected(scene.known.identifier), "it is made again")
        }
    }

    // MARK: Centrals

    /// A clock whose seconds a central follows that is bonded.
    private static func bondedFollower(
        at bench: isolated ManagerBench
    ) async throws -> (clock: SubscriptionTests.Clock, central: TestCentral, known: Central) {
        let clock = try await SubscriptionTests.publish(at: bench)
        let central = try await bench.connectedCentral()
        try await bench.pair(central)
        try await SubscriptionTests.subscribe(central, to: clock.seconds, at: bench)
        return (clock, central, try #require(clock.seconds.subscribedCentrals.first))
    }

    private static let pairsAgain: @Sendable (inout AdapterConfiguration) -> Void = {
        $0.controller.pairing.lostKeys = .pairAgain
    }

    @Test("a central that subscribed as a stranger stays the same central, with another identifier")
    func central() async throws {
        try await ManagerBench.run(configuration: Self.pairsAgain) { bench in
            let (clock, central, known) = try await Self.bondedFollower(at: bench)
            try await central.disconnect()
            try await bench.wait("it has left") { clock.seconds.subscribedCentrals.isEmpty }

            let twin = try await bench.addTwin(of: 1)
            try await bench.connect(twin)
            try await SubscriptionTests.subscribe(twin, to: clock.seconds, at: bench)
            let stranger = try #require(clock.seconds.subscribedCentrals.first)
            let former = stranger.identifier
            #expect(former != known.identifier)
            try await bench.pair(twin)
            try await bench.wait("it is known") { stranger.identifier == known.identifier }
            #expect(
                await bench.adapterEvents.contains(
                    .peer(known.identifier, .identified(formerly: former))))
            #expect(clock.seconds.subscribedCentrals == [stranger])
            #expect(await bench.manager.updateValue([5], for: clock.seconds))
            try await bench.wait("the value comes") { await twin.updates == [[5]] }
            #expect(await bench.adapter.connectedPeers == [known.identifier])
            try await twin.disconnect()
            try await bench.wait("it has left") { clock.seconds.subscribedCentrals.isEmpty }
            #expect(bench.events.last == .didUnsubscribe(stranger, from: clock.seconds))
        }
    }

    @Test(
        "of two links of one central the one that proves its identity stays, with its subscriptions"
    )
    func twoLinks() async throws {
        try await ManagerBench.run(configuration: Self.pairsAgain) { bench in
            let (clock, central, known) = try await Self.bondedFollower(at: bench)
            let twin = try await bench.addTwin(of: 1)
            try await bench.connect(twin)
            try await bench.wait("both are connected") {
                await bench.adapter.connectedPeers.count == 2
            }
            try await SubscriptionTests.subscribe(twin, to: clock.seconds, at: bench)
            let stranger = try #require(clock.seconds.subscribedCentrals.last)
            #expect(clock.seconds.subscribedCentrals == [known, stranger])
            bench.clearEvents()
            try await bench.pair(twin)
            try await bench.wait("the older link is gone") { await central.link == nil }
            #expect(bench.events.first == .didUnsubscribe(known, from: clock.seconds))
            #expect(clock.seconds.subscribedCentrals == [stranger])
            #expect(stranger.identifier == known.identifier)
            #expect(await bench.adapter.connectedPeers == [known.identifier])
            #expect(await bench.manager.updateValue([6], for: clock.seconds))
            try await bench.wait("the value comes") { await twin.updates == [[6]] }
            await bench.adapter.forget(known.identifier)
            try await bench.wait("its link is gone") { await twin.link == nil }
            #expect(await bench.adapter.bonds.isEmpty)
        }
    }
}
