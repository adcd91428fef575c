import BlueZTestKit
import DBus
import DBusTestKit
import LinuxIO
import Octets
import Testing

@testable import ANCSKit
@testable import ANCSReceiver

/// What the managers and the binding are like at bluetoothd: what it cannot do, and what is not this program's alone.
@Suite struct BlueZManagersTests {
    private typealias World = BlueZCentralWorld

    private static let app = "org.example.band"

    /// The error of a call; `nil` if it succeeds.
    private static func code(
        _ body: () async throws(BluetoothError) -> Void
    ) async -> BluetoothError.Code? {
        do throws(BluetoothError) {
            try await body()
            return nil
        } catch { return error.code }
    }

    /// Binds the app in a directory, and notes what its binding reports.
    private static func bind(
        _ program: World.Program, in directory: String
    ) throws -> AccessoryBinding {
        let configuration = AccessoryBinding.Configuration(
            app: app, services: [World.heartRate], store: BindingStore(directory: directory))
        return try AccessoryBinding(configuration, manager: program.central)
    }

    /// Waits until a condition of actors holds. In virtual time that costs nothing.
    private static func wait(
        _ what: String, in world: isolated World, until isSo: () async -> Bool
    ) async throws {
        let end = world.loop.now + .seconds(300)
        while await !isSo() {
            guard world.loop.now < end else { throw World.TimedOut(what: what) }
            try await world.loop.sleep(for: .milliseconds(10))
        }
    }

