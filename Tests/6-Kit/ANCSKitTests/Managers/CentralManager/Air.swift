import BluetoothLE
import HCITransports
import VirtualTransports
import LinuxIO
import Octets
import Testing
import VirtualBluetooth

@testable import ANCSEvents
@testable import ANCSKit
@testable import ANCSReceiver

/// A radio in virtual time with the adapter of a phone and accessories around it. Tests run on its loop,
/// so that nothing happens between two of their steps that they do not wait for.
actor Air {
    nonisolated let loop: EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    nonisolated let radio: RadioLoop
    private nonisolated let storage: TemporaryDirectory
    /// A directory for bonds and bindings.
    nonisolated var directory: String { storage.path }
    private var starts: UInt64 = 0
    private var accessories: [Accessory] = []

    private init(seed: UInt64) throws {
        loop = try EventLoop(clock: .virtual)
        radio = RadioLoop(
            configuration: RadioConfiguration(seed: seed),
            toolbox: OpenSSLToolbox(simulatedFrom: seed), on: loop)
        storage = try TemporaryDirectory()
    }

    /// Runs a test on the loop of a new radio.
    static func run(_ body: @escaping @Sendable (isolated Air) async throws -> Void) async throws {
        let air = try Air(seed: 6)
        defer { air.loop.shutdown() }
        try await Task(executorPreference: air.loop) { try await air.perform(body) }.value
    }

    private func perform(
        _ body: @Sendable (isolated Air) async throws -> Void
    ) async throws {
        defer {
            for accessory in accessories { accessory.close() }
            radio.close()
        }
        try await body(self)
    }

    /// A controller without a host.
    func port(_ abilities: VirtualControllerAbilities = .bluetooth5_3) -> VirtualPort {
        radio.addController(abilities)
    }

    /// An adapter that is powered on; one at the same port and with the same store is the same device,
    /// restarted.
    func adapter(
        at port: VirtualPort, isStored: Bool = false,
        _ change: (inout AdapterConfiguration) -> Void = { _ in }
    ) async throws -> BluetoothAdapter {
        starts += 1
        var configuration = AdapterConfiguration(
            name: "Phone",
            controller: HCIConfiguration(
                .virtual(port),
                store: isStored ? BondStore(directory: directory, device: .phone) : nil))
        configuration.controller.toolbox = OpenSSLToolbox(simulatedFrom: starts)
        change(&configuration)
        let adapter = try BluetoothAdapter(configuration, on: loop)
        await adapter.start()
        try await until("the adapter is on") { adapter.system.state == .poweredOn }
        return adapter
    }

    /// An adapter with a manager, whose first event has been read.
    func manager(at adapter: BluetoothAdapter) async throws -> CentralManager {
        let manager = CentralManager(adapter)
        guard case .stateUpdated(.poweredOn)? = await manager.events.next() else {
            throw Missing(what: "the state of the adapter")
        }
        return manager
    }

    /// An accessory that is on.
    func accessory(
        at port: VirtualPort? = nil,
        _ change: (inout HostConfiguration) -> Void = { _ in }, bonds: [BondRecord] = []
    ) async throws -> Accessory {
        let accessory = Accessory(port ?? radio.addController(), on: loop, bonds: bonds, change)
        accessories.append(accessory)
        accessory.driver.open()
        try await until("the accessory is on") { accessory.isReady }
        return accessory
    }

    /// Something that should have happened.
    struct Missing: Error {
        var what: String
    }

    /// Waits until something is so, in virtual time: an hour at most.
    func until(_ what: String, _ isSo: () -> Bool) async throws {
        let deadline = loop.now + .seconds(3600)
        while !isSo() {
            guard loop.now < deadline else { throw Missing(what: what) }
            try await loop.sleep(for: .milliseconds(10))
        }
    }

    /// Time passes.
    func pass(_ duration: Duration) async throws { try await loop.sleep(for: duration) }

    func setPath(_ path: RadioPath, _ one: VirtualPort, _ other: VirtualPort) {
        radio.change { radio, now in
            radio.setPath(path, between: one.controller, and: other.controller, at: now)
        }
    }

    /// The radio cuts the link between two devices.
    func cut(_ one: VirtualPort, _ other: VirtualPort) {
        radio.change { radio, now in
            radio.cut(between: one.controller, and: other.controller, at: now)
        }
    }

    // MARK: Events

    /// The next event for which there is something; earlier ones are dropped.
    func next<Value: Sendable>(
        of manager: CentralManager, _ take: (CentralManagerEvent) -> Value?
    ) async throws -> Value {
        for await event in manager.events {
            if let value = take(event) { return value }
        }
        throw Missing(what: "an event")
    }

    /// Scans until somebody with one of the services is heard.
    func find(
        _ services: [BluetoothUUID]?, by manager: CentralManager
    ) async throws -> Peripheral {
        try await manager.scanForPeripherals(withServices: services)
        let peripheral = try await next(of: manager) { event in
            if case .discovered(let peripheral, _, _) = event { peripheral } else { nil }
        }
        await manager.stopScan()
        return peripheral
    }
}
