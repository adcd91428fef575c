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

/// An adapter with a ``PeripheralManager`` and any number of centrals, on one radio and one loop in virtual
/// time.
actor ManagerBench {
    struct TimeIsUp: Error, CustomStringConvertible {
        var description: String
    }

    nonisolated let loop: EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    private let radio: RadioLoop
    private let configuration: @Sendable (inout AdapterConfiguration) -> Void
    private var centrals: [TestCentral] = []
    private var opened: Opened?
    private(set) var events: [PeripheralManagerEvent] = []
    private(set) var adapterEvents: [AdapterEvent] = []
    /// What the app does with a request, at once.
    var app: (@Sendable (PeripheralManagerEvent, isolated PeripheralManager) -> Void)?

    private struct Opened {
        var adapter: BluetoothAdapter
        var manager: PeripheralManager
        var reader: Task<Void, Never>
    }

    private init(
        _ loop: EventLoop, _ configuration: @escaping @Sendable (inout AdapterConfiguration) -> Void
    ) {
        self.loop = loop
        self.configuration = configuration
        radio = RadioLoop(
            configuration: RadioConfiguration(seed: 1), toolbox: OpenSSLToolbox(simulatedFrom: 1),
            on: loop)
    }

    /// Runs a test on the loop, with an adapter that is on.
    static func run(
        configuration: @escaping @Sendable (inout AdapterConfiguration) -> Void = { _ in },
        _ body: @escaping @Sendable (isolated ManagerBench) async throws -> Void
    ) async throws {
        let loop = try EventLoop(clock: .virtual)
        defer { loop.shutdown() }
        let bench = ManagerBench(loop, configuration)
        try await Task(executorPreference: loop) {
            try await bench.open()
            do { try await body(bench) } catch {
                await bench.close()
                throw error
            }
            await bench.close()
        }.value
    }

    private func open() async throws {
        let port = radio.addController()
        var configuration = AdapterConfiguration(
            name: "Bench", controller: HCIConfiguration(.virtual(port)))
        configuration.controller.toolbox = OpenSSLToolbox(simulatedFrom: 7)
        self.configuration(&configuration)
        let adapter = try BluetoothAdapter(configuration, on: loop)
        let reader = Task(executorPreference: loop) {
            do throws(DeviceError) {
                for try await event in adapter.events { await self.note(event) }
            } catch {}
        }
        let manager = PeripheralManager(adapter)
        opened = Opened(adapter: adapter, manager: manager, reader: reader)
        await observe(manager)
        await adapter.start()
        try await wait("the adapter is on") { await adapter.state == .poweredOn }
    }

    private func observe(_ manager: PeripheralManager) async {
        await manager.observe { [weak self, weak manager] event in
            self?.assumeIsolated { bench in
                bench.events.append(event)
                guard let app = bench.app else { return }
                manager?.assumeIsolated { app(event, $0) }
            }
        }
    }

    private func note(_ event: AdapterEvent) { adapterEvents.append(event) }

    private func close() async {
        for central in centrals { await central.stop() }
        guard let opened else { return }
        await opened.adapter.stop()
        await opened.reader.value
        radio.close()
    }

    // MARK: What a test does

    var adapter: BluetoothAdapter {
        guard let opened else { preconditionFailure("the bench is open while a test runs") }
        return opened.adapter
    }

    var manager: PeripheralManager {
        guard let opened else { preconditionFailure("the bench is open while a test runs") }
        return opened.manager
    }

    func setApp(
        _ app: @escaping @Sendable (PeripheralManagerEvent, isolated PeripheralManager) -> Void
    ) {
        self.app = app
    }

    func clearEvents() { events = [] }

    /// Waits in virtual time.
    func wait(
        _ what: String, for limit: Duration = .seconds(60),
        until condition: () async throws -> Bool
    ) async throws {
        let deadline = loop.now + limit
        while try await !condition() {
            guard loop.now < deadline else { throw TimeIsUp(description: what) }
            try await loop.sleep(for: .milliseconds(1))
        }
    }

    /// Lets so much virtual time pass.
    func pass(_ duration: Duration) async throws { try await loop.sleep(for: duration) }

    /// A central that is set up, and not connected.
    func addCentral(
        ability: PairingAbility = .noInputNoOutput, isObliging: Bool = true
    ) async throws -> TestCentral {
        let central = TestCentral(
            radio.addController(), number: UInt64(centrals.count + 1), ability: ability,
            isObliging: isObliging, on: loop)
        centrals.append(central)
        try await central.start()
        try await wait("a central is set up") { await central.isReady }
        return central
    }

    /// The same device as a central that is there, which has forgotten its bonds and whom nobody can know by
    /// its address.
    func addTwin(of number: Int) async throws -> TestCentral {
        let central = TestCentral(
            radio.addController(), number: UInt64(number), usesPrivateAddress: true,
            seed: 1000 + UInt64(centrals.count), on: loop)
        centrals.append(central)
        try await central.start()
        try await wait("a central is set up") { await central.isReady }
        return central
    }

    /// Connects a central to whoever advertises.
    func connect(_ central: TestCentral) async throws {
        await central.forgetHeard()
        try await central.scan()
        try await wait("somebody is on air") { await !central.heard.isEmpty }
        let address = try #require(await central.heard.keys.first)
        try await central.connect(to: address)
        try await wait("a central connects") { await central.link != nil }
        try await wait("the adapter knows it") { await !adapter.connectedPeers.isEmpty }
    }

    /// A central that is connected; the manager advertises for as long as the test runs.
    func connectedCentral(
        ability: PairingAbility = .noInputNoOutput, isObliging: Bool = true
    ) async throws -> TestCentral {
        let central = try await addCentral(ability: ability, isObliging: isObliging)
        if await !manager.isAdvertising {
            try await manager.startAdvertising(
                AdvertisementData(), options: AdvertisingOptions(stopsOnConnection: false))
        }
        try await connect(central)
        return central
    }

    /// Pairs by what needs no user; it may have begun already.
    func pair(_ central: TestCentral) async throws {
        try? await central.pair()
        try await wait("pairing ends") { await central.security?.isEncrypted ?? false }
        try await wait("the bond is stored") { await !central.bonds.isEmpty }
    }

    /// Where the value of a characteristic is, in hexadecimal digits as on air.
    func handle(of characteristic: MutableCharacteristic) async -> String {
        Self.text(await manager.handle(of: characteristic)?.rawValue ?? 0)
    }

    /// Where a central subscribes to Service Changed.
    var serviceChangedDescriptor: String? {
        let handle = adapter.host?.query { system in
            system.host.table.attributes.first { $0.type == .serviceChanged }
                .flatMap { system.host.table.configurationHandle(of: $0.handle) }
        }
        return handle.map { Self.text($0.rawValue) }
    }

    private static func text(_ handle: UInt16) -> String {
        Hexadecimal.text([UInt8(handle & 0xFF), UInt8(handle >> 8)]).lowercased()
    }

    /// Where the configuration descriptor of a characteristic without others is.
    func descriptor(of characteristic: MutableCharacteristic) async -> String {
        Self.text((await manager.handle(of: characteristic)?.rawValue ?? 0) + 1)
    }
}

extension PeripheralManager {
    fileprivate func handle(of characteristic: MutableCharacteristic) -> AttributeHandle? {
        characteristics.first { $0.value === characteristic }?.key
    }
}