    @Test("what bluetoothd cannot do is a typed error")
    func typedErrors() async throws {
        try await World.run { world in
            let program = try await world.begin()
            let peripheral = try await world.scan(program)
            try await world.connect(program, peripheral)
            let rssi = await Self.code { () async throws(BluetoothError) in
                _ = try await peripheral.readRSSI()
            }
            #expect(rssi == .operationNotSupported)
            for case .discovered(_, let data, _) in program.events {
                #expect(data.isConnectable == nil)
            }

            let server = PeripheralManager(program.adapter)
            #expect(await server.state == .unsupported)
            let added = await Self.code { () async throws(BluetoothError) in
                try await server.add(MutableService(type: "180D"))
            }
            #expect(added == .operationNotSupported)
            let advertised = await Self.code { () async throws(BluetoothError) in
                try await server.startAdvertising(AdvertisementData())
            }
            #expect(advertised == .operationNotSupported)
            var states: [PeripheralManagerEvent] = []
            await program.adapter.openPairingWindow()
            #expect(await !program.adapter.isPairingWindowOpen)
            let adapter = program.adapter
            #expect(throws: DeviceError.self) {
                try NotificationProvider(ProviderConfiguration(), at: adapter)
            }
            #expect(throws: DeviceError.self) {
                try NotificationConsumer(ConsumerConfiguration(name: "desk"), at: adapter)
            }
            await program.adapter.stop()
            for await event in server.events { states.append(event) }
            #expect(states == [.stateUpdated(.unsupported)])
        }
    }

    @Test(
        "an option that only a consumer can have at bluetoothd is refused",
        arguments: [
            Bluetooth.bluez(window: .open), .bluez(authentication: .inPairing),
            .bluez(textsOnBus: true), .bluez("hci"),
        ])
    func options(_ bluetooth: Bluetooth) throws {
        let loop = try EventLoop(clock: .virtual)
        defer { loop.shutdown() }
        #expect(throws: DeviceError.self) {
            try BluetoothAdapter(name: "app", at: bluetooth, on: loop)
        }
    }

    @Test("another program's link is used, and never ended")
    func othersLinks() async throws {
        try await World.run { world in
            let strap = world.strap
            await world.double.addPeripheral(strap)
            await world.double.linkUp(strap)
            let program = try await world.begin()
            var found: [Peripheral] = []
            try await Self.wait("the link", in: world) {
                found = await program.central.retrieveConnectedPeripherals(
                    withServices: [World.heartRate])
                return !found.isEmpty
            }
            let peripheral = try #require(found.first)
            #expect(await program.adapter.connectedPeers == [peripheral.identifier])
            let all = try await world.connect(program, peripheral)
            let location = try #require(all.first { $0.uuid == "2A38" })
            #expect(try await peripheral.readValue(for: location) == [1])
            await program.adapter.disconnect(peripheral.identifier)
            await program.central.cancelPeripheralConnection(peripheral)
            try await world.loop.sleep(for: .seconds(60))
            #expect(strap.isConnected)
            #expect(strap.enders == [])
        }
    }

    @Test("a link that another program ends says so")
    func endedByOthers() async throws {
        try await World.run { world in
            let program = try await world.begin()
            let peripheral = try await world.scan(program)
            try await world.connect(program, peripheral)
            let strap = world.strap
            await world.double.run { $0.linkDown(strap, reason: "Local") }
            try await world.wait("the end") {
                program.events.contains { if case .disconnected = $0 { true } else { false } }
            }
            guard case .disconnected(peripheral, let error?)? = program.events.last else {
                Issue.record("\(program.events.suffix(2))")
                return
            }
            #expect(error.code == .peripheralDisconnected)
            #expect(error.message.contains("another program"))
        }
    }

    @Test("a service that goes invalidates its objects, and ends its subscriptions")
    func changedServices() async throws {
        try await World.run { world in
            let program = try await world.begin()
            let peripheral = try await world.scan(program)
            let all = try await world.connect(program, peripheral)
            let measured = try #require(all.first { $0.uuid == "2A37" })
            try await peripheral.setNotifyValue(true, for: measured)
            let strap = world.strap
            let path = strap.path(of: strap.characteristics[0])
            await world.double.remove(path)
            try await world.wait("the change") {
                program.events.contains {
                    if case .servicesModified = $0 { true } else { false }
                }
            }
            #expect(!measured.isNotifying)
            let read = await Self.code { () async throws(BluetoothError) in
                try await peripheral.setNotifyValue(true, for: measured)
            }
            #expect(read == .invalidHandle)
            #expect(await peripheral.state == .connected)
        }
    }

    @Test("a binding outlives its app, finds its accessory without a scan, and ends with the app")
    func binding() async throws {
        try await World.run { world in
            let strap = world.strap
            let directory = world.state
            let first = try await world.begin()
            let binding = try Self.bind(first, in: directory)
            await binding.launch()
            try await world.wait("the link") { strap.isConnected }
            try await Self.wait("a binding", in: world) { await binding.stored != .unbound }
            guard case .bound(let identifier, _) = await binding.stored else {
                Issue.record("not bound")
                return
            }
            first.kill()
            try await world.loop.sleep(for: .seconds(60))
            #expect(strap.isConnected)

            let second = try await world.begin()
            let scans = await world.double.count(of: "StartDiscovery hci0")
            #expect(scans > 0)
            let again = try Self.bind(second, in: directory)
            await again.launch()
            try await Self.wait("the link", in: world) {
                await again.state == .connected(identifier)
            }
            #expect(await world.double.count(of: "StartDiscovery hci0") == scans)
            try await again.unbind()
            try await world.loop.sleep(for: .seconds(60))
            // The link was there before this program.
            #expect(strap.isConnected)
            #expect(strap.enders == [])

            let third = try await world.begin()
            let last = try Self.bind(third, in: directory)
            await last.launch()
            try await world.loop.sleep(for: .seconds(60))
            #expect(await last.state == .justUnbound)
            try await last.bind()
            try await Self.wait("the link", in: world) {
                await last.state == .connected(identifier)
            }
        }
    }

    @Test("a binding continues after Bluetooth was off, and after a restart of bluetoothd")
    func bindingThroughPower() async throws {
        try await World.run { world in
            let strap = world.strap
            strap.isPaired = true
            let program = try await world.begin()
            let binding = try Self.bind(program, in: world.state)
            await binding.launch()
            let isBound: () async -> Bool = {
                if case .connected = await binding.state { true } else { false }
            }
            try await Self.wait("the link", in: world, until: isBound)
            await world.double.setPower(false)
            try await world.wait("off") { program.events.last == .stateUpdated(.poweredOff) }
            await world.double.setPower(true)
            try await Self.wait("the link again", in: world, until: isBound)
            try await world.double.restart()
            try await world.wait("the end") { !strap.isConnected }
            await world.double.addPeripheral(strap)
            try await Self.wait("a link once more", in: world, until: isBound)
        }
    }
}
