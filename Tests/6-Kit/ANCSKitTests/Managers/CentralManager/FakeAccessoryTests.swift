import BluetoothLE
import LinuxIO
import Octets
import Testing
import VirtualBluetooth
internal import VirtualTransports

@testable import ANCSEvents
@testable import ANCSKit
@testable import ANCSReceiver

/// Another device takes the address of an accessory that is bonded, and wants to be paired with.
@Suite("A fake accessory and the bond of the real one")
struct FakeAccessoryTests {
    /// How it gets round its bond.
    enum Trick: CaseIterable {
        /// Its controller rejects encryption: Unsupported Remote Feature, 0x1A.
        case encryptionUnsupported
        /// It has no key: PIN or Key Missing, 0x06.
        case keyMissing
        /// It has another key, so that the link breaks: MIC Failure, 0x3D.
        case otherKey
    }

    @Test(
        "it is not paired with unless the app requires it, whatever it answers to encryption",
        arguments: Trick.allCases, [LostKeys.refuse, .pairAgain])
    func fake(_ trick: Trick, _ lostKeys: LostKeys) async throws {
        try await Air.run { air in
            let adapter = try await air.adapter(at: air.port()) { configuration in
                configuration.controller.pairing.ability = .keyboardDisplay
                configuration.controller.pairing.lostKeys = lostKeys
            }
            let manager = try await air.manager(at: adapter)
            let real = try await air.accessory()
            try real.addService()
            real.advertise()
            let peripheral = try await PairingTests.connect(to: real, by: manager, on: air)
            let characteristic = try await PairingTests.protected(of: peripheral)
            try await peripheral.readValue(for: characteristic)
            let before = adapter.host?.query { $0.bondRecords.map(\.bond) }
            real.close()
            _ = try await air.next(of: manager) { event in
                if case .disconnected = event { true } else { nil }
            }

            let fake = try await Self.makeFake(trick, of: real, on: air)
            fake.advertise()
            try await manager.connect(peripheral)
            // As soon as it is connected it asks for protection that the bond does not have.
            try await air.until("a link") { !fake.links.isEmpty }
            for _ in 1...5 {
                guard let link = fake.links.first else { break }
                _ = fake.driver.attempt { host, now throws(HostUsageError) in
                    try host.pair(link, replacingBond: true, at: now)
                }
                try await air.pass(.milliseconds(20))
            }
            try await air.pass(.seconds(40))
            // Other keys break the link before anything can be said on it.
            if lostKeys == .pairAgain, trick == .otherKey { try await manager.connect(peripheral) }
            try await air.pass(.seconds(5))
            let after = adapter.host?.query { $0.bondRecords.map(\.bond) }
            switch lostKeys {
            case .refuse:
                #expect(fake.links.isEmpty)
                #expect(fake.pairings == 0)
                #expect(after == before)
            case .pairAgain:
                // Whoever wants that has it, where the controllers can encrypt at all.
                #expect((after == before) == (trick == .encryptionUnsupported))
            }
        }
    }

    /// Another device with the address of the real one.
    private static func makeFake(
        _ trick: Trick, of real: Accessory, on air: isolated Air
    ) async throws -> Accessory {
        var abilities = VirtualControllerAbilities.bluetooth5_3
        var bonds: [BondRecord] = []
        switch trick {
        case .encryptionUnsupported: abilities.features.remove(.encryption)
        case .keyMissing: break
        case .otherKey:
            bonds = real.bonds
            for index in bonds.indices {
                bonds[index].bond.localLongTermKey = Bond.LongTermKey(value: 1)
            }
        }
        let address = DeviceAddress(
            0xC0FF_EE00_0000 | UInt64(real.port.controller.index), kind: .random)
        let fake = try await air.accessory(
            at: air.port(abilities),
            { configuration in
                configuration.identityAddress = address
                configuration.security.authentication.insert(.mitmProtection)
                configuration.security.rePairing = .allow
            }, bonds: bonds)
        try fake.addService()
        return fake
    }
}
