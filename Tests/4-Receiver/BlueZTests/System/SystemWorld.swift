import ANCSEvents
import BlueZTestKit
import BluetoothLE
import DBus
import DBusTestKit
import LinuxIO
import Octets
import Testing

@testable import ANCSKit
@testable import BlueZ

/// Programs with systems, the double of bluetoothd, and a device behind it, on one loop in virtual time.
actor SystemWorld {
    struct TimedOut: Error {
        let what: String
        let events: [SystemSays]
    }

    static let app = ClientID(rawValue: 1)
    static let measured = AttributeHandle(0x0012)
    static let location = AttributeHandle(0x0015)
    static let control = AttributeHandle(0x0017)
    static let secret = AttributeHandle(0x0019)
    static let heartRate = BluetoothUUID(0x180D as UInt16)

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
    private var programs: [BusSystem] = []

    private init() throws {
        let loop = try EventLoop(clock: .virtual)
        self.loop = loop
        let bus = VirtualBus(on: loop)
        self.bus = bus
        double = BlueZDouble(on: loop) { await bus.connection() }
    }

    /// Runs a test in a world of its own, with bluetoothd running.
    static func run(
        _ body: @escaping @Sendable (isolated SystemWorld) async throws -> Void
    ) async throws {
        let world = try SystemWorld()
        defer { world.loop.shutdown() }
        // Off the loop, time would pass meanwhile.
        try await Task(executorPreference: world.loop) { try await world.carryOut(body) }.value
    }

    private func carryOut(
        _ body: @Sendable (isolated SystemWorld) async throws -> Void
    ) async throws {
        try await double.begin()
        await double.addPeripheral(strap)
        do { try await body(self) } catch {
            for program in programs { program.kill() }
            await double.end()
            throw error
        }
        for program in programs { program.kill() }
        await double.end()
    }

    /// A program, whose system is powered on.
    func begin(known: [BlueZPeerStore.Entry] = []) async throws -> BusSystem {
        let program = BusSystem(on: loop, bus.connect(), known: known)
        programs.append(program)
        program.begin()
        try await wait("power", program) { $0.query { $0.state } == .poweredOn }
        return program
    }

    /// Waits until something is so. In virtual time that costs nothing.
    func wait(
        _ what: String, _ program: BusSystem, for limit: Duration = .seconds(300),
        until isSo: (BusSystem) -> Bool
    ) async throws {
        let end = loop.now + limit
        while !isSo(program) {
            guard loop.now < end else { throw TimedOut(what: what, events: program.events) }
            try await loop.sleep(for: .milliseconds(10))
        }
    }

    // MARK: What an app does

    /// Scans until the strap is discovered.
    func scan(_ program: BusSystem) async throws -> PeerKey {
        let before = program.events.count
        program.step { system, now in
            var request = ScanRequest()
            request.services = [Self.heartRate]
            system.scan(request, by: Self.app, at: now)
        }
        var found: PeerKey?
        try await wait("discovery", program) { program in
            for said in program.events[before...] {
                if case .scan(.discovered(let peer, _)) = said.event { found = peer }
            }
            return found != nil
        }
        program.step { $0.stopScanning(by: Self.app, at: $1) }
        return found ?? PeerKey(rawValue: 0)
    }

    func connect(_ program: BusSystem, _ peer: PeerKey) async throws {
        let before = program.events.count
        program.step { $0.connect(peer, by: Self.app, at: $1) }
        try await wait("a link", program) {
            $0.events[before...].contains(.connected(Self.app, peer))
        }
    }

    /// A program that has found the strap, is connected to it, and has discovered its services.
    func beginConnected() async throws -> (BusSystem, PeerKey) {
        let program = try await begin()
        let peer = try await scan(program)
        try await connect(program, peer)
        _ = try await perform(.discoverPrimaryServices, program, peer)
        return (program, peer)
    }

    func perform(
        _ procedure: GATTProcedure, _ program: BusSystem, _ peer: PeerKey
    ) async throws -> Result<GATTResult, PeerRequestFailure>? {
        let number = program.request { system, request, now in
            system.request(request, of: peer, at: now) {
                $0.start(procedure, request, by: Self.app, at: now)
            }
        }
        try await wait("\(procedure)", program) { $0.results[number] != nil }
        return program.results[number]
    }

    func subscribe(
        _ program: BusSystem, _ peer: PeerKey, _ isSubscribed: Bool = true
    ) async throws -> Result<GATTResult, PeerRequestFailure>? {
        let number = program.request { system, request, now in
            system.request(request, of: peer, at: now) {
                $0.subscribe(isSubscribed, to: Self.measured, request, by: Self.app, at: now)
            }
        }
        try await wait("a subscription", program) { $0.results[number] != nil }
        return program.results[number]
    }
}
