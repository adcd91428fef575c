import BluetoothLE
import LinuxIO
import Octets
import Testing
import VirtualBluetooth

@testable import ANCSEvents
@testable import ANCSKit
@testable import ANCSReceiver

/// Who uses a link, and until when it stands.
@Suite("The system's links")
struct BluetoothSystemLinkTests {
    @Test("two clients share a link, which ends when both have released it")
    func shared() async throws {
        try await SystemBench.run { bench in
            let desk = try await bench.start(0, "Desk")
            let phone = try await bench.start(1, "Phone")
            let other = SystemProbe(phone.system)
            try desk.advertise("Desk")
            let peer = try await phone.find("Desk")
            phone.system.connect(peer, by: phone.id, timeout: nil)
            await phone.wait(for: "connected")
            #expect(phone.take().suffix(2) == ["link up", "connected"])
            // Who comes later has it at once.
            _ = other.take()
            other.system.connect(peer, by: other.id, timeout: .seconds(1))
            #expect(other.take() == [])
            await bench.settle()
            #expect(other.take() == ["connected"])
            phone.system.release(peer, by: phone.id)
            await desk.wait(for: "MTU 517")
            #expect(phone.system.link(to: peer) != nil)
            _ = other.take()
            other.system.release(peer, by: other.id)
            await other.wait(for: "link down")
            #expect(other.take() == ["link down"])
            #expect(phone.system.link(to: peer) == nil)
        }
    }

    @Test("a reason of the system's own keeps a link that no client uses")
    func reason() async throws {
        try await SystemBench.run { bench in
            let desk = try await bench.start(0, "Desk")
            let phone = try await bench.start(1, "Phone")
            try desk.advertise("Desk")
            let peer = try await phone.find("Desk")
            phone.system.connect(peer, by: phone.id, timeout: nil)
            await phone.wait(for: "MTU 517")
            phone.system.setReason(.ancs, true, for: peer)
            phone.system.release(peer, by: phone.id)
            try await bench.loop.sleep(for: .seconds(60))
            #expect(phone.system.connectedPeers == [peer])
            phone.system.setReason(.ancs, false, for: peer)
            await phone.wait(for: "link down")
        }
    }

    @Test("a link that the peer made is joined at once, and only the peer ends it")
    func incoming() async throws {
        try await SystemBench.run { bench in
            let desk = try await bench.start(0, "Desk")
            let phone = try await bench.start(1, "Phone")
            try desk.advertise("Desk")
            let peer = try await phone.find("Desk")
            phone.system.connect(peer, by: phone.id, timeout: nil)
            await desk.wait(for: "MTU 517")
            let central = try #require(desk.system.connectedPeers.first)
            _ = desk.take()
            desk.system.connect(central, by: desk.id, timeout: nil)
            #expect(desk.take() == [])
            await bench.settle()
            #expect(desk.take() == ["connected"])
            desk.system.release(central, by: desk.id)
            try await bench.loop.sleep(for: .seconds(60))
            #expect(desk.take() == [])
            desk.system.disconnect(central)
            await desk.wait(for: "link down")
            await phone.wait(for: "link down")
        }
    }

    @Test("a client that is closed releases everything")
    func dismissed() async throws {
        try await SystemBench.run { bench in
            let desk = try await bench.start(0, "Desk")
            let phone = try await bench.start(1, "Phone")
            let app = SystemProbe(phone.system)
            try desk.advertise("Desk")
            let peer = try await app.find("Desk")
            app.system.connect(peer, by: app.id, timeout: nil)
            await app.wait(for: "connected")
            phone.system.dismiss(app.id)
            await phone.wait(for: "link down")
            #expect(!app.take().contains("link down"))
        }
    }

    @Test("a peer out of range is connected when it comes back, even after a reset")
    func patience() async throws {
        try await SystemBench.run { bench in
            let desk = try await bench.start(0, "Desk")
            let phone = try await bench.start(1, "Phone")
            try desk.advertise("Desk")
            let peer = try await phone.find("Desk")
            bench.setInRange(false)
            phone.system.connect(peer, by: phone.id, timeout: nil)
            try await bench.loop.sleep(for: .seconds(3600))
            phone.system.restart()
            await phone.wait(for: "poweredOn")
            try await bench.loop.sleep(for: .seconds(3600))
            #expect(!phone.take().contains("connected"))
            bench.setInRange(true)
            await phone.wait(for: "connected")
            #expect(phone.system.connectedPeers == [peer])
        }
    }

    @Test("a request ends at its timeout, and a cancelled one connects nothing")
    func timeout() async throws {
        try await SystemBench.run { bench in
            let desk = try await bench.start(0, "Desk")
            let phone = try await bench.start(1, "Phone")
            try desk.advertise("Desk")
            let peer = try await phone.find("Desk")
            bench.setInRange(false)
            _ = phone.take()
            let start = bench.loop.now
            phone.system.connect(peer, by: phone.id, timeout: .seconds(20))
            await phone.wait(for: "failed: \(ConnectFailure.timedOut(.timedOut))")
            #expect(bench.loop.now == start + .seconds(20))
            phone.system.connect(peer, by: phone.id, timeout: nil)
            phone.system.release(peer, by: phone.id)
            bench.setInRange(true)
            try await bench.loop.sleep(for: .seconds(60))
            #expect(phone.system.connectedPeers.isEmpty)
        }
    }

    @Test("a peer that is unknown cannot be requested")
    func unknown() async throws {
        try await SystemBench.run { bench in
            let phone = try await bench.start(1, "Phone")
            phone.system.connect(PeerKey(rawValue: 9), by: phone.id, timeout: nil)
            #expect(phone.take() == [])
            await bench.settle()
            #expect(phone.take() == ["failed: \(ConnectFailure.unknownPeer)"])
        }
    }
}

