import BluetoothLE
import LinuxIO
import Octets
import Testing
import VirtualBluetooth

@testable import ANCSEvents
@testable import ANCSKit
@testable import ANCSReceiver

/// What clients do with the attributes of peers, and with their own.
@Suite("The system's attributes and scans")
struct BluetoothSystemAttributeTests {
    private static let service = BluetoothUUID(UInt16(0xFF10))
    private static let open = ServiceDefinition(
        uuid: service,
        characteristics: [
            .init(
                uuid: BluetoothUUID(UInt16(0xFF11)), properties: [.read, .notify],
                storage: .stored([7])),
            .init(
                uuid: BluetoothUUID(UInt16(0xFF12)), properties: .read,
                permissions: AttributePermissions(read: .encrypted), storage: .stored([8])),
            .init(
                uuid: BluetoothUUID(UInt16(0xFF13)), properties: [.read, .write],
                permissions: AttributePermissions(read: .open, write: .open), storage: .dynamic),
        ])

    /// Results as they come.
    private final class Results: Sendable {
        private let lines = Lock<[String]>([])

        func note(_ name: String) -> @Sendable (Result<GATTResult, GATTFailure>) -> Void {
            { result in
                self.lines.withLock { $0.append("\(name): \(Self.text(result))") }
            }
        }

        func take() -> [String] { lines.withLock { exchange(&$0, with: []) } }

        private static func text(_ result: Result<GATTResult, GATTFailure>) -> String {
            switch result {
            case .success(.value(let value)): Hexadecimal.text(value)
            case .success(.mtu(let mtu)): "\(mtu)"
            case .success: "done"
            case .failure(.errorResponse(let code, _)): "error \(code.rawValue)"
            case .failure(let failure): "\(failure)"
            }
        }
    }

    /// A desk with the service, a phone that is connected to it, and where the values are.
    private struct Scene {
        let desk: SystemProbe
        let phone: SystemProbe
        let peer: PeerKey
        let values: [ServiceHandles.Characteristic]

        init(
            _ bench: SystemBench, _ change: (inout AdapterConfiguration) -> Void = { _ in }
        ) async throws {
            desk = try await bench.start(0, "Desk")
            phone = try await bench.start(1, "Phone", change)
            values = try desk.system.addService(
                BluetoothSystemAttributeTests.open, by: desk.id
            ).characteristics
            try desk.advertise("Desk")
            peer = try await phone.find("Desk")
            phone.system.connect(peer, by: phone.id, timeout: nil)
            await phone.wait(for: "MTU 517")
            await desk.wait(for: "MTU 517")
            _ = phone.take()
            _ = desk.take()
        }

        func start(
            _ procedure: GATTProcedure, pairs: Bool = true,
            _ completion: @escaping @Sendable (Result<GATTResult, GATTFailure>) -> Void
        ) {
            phone.system.start(
                procedure, on: peer, by: phone.id, pairs: pairs, completion: completion)
        }
    }

    @Test("ATT_MTU is exchanged once for all clients")
    func mtu() async throws {
        try await SystemBench.run { bench in
            let scene = try await Scene(bench)
            let results = Results()
            scene.start(.exchangeMTU, results.note("first"))
            scene.start(.exchangeMTU, results.note("second"))
            await bench.settle()
            #expect(results.take() == ["first: 517", "second: 517"])
        }
    }

    @Test("procedures beyond the bearer's limit run in order")
    func manyProcedures() async throws {
        try await SystemBench.run { bench in
            let scene = try await Scene(bench)
            let results = Results()
            for number in 0..<100 {
                scene.start(.readValue(scene.values[0].value), results.note("\(number)"))
            }
            try await bench.loop.sleep(for: .seconds(60))
            #expect(results.take() == (0..<100).map { "\($0): 07" })
        }
    }

    @Test("reading a protected value makes the system pair first")
    func protected() async throws {
        try await SystemBench.run { bench in
            let scene = try await Scene(bench)
            let results = Results()
            scene.start(.readValue(scene.values[1].value), pairs: false, results.note("no"))
            try await bench.loop.sleep(for: .seconds(5))
            #expect(results.take() == ["no: error 5"])
            // The desk has asked for security, as it refused.
            await scene.phone.wait(for: "paired")
            scene.start(.readValue(scene.values[1].value), results.note("yes"))
            try await bench.loop.sleep(for: .seconds(5))
            #expect(results.take() == ["yes: 08"])
        }
    }

    @Test("without permission to pair, reading a protected value fails")
    func neverPairs() async throws {
        try await SystemBench.run { bench in
            let scene = try await Scene(bench) { $0.controller.pairing.policy = .never }
            let results = Results()
            scene.start(.readValue(scene.values[1].value), results.note("read"))
            try await bench.loop.sleep(for: .seconds(60))
            #expect(results.take() == ["read: error 5"])
            #expect(!scene.phone.take().contains("paired"))
        }
    }

    @Test("a client that releases a peer gets its results at once, and other clients continue")
    func released() async throws {
        try await SystemBench.run { bench in
            let scene = try await Scene(bench)
            let results = Results()
            let other = SystemProbe(scene.phone.system)
            other.system.connect(scene.peer, by: other.id, timeout: nil)
            scene.start(.readValue(scene.values[0].value), results.note("mine"))
            other.system.start(
                .readValue(scene.values[0].value), on: scene.peer, by: other.id, pairs: true,
                completion: results.note("other"))
            scene.phone.system.release(scene.peer, by: scene.phone.id)
            await bench.settle()
            #expect(results.take() == ["mine: closed"])
            try await bench.loop.sleep(for: .seconds(5))
            #expect(results.take() == ["other: 07"])
        }
    }

