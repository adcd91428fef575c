import ANCSTestKit
import BluetoothLE
import LinuxIO
import Octets
import Testing

@testable import ANCSEvents
@testable import ANCSKit
@testable import ANCSReceiver

@Suite("When phones may pair with a consumer")
struct PairingWindowTests {
    /// A scene whose phone has paired and is out of range.
    private static func withBondedPhone(
        _ rule: PairingWindow,
        _ body: @escaping @Sendable (isolated ConsumerScene, DeviceAddress) async throws -> Void
    ) async throws {
        try await ConsumerScene.run(pairing: { $0.window = rule }) { scene in
            if rule == .untilPhoneIsBonded { try await scene.expect("pairing open") }
            await scene.startPhone()
            try await scene.expect("1 session")
            if rule == .untilPhoneIsBonded {
                // Which is known a moment before there is a session.
                #expect(await !scene.adapter.isPairingWindowOpen)
            }
            let bonds = await scene.bonds
            let identity = try #require(
                bonds.first.flatMap { DeviceAddress(text: $0.identity, kind: .random) })
            await scene.setPhoneInRange(false)
            try await scene.expect("1 disconnected")
            try await body(scene, identity)
        }
    }

    @Test(
        "the window closes when a phone with ANCS is bonded, and its identity address alone does not open it"
    )
    func impostor() async throws {
        try await Self.withBondedPhone(.untilPhoneIsBonded) { scene, identity in
            let before = await scene.bonds
            let impostor = try await scene.addCentral(identity: identity)
            try await scene.connect(impostor)
            try await impostor.pair()
            try await scene.expect("2 key missing")
            try await scene.expect("2 disconnected", for: .seconds(10))
            #expect(await impostor.securityPDUs.last == [0x05, 0x05])
            #expect(await impostor.bonds.isEmpty)
            #expect(await scene.bonds == before)

            // The phone is served as before.
            await scene.setPhoneInRange(true)
            try await scene.expect("3 session", for: .seconds(120))
            #expect(!scene.lines.contains("3 paired"))
        }
    }

    @Test("a stranger is refused and disconnected, until the window is opened for a time")
    func stranger() async throws {
        try await Self.withBondedPhone(.untilPhoneIsBonded) { scene, _ in
            let stranger = try await scene.addCentral()
            try await scene.connect(stranger)
            try await scene.expect("2 may not pair")
            try await scene.expect("2 disconnected", for: .seconds(11))
            #expect(await stranger.securityPDUs.isEmpty)

            await scene.consumer.openPairingWindow(for: .seconds(120))
            try await scene.expect("pairing open")
            let opened = scene.loop.now
            try await scene.connect(stranger)
            try await scene.expect("3 paired")
            #expect(await scene.bonds.count == 2)
            try await scene.expect("pairing closed", for: .seconds(121))
            #expect(scene.loop.now - opened >= .seconds(119))
        }
    }

    @Test("a link that waits for pairing is paired as soon as the window opens")
    func waiting() async throws {
        try await Self.withBondedPhone(.untilPhoneIsBonded) { scene, _ in
            let stranger = try await scene.addCentral()
            try await scene.connect(stranger)
            try await scene.expect("2 may not pair")
            await scene.consumer.openPairingWindow()
            try await scene.expect("2 paired")
            await scene.consumer.closePairingWindow()
            try await scene.expect("pairing closed")
        }
    }

    @Test("sixty-four strangers in a row do not displace the bond of the phone")
    func manyStrangers() async throws {
        try await Self.withBondedPhone(.untilPhoneIsBonded) { scene, identity in
            let stranger = try await scene.addCentral()
            for number in 2...65 {
                try await scene.connect(stranger)
                try? await stranger.pair()
                try await scene.expect("\(number) disconnected")
            }
            #expect(await scene.bonds.map(\.identity) == [identity.text])
        }
    }

    @Test("by default a phone that forgot its bond may pair again")
    func open() async throws {
        try await Self.withBondedPhone(.open) { scene, identity in
            let before = await scene.bonds
            let forgetful = try await scene.addCentral(identity: identity)
            try await scene.connect(forgetful)
            try await forgetful.pair()
            try await scene.expect("2 paired again")
            let after = await scene.bonds
            #expect(after.map(\.identity) == before.map(\.identity))
            #expect(!scene.lines.contains("pairing open"))
        }
    }

    @Test("a device with the phone's address that pairs without bonding leaves no window open")
    func withoutBond() async throws {
        try await Self.withBondedPhone(.untilPhoneIsBonded) { scene, identity in
            let before = await scene.bonds
            await scene.consumer.openPairingWindow(for: .seconds(120))
            try await scene.expect("pairing open")
            let impostor = try await scene.addCentral(identity: identity, isBonding: false)
            try await scene.connect(impostor)
            try await impostor.pair()
            try await scene.expect("2 paired")
            #expect(await scene.bonds == before)
            try await scene.expect("pairing closed", for: .seconds(121))
            #expect(await !scene.adapter.isPairingWindowOpen)
        }
    }

    @Test("when the bond is forgotten, phones may pair again")
    func forgotten() async throws {
        try await Self.withBondedPhone(.untilPhoneIsBonded) { scene, _ in
            let bond = try #require(await scene.bonds.first)
            await scene.adapter.forget(bond.identifier)
            try await scene.expect("pairing open")
        }
    }

    @Test("that a peer is a phone is stored with its bond, and deleted with it")
    func stored() throws {
        let address = DeviceAddress(0xC000_0000_0001, kind: .random)
        let peer = KnownPeer(
            identifier: PeerIdentifier(random: 1), address: address, identity: address,
            offersANCS: true)
        #expect(KnownPeer(json: peer.json) == peer)
        var registry = PeerRegistry([peer], toolbox: OpenSSLToolbox(simulatedFrom: 1))
        registry.bondsChanged(to: [address])
        #expect(registry.bondedPhones == [peer.identifier])
        registry.bondsChanged(to: [])
        #expect(registry.bondedPhones.isEmpty)
        #expect(registry.takeKnown().map(\.offersANCS) == [false])
    }

    @Test("authentication without a way to ask the user is an error when the adapter is created")
    func impossible() async throws {
        let failure = await #expect(throws: TestFailure.self) {
            try await ConsumerScene.run(pairing: {
                $0.requiredProtection = RequiredProtection(authentication: .always)
            }) { _ in }
        }
        #expect(failure?.cause is DeviceError)
    }

    @Test(
        "where a person can answer, a device without digits does not pair unless that is accepted")
    func usual() async throws {
        try await ConsumerScene.run(pairing: { $0.ability = .keyboardDisplay }) { scene in
            let stranger = try await scene.addCentral()
            try await scene.connect(stranger)
            try await scene.wait("the stranger is told why") {
                await stranger.securityPDUs.last == [0x05, 0x03]
            }
            #expect(await scene.bonds.isEmpty)
            #expect(
                scene.events.contains {
                    if case .peer(_, .securityFailed(.notAuthenticated)) = $0 {
                        true
                    } else {
                        false
                    }
                })
        }
        try await ConsumerScene.run(pairing: {
            $0.ability = .keyboardDisplay
            $0.requiredProtection = RequiredProtection(
                authentication: RequiredProtection.Authentication.none)
        }) { scene in
            try await scene.connect(try await scene.addCentral())
            try await scene.expect("1 paired")
        }
    }

    @Test("a stranger that cannot be authenticated does not pair where authentication is required")
    func required() async throws {
        try await ConsumerScene.run(pairing: {
            $0.ability = .yesNo
            $0.requiredProtection = RequiredProtection(authentication: .always)
        }) { scene in
            let stranger = try await scene.addCentral()
            try await scene.connect(stranger)
            try await scene.expect("1 not secured")
            #expect(await scene.bonds.isEmpty)
            try await scene.wait("the stranger is told why") {
                await stranger.securityPDUs.last == [0x05, 0x03]
            }
        }
    }
}
