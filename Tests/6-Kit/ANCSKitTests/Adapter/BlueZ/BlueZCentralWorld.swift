import BlueZ
import BlueZTestKit
import DBus
import DBusTestKit
import LinuxIO
import Octets
import Testing

@testable import ANCSKit
@testable import ANCSReceiver

/// Programs with managers at the double of bluetoothd, and a device behind it, on one loop in virtual time.
actor BlueZCentralWorld {
    struct TimedOut: Error { let what: String }

    static let heartRate: BluetoothUUID = "180D"

    nonisolated let loop: EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
    let bus: VirtualBus
    let double: BlueZDouble
    let strap = DoublePeripheral(
        "dev_1", address: "C0:00:00:00:00:01", serviceUUID: "180D",
        [
            .init(0x0011, "2A37", ["notify"]), .init(0x0014, "2A38", ["read"], value: [1]),
            .init(0x0016, "2A39", ["write", "write-without-response"]),
            .init(0x0018, "2A3A", ["read"], value: [9], isProtected: true),
        ])
    /// The directory of what programs keep.
    let state: String
    /// The file with the ID of the machine: the one that runs the tests may have none.
    private let machineID: String
    private var programs: [Program] = []

    /// A program with an adapter, a manager, and what it has heard of.
    final class Program: @unchecked Sendable {
        // Unchecked: used on the loop's thread only.
        let adapter: BluetoothAdapter
        let central: CentralManager
        let connection: VirtualConnection
        var events: [CentralManagerEvent] = []
        var adapterEvents: [AdapterEvent] = []
        var failure: DeviceError?
        var hasEnded = false

        init(_ adapter: BluetoothAdapter, _ connection: VirtualConnection) {
            self.adapter = adapter
            self.connection = connection
            central = CentralManager(adapter)
        }

        var driver: BlueZDriver? { adapter.system as? BlueZDriver }

        /// It is killed: nothing of it is tidied up, but by those who notice.
        func kill() { connection.close() }

        func listen() {
            Task(executorPreference: adapter.loop) { [self] in
                for await event in central.events { events.append(event) }
                hasEnded = true
            }
            Task(executorPreference: adapter.loop) { [self] in
                do throws(DeviceError) {
                    for try await event in adapter.events { adapterEvents.append(event) }
                } catch { failure = error }
            }
        }
    }

    private init(_ directory: String) throws {
        let loop = try EventLoop(clock: .virtual)
        self.loop = loop
        state = directory + "/state"
        machineID = directory + "/machine-id"
        try PrivateFile.write(
            path: machineID, contents: Array("0123456789abcdef0123456789abcdef\n".utf8))
        let bus = VirtualBus(on: loop)
        self.bus = bus
        double = BlueZDouble(on: loop) { await bus.connection() }
    }

    /// Runs a test in a world of its own, with bluetoothd running.
    static func run(
        _ body: @escaping @Sendable (isolated BlueZCentralWorld) async throws -> Void
    ) async throws {
        let directory = try TemporaryDirectory()
        let world = try BlueZCentralWorld(directory.path)
        defer { world.loop.shutdown() }
        // Off the loop, time would pass meanwhile.
        try await Task(executorPreference: world.loop) { try await world.carryOut(body) }.value
        withExtendedLifetime(directory) {}
    }

    private func carryOut(
        _ body: @Sendable (isolated BlueZCentralWorld) async throws -> Void
    ) async throws {
        try await double.begin()
        await double.addPeripheral(strap)
        let result: Result<Void, any Error>
        do {
            try await body(self)
            result = .success(())
        } catch { result = .failure(error) }
        for program in programs { await program.adapter.stop() }
        await double.end()
        try result.get()
    }

    /// A program that has started.
    func start() async throws -> Program {
        let connection = bus.connect()
        let place = BlueZConfiguration(
            adapter: .any, ability: .keyboardDisplay, state: state)
        let adapter = try BluetoothAdapter(
            name: "app", atBlueZ: place, on: loop, root: "/nonexistent",
            digests: PhoneDigests(machineIDPath: machineID)
        ) { connection }
        let program = Program(adapter, connection)
        programs.append(program)
        program.listen()
        await adapter.start()
        return program
    }

    /// A program whose adapter is powered on.
    func begin() async throws -> Program {
        let program = try await start()
        try await wait("power") { program.events.contains(.stateUpdated(.poweredOn)) }
        return program
    }

    /// Waits until something is so. In virtual time that costs nothing.
    func wait(
        _ what: String, for limit: Duration = .seconds(300), until isSo: () -> Bool
    ) async throws {
        let end = loop.now + limit
        while !isSo() {
            guard loop.now < end else { throw TimedOut(what: what) }
            try await loop.sleep(for: .milliseconds(10))
        }
    }

    // MARK: What an app does

    /// Scans until the strap is discovered.
    func scan(_ program: Program) async throws -> Peripheral {
        let before = program.events.count
        try await program.central.scanForPeripherals(withServices: [Self.heartRate])
        var found: Peripheral?
        try await wait("discovery") {
            for case .discovered(let peripheral, _, _) in program.events[before...] {
                found = peripheral
            }
            return found != nil
        }
        await program.central.stopScan()
        return try #require(found)
    }

    /// Connects and discovers everything; returns the characteristics.
    @discardableResult
    func connect(_ program: Program, _ peripheral: Peripheral) async throws -> [Characteristic] {
        try await program.central.connect(peripheral)
        let service = try #require(
            try await peripheral.discoverServices([Self.heartRate]).first)
        return try await peripheral.discoverCharacteristics(nil, for: service)
    }
}