    @Test(
        "the descriptor is written for the first subscriber, and again when the last one unsubscribes"
    )
    func subscriptions() async throws {
        try await SystemBench.run { bench in
            let scene = try await Scene(bench)
            let results = Results()
            let descriptor = try #require(scene.values[0].configuration)
            let other = SystemProbe(scene.phone.system)
            let system = scene.phone.system
            system.connect(scene.peer, by: other.id, timeout: nil)
            for (client, name) in [(scene.phone.id, "mine"), (other.id, "other")] {
                system.subscribe(
                    .notification, at: descriptor, of: scene.peer, by: client,
                    pairs: true, completion: results.note(name))
            }
            try await bench.loop.sleep(for: .seconds(5))
            #expect(results.take() == ["mine: done", "other: done"])
            #expect(scene.desk.take() == ["subscribed 1"])
            let central = try #require(scene.desk.system.connectedPeers.first)
            scene.desk.system.notify([0xAB], of: scene.values[0].value, to: central)
            await scene.phone.wait(for: "value ab")
            system.subscribe(
                [], at: descriptor, of: scene.peer, by: scene.phone.id, pairs: true,
                completion: results.note("mine"))
            await bench.settle()
            #expect(results.take() == ["mine: done"])
            try await bench.loop.sleep(for: .seconds(5))
            #expect(scene.desk.take() == [])
            system.release(scene.peer, by: other.id)
            try await bench.loop.sleep(for: .seconds(5))
            #expect(scene.desk.take() == ["subscribed 0"])
        }
    }

    @Test("requests are handled by the owner of the service; without one they are refused")
    func routing() async throws {
        try await SystemBench.run { bench in
            let scene = try await Scene(bench)
            let results = Results()
            let (desk, value) = (scene.desk, scene.values[2].value)
            let bystander = SystemProbe(desk.system)
            desk.reaction = { [unowned desk] event in
                switch event {
                case .server(let peer, .readRequested(let token, _)):
                    desk.system.respond(to: token, with: .success([1, 2]), of: peer)
                case .server(let peer, .writeRequested(let token?, _)):
                    desk.system.respond(
                        to: token, with: .failure(.valueNotAllowed), of: peer)
                default: break
                }
            }
            scene.start(.readValue(value), results.note("read"))
            scene.start(.writeValue(value, [3]), results.note("write"))
            try await bench.loop.sleep(for: .seconds(5))
            #expect(results.take() == ["read: 0102", "write: error 19"])
            #expect(desk.take() == ["readRequested", "writeRequested"])
            #expect(bystander.take() == [])
            // The owner is gone, and its service with it.
            desk.system.dismiss(desk.id)
            scene.start(.readValue(value), results.note("gone"))
            try await bench.loop.sleep(for: .seconds(5))
            #expect(results.take() == ["gone: error 1"])
        }
    }

    // MARK: Scans

    @Test("each client gets the devices it scans for, each once unless its data changes")
    func scans() async throws {
        try await SystemBench.run { bench in
            let desk = try await bench.start(0, "Desk")
            let phone = try await bench.start(1, "Phone")
            let (picky, greedy) = (SystemProbe(phone.system), SystemProbe(phone.system))
            try desk.advertise("Desk", services: [Self.service])
            phone.system.scan(ScanRequest(), by: phone.id)
            picky.system.scan(
                ScanRequest(services: [BluetoothUUID(UInt16(0xFFFF))]), by: picky.id)
            try await bench.loop.sleep(for: .seconds(5))
            let heard = phone.take().filter { $0.hasPrefix("discovered") }
            #expect((1...2).contains(heard.count))
            #expect(picky.take() == ["scanning true"])
            // One that wants duplicates brings none to the others.
            greedy.system.scan(ScanRequest(allowsDuplicates: true), by: greedy.id)
            try await bench.loop.sleep(for: .seconds(5))
            #expect(greedy.take().count > 20)
            #expect(phone.take() == [])
            try desk.advertise("Else", services: [Self.service])
            await phone.wait(for: "discovered Else")
            #expect(!picky.take().contains("discovered Else"))
            // The last one who stops hears it from the controller.
            phone.system.stopScanning(by: phone.id)
            greedy.system.stopScanning(by: greedy.id)
            await bench.settle()
            #expect(phone.take().last == "scanning false")
            picky.system.stopScanning(by: picky.id)
            #expect(!picky.take().contains("scanning false"))
            await picky.wait(for: "scanning false")
        }
    }

    @Test("a scan that is stopped and started again at once reports every device again")
    func scansAnew() async throws {
        try await SystemBench.run { bench in
            let desk = try await bench.start(0, "Desk")
            let phone = try await bench.start(1, "Phone")
            try desk.advertise("Desk")
            _ = try await phone.find("Desk")
            for _ in 0..<3 {
                phone.system.scan(ScanRequest(), by: phone.id)
                _ = phone.take()
                await phone.wait(for: "discovered Desk")
                phone.system.stopScanning(by: phone.id)
            }
            await phone.wait(for: "scanning false")
        }
    }
}
