import ANCSEvents
import BlueZTestKit
import BluetoothLE
import DBus
import LinuxIO
import Octets
import Testing

@testable import ANCSKit
@testable import BlueZ

/// The system at a double of bluetoothd with a device behind it, over a bus: what bluetoothd does follows from what it
/// is asked, and not from the test.
@Suite struct SystemOnBusTests {
    private static let app = SystemWorld.app

    @Test func aScanAConnectionAndAllKindsOfRequests() async throws {
        try await SystemWorld.run { world in
            let program = try await world.begin()
            let peer = try await world.scan(program)
            try await world.connect(program, peer)
            let services = try await world.perform(.discoverPrimaryServices, program, peer)
            guard case .success(.services(let all))? = services else {
                Issue.record("no services: \(String(describing: services))")
                return
            }
            #expect(all.map(\.uuid) == [SystemWorld.heartRate])
            #expect(
                try await world.perform(.readValue(SystemWorld.location), program, peer)
                    == .success(.value([1])))
            #expect(
                try await world.perform(
                    .writeValue(SystemWorld.control, [1, 2]), program, peer) == .success(.done))
            #expect(world.strap.written == [[1, 2]])
            #expect(try await world.subscribe(program, peer) == .success(.done))
            let strap = world.strap
            await world.double.run { $0.notify([72], of: "2A37", by: strap) }
            try await world.wait("a value", program) {
                $0.events.contains(.value(peer, SystemWorld.measured, [72]))
            }
            #expect(program.query { $0.mtu(of: peer) } == 185)
            program.step { system, now in
                system.change(peer, at: now) { $0.release(Self.app, at: now) }
            }
            try await world.wait("the end", program) {
                $0.events.contains(.disconnected(peer, .link(.connectionTerminatedByLocalHost)))
            }
            #expect(world.strap.enders == [program.name])
        }
    }

    @Test func writesOfSeveralRequestsAreCarriedOutInOrder() async throws {
        try await SystemWorld.run { world in
            let (program, peer) = try await world.beginConnected()
            var last: UInt64 = 0
            for value in UInt8(0)..<50 {
                last = program.request { system, request, now in
                    system.request(request, of: peer, at: now) {
                        $0.start(
                            .writeValue(SystemWorld.control, [value]), request, by: Self.app,
                            at: now)
                    }
                }
            }
            try await world.wait("all writes", program) { $0.results[last] != nil }
            #expect(world.strap.written == (UInt8(0)..<50).map { [$0] })
        }
    }

    @Test func aProtectedReadIsPairedForAndAnswered() async throws {
        try await SystemWorld.run { world in
            let (program, peer) = try await world.beginConnected()
            let start = world.loop.now
            #expect(
                try await world.perform(.readValue(SystemWorld.secret), program, peer)
                    == .success(.value([9])))
            #expect(program.events.contains(.paired(peer)))
            #expect(world.loop.now - start < RemotePeer.suspicionTime + .seconds(2))
            #expect(program.calls.count { $0 == "Pair" } == 1)
        }
    }

    @Test func theLinkOutlivesTheProgramAndTheNextOneHasItWithoutAScan() async throws {
        try await SystemWorld.run { world in
            let first = try await world.begin()
            let peer = try await world.scan(first)
            try await world.connect(first, peer)
            _ = try await world.perform(.readValue(SystemWorld.secret), first, peer)
            let identifier = first.query { $0.describe(peer)?.identifier } ?? .init(rawValue: 0)
            first.kill()
            let second = try await world.begin(known: first.known)
            #expect(world.strap.isConnected)
            #expect(world.strap.enders == [])
            var again: PeerKey?
            second.step { system, _ in again = system.peer(identifier) }
            guard let again else {
                Issue.record("the peer is not known")
                return
            }
            #expect(
                second.query { $0.connectedPeers(withServices: [SystemWorld.heartRate]) }
                    == [again])
            try await world.connect(second, again)
            _ = try await world.perform(.discoverPrimaryServices, second, again)
            #expect(
                try await world.perform(.readValue(SystemWorld.secret), second, again)
                    == .success(.value([9])))
            #expect(!second.calls.contains("Connect"))
            #expect(!second.calls.contains("StartDiscovery"))
            // It did not make the link, and does not end it.
            second.step { system, now in
                system.change(again, at: now) { $0.release(Self.app, at: now) }
            }
            try await world.loop.sleep(for: .seconds(60))
            #expect(world.strap.isConnected)
        }
    }

    @Test func aLinkThatAnotherProgramUsesStaysUntilItIsDone() async throws {
        try await SystemWorld.run { world in
            let maker = try await world.begin()
            let peer = try await world.scan(maker)
            try await world.connect(maker, peer)
            let other = try await world.begin()
            let same = try await world.scan(maker: maker, of: other)
            try await world.connect(other, same)
            _ = try await world.perform(.discoverPrimaryServices, other, same)
            #expect(try await world.subscribe(other, same) == .success(.done))
            maker.step { system, now in
                system.change(peer, at: now) { $0.release(Self.app, at: now) }
            }
            try await world.loop.sleep(for: .seconds(60))
            #expect(world.strap.isConnected)
            _ = try await world.subscribe(other, same, false)
            try await world.wait("the end", maker) {
                $0.events.contains(.disconnected(peer, .link(.connectionTerminatedByLocalHost)))
            }
            // The other one learns who ended it.
            #expect(other.events.contains(.disconnected(same, .otherProgram)))
        }
    }

    @Test func twoProgramsShareWhatOneOfThemCannotHaveAlone() async throws {
        try await SystemWorld.run { world in
            world.strap.isPaired = true
            let (maker, peer) = try await world.beginConnected()
            #expect(try await world.subscribe(maker, peer) == .success(.done))
            let other = try await world.begin()
            let same = try await world.scan(maker: maker, of: other)
            try await world.connect(other, same)
            _ = try await world.perform(.discoverPrimaryServices, other, same)
            // A socket has one reader.
            #expect(
                try await world.subscribe(other, same) == .failure(.takenByAnotherProgram))
        }
    }

    @Test func aDeviceThatIsAwayIsWaitedForAsLongAsItTakes() async throws {
        try await SystemWorld.run { world in
            let program = try await world.begin()
            let peer = try await world.scan(program)
            world.strap.isInRange = false
            program.step { $0.connect(peer, by: Self.app, at: $1) }
            try await world.loop.sleep(for: .seconds(6 * 3_600))
            #expect(!program.events.contains(.connected(Self.app, peer)))
            world.strap.isInRange = true
            await world.double.run { $0.discover() }
            try await world.wait("a link", program) {
                $0.events.contains(.connected(Self.app, peer))
            }
        }
    }

    @Test func aSubscriptionDoesNotComeBackWithTheNextLink() async throws {
        try await SystemWorld.run { world in
            world.strap.isPaired = true
            let (program, peer) = try await world.beginConnected()
            let strap = world.strap
            // Another program's subscription leaves only signals.
            let path = strap.path(of: strap.characteristics[0])
            await world.double.subscribe(":9.9", to: path, of: strap)
            #expect(try await world.subscribe(program, peer) == .success(.done))
            await world.double.run { $0.linkDown(strap) }
            try await world.wait("the end", program) {
                $0.events.contains(.disconnected(peer, .link(.remoteUserTerminatedConnection)))
            }
            try await world.loop.sleep(for: .seconds(1))
            #expect(!strap.subscriberNames(of: path).contains(program.name ?? ""))
        }
    }

    /// bluetoothd ends and begins again after each step; afterwards everything works as before.
    @Test(arguments: 0...6)
    func bluetoothdMayBeRestartedInAnyPhase(_ phase: Int) async throws {
        try await SystemWorld.run { world in
            world.strap.isPaired = phase.isMultiple(of: 2)
            let program = try await world.begin()
            var numbers: [UInt64] = []
            var peer: PeerKey?
            for step in 0...phase {
                switch step {
                case 0: program.step { $0.scan(.init(), by: Self.app, at: $1) }
                case 1: peer = try await world.scan(program)
                case 2:
                    if let peer { program.step { $0.connect(peer, by: Self.app, at: $1) } }
                case 3: if let peer { try await world.connect(program, peer) }
                case 4:
                    guard let peer else { break }
                    _ = try await world.perform(.discoverPrimaryServices, program, peer)
                case 5:
                    guard let peer else { break }
                    for procedure in [
                        GATTProcedure.readValue(SystemWorld.secret),
                        .writeValue(SystemWorld.control, [1]), .discoverPrimaryServices,
                    ] {
                        numbers.append(
                            program.request { system, request, now in
                                system.request(request, of: peer, at: now) {
                                    $0.start(procedure, request, by: Self.app, at: now)
                                }
                            })
                    }
                case _: try await world.loop.sleep(for: .seconds(6))
                }
            }
            try await world.double.restart()
            try await world.wait("the end of bluetoothd", program) { program in
                program.events.contains(.stateChanged(.resetting, .ended))
            }
            let strap = world.strap
            try await world.wait("all answers", program) { program in
                numbers.allSatisfy { program.results[$0] != nil }
            }
            try await world.wait("power", program) { $0.query { $0.state } == .poweredOn }
            await world.double.addPeripheral(strap)
            let again = try await world.findAgain(program)
            try await world.connect(program, again)
            _ = try await world.perform(.discoverPrimaryServices, program, again)
            #expect(
                try await world.perform(.readValue(SystemWorld.location), program, again)
                    == .success(.value([1])))
            #expect(try await world.subscribe(program, again) == .success(.done))
        }
    }
}

extension SystemWorld {
    /// A program finds the strap as one that another program is connected to.
    func scan(maker: BusSystem, of other: BusSystem) async throws -> PeerKey {
        try await wait("its services", other) {
            !$0.query { $0.connectedPeers(withServices: [Self.heartRate]) }.isEmpty
        }
        return other.query { $0.connectedPeers(withServices: [Self.heartRate]) }[0]
    }

    /// The strap, among those that are connected, or by a scan.
    func findAgain(_ program: BusSystem) async throws -> PeerKey {
        let connected = program.query { $0.connectedPeers(withServices: [Self.heartRate]) }
        if let peer = connected.first { return peer }
        if let known = program.known.last?.identifier {
            var peer: PeerKey?
            program.step { system, _ in peer = system.peer(known) }
            if let peer { return peer }
        }
        return try await scan(program)
    }
}
