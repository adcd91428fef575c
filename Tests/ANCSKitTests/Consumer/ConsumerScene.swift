import ANCS
import BluetoothLE
import LinuxIO
import Octets
import Testing
import VirtualBluetooth

@testable import ANCSKit

/// A consumer with its own adapter, a phone that can be out of range, and any number of centrals that are
/// no phones, in virtual time.
actor ConsumerScene {
    struct TimeIsUp: Error, CustomStringConvertible {
        var description: String
    }

    nonisolated let loop: EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    nonisolated let consumer: NotificationConsumer
    nonisolated let phone: NotificationProvider
    private let radio: RadioLoop<OpenSSLToolbox>
    private let ports: [VirtualPort]
    private var centrals: [TestCentral] = []
    private var readers: [Task<Void, Never>] = []
    private(set) var events: [ConsumerEvent] = []
    private(set) var phoneEvents: [ProviderEvent] = []

    private init(
        _ loop: EventLoop, _ abilities: VirtualControllerAbilities,
        _ change: (inout PairingOptions) -> Void
    ) throws {
        self.loop = loop
        radio = RadioLoop(
            configuration: RadioConfiguration(seed: 1), toolbox: OpenSSLToolbox(simulatedFrom: 1),
            on: loop)
        ports = [radio.addController(abilities), radio.addController()]
        var place = HCIConfiguration(.virtual(ports[0]))
        place.toolbox = OpenSSLToolbox(simulatedFrom: 2)
        change(&place.pairing)
        consumer = try NotificationConsumer(name: "Desk", at: .hci(place))
        var phonePlace = HCIConfiguration(.virtual(ports[1]))
        phonePlace.toolbox = OpenSSLToolbox(simulatedFrom: 3)
        phonePlace.usesPrivateAddress = false
        phone = try NotificationProvider(at: .hci(phonePlace))
    }

    /// Runs a test on the loop, with a consumer that is on air and a phone that is off.
    static func run(
        abilities: VirtualControllerAbilities = .bluetooth5_3,
        pairing: @escaping @Sendable (inout PairingOptions) -> Void = { _ in },
        _ body: @escaping @Sendable (isolated ConsumerScene) async throws -> Void
    ) async throws {
        let loop = try EventLoop(clock: .virtual)
        defer { loop.shutdown() }
        try await Task(executorPreference: loop) {
            let scene = try await make(on: loop, abilities, pairing)
            await scene.begin()
            do { try await body(scene) } catch {
                await scene.end()
                throw error
            }
            await scene.end()
        }.value
    }

    private static func make(
        on loop: EventLoop, _ abilities: VirtualControllerAbilities,
        _ pairing: @escaping @Sendable (inout PairingOptions) -> Void
    ) async throws -> ConsumerScene {
        try await withCheckedThrowingContinuation { continuation in
            loop.execute {
                continuation.resume(
                    with: Result { try ConsumerScene(loop, abilities, pairing) })
            }
        }
    }

    private func begin() async {
        readers.append(
            Task(executorPreference: loop) {
                do throws(DeviceError) {
                    for try await event in self.consumer.events { await self.note(event) }
                } catch {}
            })
        await consumer.start()
    }

    private func note(_ event: ConsumerEvent) { events.append(event) }
    private func note(_ event: ProviderEvent) { phoneEvents.append(event) }

    private func end() async {
        for central in centrals { await central.stop() }
        await phone.stop()
        await consumer.stop()
        for reader in readers { await reader.value }
        radio.close()
    }

    // MARK: What a test does

    /// Switches the phone on.
    func startPhone() async {
        readers.append(
            Task(executorPreference: loop) {
                do throws(DeviceError) {
                    for try await event in self.phone.events { await self.note(event) }
                } catch {}
            })
        await phone.start()
    }

    /// Whether the consumer and the phone hear each other from now on.
    func setPhoneInRange(_ isInRange: Bool) {
        radio.change { [ports] radio, now in
            radio.setPath(
                RadioPath(isInRange: isInRange), between: ports[0].controller,
                and: ports[1].controller, at: now)
        }
    }

    /// A central that is set up, and not connected.
    func addCentral(
        identity: DeviceAddress? = nil, isBonding: Bool = true
    ) async throws -> TestCentral {
        let central = TestCentral(
            radio.addController(), number: UInt64(centrals.count + 1), identity: identity,
            isBonding: isBonding, on: loop)
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
        let deadline = loop.now + limit
        while try await !condition() {
            guard loop.now < deadline else { throw TimeIsUp(description: what) }
            try await loop.sleep(for: .milliseconds(10))
        }
    }

    /// Waits for an event that has not been taken.
    func expect(
        _ line: String, for limit: Duration = .seconds(60)
    ) async throws {
        let deadline = loop.now + limit
        while true {
            if let index = events.firstIndex(where: { $0.line == line }) {
                events.removeSubrange(...index)
                return
            }
            guard loop.now < deadline else {
                throw TimeIsUp(description: "'\(line)' among \(events.map(\.line))")
            }
            try await loop.sleep(for: .milliseconds(10))
        }
    }

    /// The lines that were not taken.
    var lines: [String] { events.map(\.line) }

    var bonds: [BondDescription] {
        get async { await consumer.adapter.bonds }
    }
}
