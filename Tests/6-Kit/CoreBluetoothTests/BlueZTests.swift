import BlueZ
import BlueZTestKit
import CoreBluetooth
import DBus
import DBusTestKit
import LinuxIO
import Octets
import Testing

@testable import ANCSKit
@testable import ANCSReceiver
@testable import CoreBluetooth

/// Programs for Core Bluetooth at the double of bluetoothd, on one loop in virtual time.
actor BlueZWorld: LoopActor {
    struct TimedOut: Error { let what: String }

    nonisolated let loop: EventLoop
    let bus: VirtualBus
    let double: BlueZDouble
    let directory: TemporaryDirectory
    let strap = DoublePeripheral(
        "dev_1", address: "C0:00:00:00:00:01", serviceUUID: "180D",
        [
            .init(0x0011, "2A37", ["notify"]), .init(0x0014, "2A38", ["read"], value: [1]),
            .init(0x0016, "2A39", ["write", "write-without-response"]),
        ])

    private init() throws {
        let loop = try EventLoop(clock: .virtual)
        self.loop = loop
        directory = try TemporaryDirectory()
        let bus = VirtualBus(on: loop)
        self.bus = bus
        double = BlueZDouble(on: loop) { await bus.connection() }
    }

    static func run(
        _ body: @escaping @Sendable (isolated BlueZWorld) async throws -> Void
    ) async throws {
        let world = try BlueZWorld()
        defer { world.loop.shutdown() }
        try await Task(executorPreference: world.loop) {
            try await world.double.begin()
            await world.double.addPeripheral(world.strap)
            try await body(world)
            await world.double.end()
        }.value
    }

    /// Creates managers of a program that has just started.
    func program<Value>(_ body: () throws -> Value) throws -> Value {
        let connection = bus.connect()
        let place = BlueZConfiguration(
            adapter: .any, ability: .noInputNoOutput, state: directory.path + "/state")
        let adapter = try BluetoothAdapter(
            name: "app", atBlueZ: place, on: loop, root: "/nonexistent",
            digests: PhoneDigests(machineIDPath: directory.path + "/machine-id")
        ) { connection }
        adapter.assumeOnLoop { $0.start() }
        return try BluetoothAdapter.$ofPrograms.withValue(adapter, operation: body)
    }

    func wait(_ what: String, until isSo: () -> Bool) async throws {
        let end = loop.now + Duration.seconds(300)
        while !isSo() {
            guard loop.now < end else { throw TimedOut(what: what) }
            try await loop.sleep(for: .milliseconds(10))
        }
    }
}

@Suite("A program for Core Bluetooth at bluetoothd")
struct BlueZTests {
    @Test("a sensor is found, connected and subscribed to")
    func story() async throws {
        try await BlueZWorld.run { world in
            let monitor = Monitor()
            try world.program { monitor.start() }
            try await world.wait("it has subscribed") { monitor.told.last == "notifying true" }
            #expect(monitor.told.first == "state poweredOn")
            #expect(monitor.advertisement[CBAdvertisementDataIsConnectable] == nil)
            let peripheral = try #require(monitor.peripheral)
            monitor.told = []
            peripheral.readValue(for: try #require(monitor["2A38"]))
            peripheral.readRSSI()
            try await world.wait("the answers") { monitor.told.count == 2 }
            #expect(Set(monitor.told) == ["value [1]", "rssi false"])
        }
    }

    @Test(
        "a device that is connected before a program starts is there when the program is told that Bluetooth is on"
    )
    func connectedBefore() async throws {
        try await BlueZWorld.run { world in
            let (first, second) = (Monitor(), Monitor())
            try world.program { first.start() }
            try await world.wait("it has subscribed") { first.told.last == "notifying true" }
            second.connects = false
            var found: [CBPeripheral] = []
            second.whenUpdated = { [unowned second] in
                found +=
                    second.central?.retrieveConnectedPeripherals(
                        withServices: [CBUUID(string: "180D")]) ?? []
            }
            try world.program { second.start() }
            try await world.wait("it is on") { second.told.first == "state poweredOn" }
            #expect(found.map(\.identifier) == [first.peripheral?.identifier])
            second.subscribes = false
            second.central?.connect(try #require(found.first))
            try await world.wait("it is connected") { second.told.last == "connected true" }
        }
    }

    @Test("a peripheral manager is unsupported, and says why")
    func peripheralManager() async throws {
        try await BlueZWorld.run { world in
            let publisher = Publisher()
            try world.program { publisher.start() }
            try await world.wait("its state") { !publisher.told.isEmpty }
            #expect(publisher.told == ["state unsupported"])
            let manager = try #require(publisher.manager)
            manager.add(publisher.service)
            manager.removeAllServices()
            #expect(manager.updateValue(Data(), for: publisher.rate, onSubscribedCentrals: nil))
        }
    }

    @Test("an adapter that ends for good is unsupported")
    func ended() async throws {
        try await BlueZWorld.run { world in
            let monitor = Monitor()
            try world.program { monitor.start() }
            try await world.wait("it has subscribed") { monitor.told.last == "notifying true" }
            await monitor.central?.manager?.adapter.stop()
            try await world.wait("the end") { monitor.central?.state == .unsupported }
            #expect(!monitor.told.contains("state poweredOff"))
        }
    }
}