/// Who is who, over the air.
@Suite("The system's peers")
struct BluetoothSystemPeerTests {
    private func withStore(_ body: (BondStore) async throws -> Void) async throws {
        let directory = try TemporaryDirectory()
        try await body(BondStore(directory: directory.path))
    }

    /// Connects a phone with a desk, pairs them, and ends the link.
    private func pair(_ phone: SystemProbe, _ desk: SystemProbe) async throws -> PeerKey {
        try desk.advertise("Desk")
        let peer = try await phone.find("Desk")
        phone.system.connect(peer, by: phone.id, timeout: nil)
        await phone.wait(for: "connected")
        phone.system.pair(peer)
        await phone.wait(for: "paired")
        await desk.wait(for: "paired")
        let paired = try #require(phone.system.connectedPeers.first)
        phone.system.release(paired, by: phone.id)
        await phone.wait(for: "link down")
        await desk.wait(for: "link down")
        _ = phone.take()
        _ = desk.take()
        return paired
    }

    @Test("a bonded peer keeps its identifier when its private address changes")
    func rotation() async throws {
        try await SystemBench.run { bench in
            let desk = try await bench.start(0, "Desk", usesPrivateAddress: true)
            let phone = try await bench.start(1, "Phone")
            let peer = try await pair(phone, desk)
            let address = try #require(phone.system.peers[peer]?.address)
            // A request that waits through the change of the address.
            phone.system.connect(peer, by: phone.id, timeout: nil)
            try await bench.loop.sleep(for: .seconds(3600))
            try desk.advertise("Desk")
            await phone.wait(for: "connected")
            #expect(phone.system.connectedPeers == [peer])
            #expect(phone.system.peers[peer]?.address != address)
            await phone.wait(for: "bond restored")
            #expect(phone.system.bonds.map(\.identifier) == [phone.system.identifier(of: peer)])
        }
    }

    @Test("identifiers survive a restart, of bonded peers and of strangers that were connected")
    func restart() async throws {
        try await withStore { store in
            try await SystemBench.run { bench in
                let desk = try await bench.start(0, "Desk")
                var phone = try await bench.start(1, "Phone", store: store)
                try desk.advertise("Desk")
                let peer = try await phone.find("Desk")
                phone.system.connect(peer, by: phone.id, timeout: nil)
                await phone.wait(for: "MTU 517")
                let identifier = try #require(phone.system.identifier(of: peer))
                phone.system.close()
                await desk.wait(for: "link down")
                phone = try await bench.start(1, "Phone", store: store)
                #expect(phone.system.peers[identifier]?.name == "Desk")
                _ = desk.take()
                let paired = try await pair(phone, desk)
                #expect(phone.system.identifier(of: paired) == identifier)
                phone.system.close()
                phone = try await bench.start(1, "Phone", store: store)
                #expect(phone.system.bonds.map(\.identifier) == [identifier])
                try desk.advertise("Desk")
                let known = try #require(phone.system.peer(identifier))
                phone.system.connect(known, by: phone.id, timeout: nil)
                await phone.wait(for: "bond restored")
            }
        }
    }

    @Test(
        "a peer that returns with a new address and without its keys is a stranger until it pairs again"
    )
    func identified() async throws {
        try await withStore { store in
            try await SystemBench.run { bench in
                var desk = try await bench.start(0, "Desk", store: store, usesPrivateAddress: true)
                let phone = try await bench.start(1, "Phone") {
                    $0.controller.pairing.lostKeys = .pairAgain
                }
                let known = try await pair(phone, desk)
                let knownIdentifier = try #require(phone.system.identifier(of: known))
                // The desk forgets its bonds, and with another resolving key it is a stranger, who says
                // who he is when he pairs.
                desk.system.close()
                try store.update { state in
                    state.bonds = []
                    state.identityResolvingKey = 0x1234_5678_9ABC_DEF0
                }
                desk = try await bench.start(0, "Desk", store: store, usesPrivateAddress: true)
                try desk.advertise("Back")
                let stranger = try await phone.find("Back")
                #expect(stranger != known)
                let strangerIdentifier = try #require(phone.system.identifier(of: stranger))
                phone.system.connect(stranger, by: phone.id, timeout: nil)
                await phone.wait(for: "connected")
                phone.system.pair(stranger)
                await phone.wait(for: "paired")
                let lines = phone.take()
                let order = ["identified", "paired"].map { lines.firstIndex(of: $0) ?? -1 }
                #expect(order[0] >= 0 && order[0] < order[1])
                #expect(phone.system.connectedPeers == [stranger])
                #expect(phone.system.identifier(of: stranger) == knownIdentifier)
                #expect(phone.system.query { $0.link(of: known)?.users } == [phone.id])
                #expect(phone.system.peer(strangerIdentifier) == nil)
                #expect(phone.system.bonds.map(\.identifier) == [knownIdentifier])
            }
        }
    }

    @Test(
        "forgetting a peer removes its bond and ends its link, and its address keeps the identifier"
    )
    func forgotten() async throws {
        try await SystemBench.run { bench in
            let desk = try await bench.start(0, "Desk")
            let phone = try await bench.start(1, "Phone")
            let peer = try await pair(phone, desk)
            phone.system.forget(peer)
            #expect(phone.system.bonds.isEmpty)
            #expect(!phone.system.isBonded(peer))
            try desk.advertise("Desk")
            #expect(try await phone.find("Desk") == peer)
        }
    }
}
