import ANCSTestKit
import BluetoothLE
import LinuxIO
import Octets
import Testing

@testable import ANCSEvents
@testable import ANCSKit
@testable import ANCSReceiver

@Suite("Phones whose keys do not work, and devices that claim to be a phone")
struct ConsumerKeyTroubleTests {
    /// A scene whose phone has paired and is out of range, and the bond as a Central would have it.
    private static func withBondedPhone(
        _ body: @escaping @Sendable (isolated ConsumerScene, BondRecord) async throws -> Void
    ) async throws {
        try await ConsumerScene.run(pairing: { $0.window = .untilPhoneIsBonded }) { scene in
            try await scene.expect("pairing open")
            await scene.startPhone()
            try await scene.expect("1 session")
            await scene.setPhoneInRange(false)
            try await scene.expect("1 disconnected")
            let bond = try #require(scene.storedBonds.first?.bond)
            let mirrored = Bond(
                identityAddress: bond.localIdentityAddress,
                localIdentityAddress: bond.identityAddress,
                localLongTermKey: bond.peerLongTermKey, peerLongTermKey: bond.localLongTermKey,
                keySize: bond.keySize, isAuthenticated: bond.isAuthenticated,
                usesSecureConnections: bond.usesSecureConnections)
            try await body(scene, BondRecord(bond: mirrored))
        }
    }

    /// Has a Central connect and encrypt, again and again as soon as it can, for a time; returns how many
    /// links it had.
    private static func insist(
        _ central: TestCentral, on scene: isolated ConsumerScene, for duration: Duration
    ) async throws -> Int {
        let end = scene.loop.now + duration
        var links = 0
        while scene.loop.now < end {
            try await scene.connect(central)
            links += 1
            try? await central.pair()
            try await scene.wait("the link ends") { await central.link == nil }
        }
        return links
    }

    @Test(
        "another key: few links, one line, the advice after a minute, and none when the keys work again"
    )
    func different() async throws {
        try await Self.withBondedPhone { scene, record in
            var other = record
            other.bond.peerLongTermKey?.value ^= 1
            let stored = scene.storedBonds.map(\.bond)
            let phone = try await scene.addCentral(
                identity: record.bond.localIdentityAddress, bonds: [other])
            // Its first link is while the phone that left is expected back at once.
            let links = try await Self.insist(phone, on: scene, for: .seconds(15))
            #expect(links <= 12)
            #expect(scene.lines.filter { $0.contains(" key ") } == ["2 key different"])
            _ = try await Self.insist(phone, on: scene, for: .seconds(60))
            let lines = scene.lines.filter { $0.contains(" key ") }
            #expect(lines.count == 2 && lines[1].hasSuffix("key different lasting"))
            #expect(scene.storedBonds.map(\.bond) == stored)

            // It has the right key again.
            let healed = try await scene.addCentral(
                identity: record.bond.localIdentityAddress, bonds: [record])
            await phone.stop()
            try await scene.connect(healed)
            try await healed.pair()
            try await scene.wait("the link is encrypted") {
                await healed.security?.isEncrypted == true
            }
            try await healed.disconnect()
            try await scene.wait("it leaves") { await healed.link == nil }
            #expect(try await !scene.isSlow(to: healed))
        }
    }

    @Test("a key of another bond is refused this time: no advice, ever, and the bond stays")
    func unknown() async throws {
        try await Self.withBondedPhone { scene, record in
            var other = record
            other.bond.peerLongTermKey?.ediversifier = 0x1234
            other.bond.peerLongTermKey?.random = 0x5678
            let stored = scene.storedBonds.map(\.bond)
            let phone = try await scene.addCentral(
                identity: record.bond.localIdentityAddress, bonds: [other])
            _ = try await Self.insist(phone, on: scene, for: .seconds(120))
            #expect(scene.lines.filter { $0.contains(" key ") } == ["2 key unknown"])
            #expect(scene.storedBonds.map(\.bond) == stored)
        }
    }

