import ANCSTestKit
import BluetoothLE
import LinuxIO
import Testing
import VirtualBluetooth

@testable import ANCSEvents
@testable import ANCSKit
@testable import ANCSReceiver

/// A consumer with its own adapter, a phone that can be out of range, and any number of centrals that are
/// no phones, in virtual time.
actor ConsumerScene {
    nonisolated let bench: TestBench
    nonisolated var loop: EventLoop { bench.loop }
    nonisolated var unownedExecutor: UnownedSerialExecutor { bench.unownedExecutor }

    nonisolated let consumer: NotificationConsumer
    nonisolated let phone: NotificationProvider
    private nonisolated let controller: TestController
    private var centrals: [TestCentral] = []
    /// How many events were taken.
    private var taken = 0

    private init(
        on bench: TestBench, at controller: TestController,
        face: ConsumerConfiguration.Face, showsNameAlways: Bool,
        _ change: (inout PairingOptions) -> Void
    ) throws {
        self.bench = bench
        self.controller = controller
        var pairing = PairingOptions()
        change(&pairing)
        var configuration = ConsumerConfiguration(name: "Desk")
        configuration.face = face
        configuration.showsNameAlways = showsNameAlways
        consumer = try NotificationConsumer(
            configuration, at: controller.bluetooth(pairing: pairing))
        var place = bench.phoneController.configuration
        place.usesPrivateAddress = false
        phone = try NotificationProvider(at: .hci(place))
    }

    /// Runs a test on the loop, with a consumer that is on air and a phone that is off.
    static func run(
        abilities: VirtualControllerAbilities = .bluetooth5_3,
        face: ConsumerConfiguration.Face = .solicitation, showsNameAlways: Bool = true,
        pairing: @escaping @Sendable (inout PairingOptions) -> Void = { _ in },
        _ body: @escaping @Sendable (isolated ConsumerScene) async throws -> Void
    ) async throws {
        try await TestBench.run { bench in
            let controller = bench.addController(abilities)
            let scene = try ConsumerScene(
                on: bench, at: controller, face: face, showsNameAlways: showsNameAlways, pairing)
            await scene.consumer.start()
            try await body(scene)
        }
    }

    // MARK: What a test does

    /// Switches the phone on.
    func startPhone() async { await phone.start() }

    /// Whether the consumer and the phone hear each other from now on.
    func setPhoneInRange(_ isInRange: Bool) async {
        await bench.setPath(
            RadioPath(isInRange: isInRange), between: controller, and: bench.phoneController)
    }

    /// Another phone, with a controller of its own, that is off.
    func addPhone() async throws -> (phone: NotificationProvider, controller: TestController) {
        let controller = await bench.addController()
        return (try NotificationProvider(at: controller.bluetooth()), controller)
    }

    /// Whether the consumer and another phone hear each other from now on.
    func setInRange(_ isInRange: Bool, _ other: TestController) async {
        await bench.setPath(RadioPath(isInRange: isInRange), between: controller, and: other)
    }

    /// A central that is set up, and not connected.
    func addCentral(
        identity: DeviceAddress? = nil, isBonding: Bool = true, identityResolvingKey: UInt128 = 0,
        bonds: [BondRecord] = []
    ) async throws -> TestCentral {
        let central = TestCentral(
            await bench.addController().port, number: UInt64(centrals.count + 1),
            identity: identity, isBonding: isBonding, identityResolvingKey: identityResolvingKey,
            bonds: bonds, on: loop)
        centrals.append(central)
        try await central.start()
        try await wait("a central is set up") { await central.isReady }
        return central
    }

    /// Connects a central to the consumer, which is on air.
    func connect(_ central: TestCentral) async throws {
        await central.forgetHeard()
        try await central.scan()
        try await wait("the consumer is on air") { await !central.heard.isEmpty }
        let address = try #require(await central.heard.keys.first)
        try await central.connect(to: address)
        try await wait("a central connects") { await central.link != nil }
    }

    /// Waits in virtual time.
    func wait(
        _ what: String, for limit: Duration = .seconds(60),
        until condition: () async throws -> Bool
    ) async throws {
        try await bench.wait(what, for: limit, until: condition)
    }

    /// Waits for an event that has not been taken.
    func expect(
        _ line: String, for limit: Duration = .seconds(60)
    ) async throws {
        try await wait("'\(line)' is told", for: limit) { take(line) }
    }

    private func take(_ line: String) -> Bool {
        guard let index = events.firstIndex(where: { $0.line == line }) else { return false }
        taken += index + 1
        return true
    }

    /// The events of the consumer that were not taken.
    var events: [ConsumerEvent] {
        Array(bench.events.compactMap { $0.event as? ConsumerEvent }.dropFirst(taken))
    }

    /// The lines that were not taken.
    var lines: [String] { events.map(\.line) }

    /// The adapter that the consumer is at.
    var adapter: BluetoothAdapter {
        guard let port = consumer.port as? HostPort else {
            preconditionFailure("a scene is at a controller")
        }
        return port.adapter
    }

    var bonds: [BondDescription] {
        get async { await adapter.bonds }
    }

    /// The bonds with their keys.
    var storedBonds: [BondRecord] { adapter.host?.query { $0.bondRecords } ?? [] }

    /// Whether the consumer advertises so slowly that a central hears it less than five times in three
    /// seconds; at the usual interval that is more than fifty times.
    func isSlow(to central: TestCentral) async throws -> Bool {
        try await central.scan()
        let before = await central.discoveries
        try await loop.sleep(for: .seconds(3))
        return await central.discoveries - before < 5
    }
}