    @Test(
        "ten minutes of a device with the phone's address leave the bond, and the phone is back at once"
    )
    func impostor() async throws {
        try await Self.withBondedPhone { scene, record in
            var other = record
            other.bond.peerLongTermKey?.value ^= 1
            let stored = scene.storedBonds.map(\.bond)
            let identity = record.bond.localIdentityAddress
            let forger = try await scene.addCentral(identity: identity, bonds: [other])
            let asker = try await scene.addCentral(identity: identity)
            let end = scene.loop.now + .seconds(600)
            while scene.loop.now < end {
                for impostor in [forger, asker] {
                    try await scene.connect(impostor)
                    try? await impostor.pair()
                    try await scene.wait("the link ends") { await impostor.link == nil }
                }
            }
            // Each trouble once, and once more when it lasts.
            #expect(scene.lines.count { $0.contains(" key ") } <= 4)
            #expect(scene.storedBonds.map(\.bond) == stored)
            let before = scene.loop.now
            await scene.setPhoneInRange(true)
            try await scene.wait("the phone is back", for: .seconds(30)) {
                scene.lines.contains { $0.hasSuffix(" session") }
            }
            #expect(scene.loop.now - before < .seconds(30))
        }
    }

    @Test("a phone with key trouble delays neither another phone nor pairing")
    func others() async throws {
        try await Self.withBondedPhone { scene, record in
            var other = record
            other.bond.peerLongTermKey?.value ^= 1
            // A second phone pairs, and leaves.
            await scene.consumer.openPairingWindow(for: .seconds(30))
            let second = try await scene.addCentral()
            try await scene.connect(second)
            try await second.pair()
            try await scene.expect("2 paired")
            try await second.disconnect()
            try await scene.expect("2 disconnected")
            try await scene.expect("pairing closed")
            try await scene.connect(second)
            try await second.pair()
            try await scene.wait("it is back") { await second.security?.isEncrypted == true }
            try await second.disconnect()
            try await scene.wait("it leaves again") { await second.link == nil }
            let phone = try await scene.addCentral(
                identity: record.bond.localIdentityAddress, bonds: [other])
            // The second phone left a moment ago, so it finds this device as quickly as before.
            _ = try await Self.insist(phone, on: scene, for: .seconds(5))
            #expect(try await !scene.isSlow(to: second))
            _ = try await Self.insist(phone, on: scene, for: .seconds(40))
            #expect(try await scene.isSlow(to: second))
            await scene.consumer.openPairingWindow(for: .seconds(30))
            #expect(try await !scene.isSlow(to: second))
        }
    }

    @Test(
        "a device that claims the identity key of a phone is refused, waits after that, and delays none once gone"
    )
    func claim() async throws {
        try await Self.withBondedPhone { scene, _ in
            let key: UInt128 = 0x0123_4567_89AB_CDEF_0123_4567_89AB_CDEF
            await scene.consumer.openPairingWindow(for: .seconds(300))
            let owner = try await scene.addCentral(identityResolvingKey: key)
            try await scene.connect(owner)
            try await owner.pair()
            try await scene.wait("the owner of the key pairs") { scene.storedBonds.count == 2 }
            try await owner.disconnect()
            try await scene.wait("it leaves") { await owner.link == nil }
            let stored = scene.storedBonds.map(\.bond)
            // Neither is expected back at once any more.
            try await scene.loop.sleep(for: .seconds(40))
            let other = try await scene.addCentral()
            // Each has another identity, and no bond from before.
            func claim() async throws {
                let claimer = try await scene.addCentral(identityResolvingKey: key)
                try await scene.connect(claimer)
                try await claimer.pair()
                try await scene.wait("it is refused") { await claimer.link == nil }
                await claimer.stop()
            }
            try await claim()
            #expect(try await !scene.isSlow(to: other))
            // After 2 and 4 s, the pause is 8 s.
            for _ in 0..<3 { try await claim() }
            #expect(try await scene.isSlow(to: other))
            #expect(scene.storedBonds.map(\.bond) == stored)
            try await scene.loop.sleep(for: .seconds(31))
            #expect(try await !scene.isSlow(to: other))
            try await scene.connect(other)
            try await other.pair()
            try await scene.wait("another device pairs") { scene.storedBonds.count == 3 }
        }
    }

    @Test("a storm of Pairing Requests ends the link, and is one line")
    func storm() async throws {
        try await Self.withBondedPhone { scene, _ in
            let stranger = try await scene.addCentral()
            try await scene.connect(stranger)
            try await scene.expect("2 may not pair")
            for _ in 0..<3000 {
                await stranger.send([0x01, 0x03, 0x00, 0x01, 0x10, 0x00, 0x00], on: 6)
            }
            try await scene.expect("2 disconnected", for: .seconds(10))
            #expect(scene.lines.isEmpty)
        }
    }
}
