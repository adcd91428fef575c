@testable import BluetoothLE
import Octets
import Testing

/// Who gets the place of a bond, and which bonds go when there are too many.
@Suite struct HostPairableTests {
    static let stranger = DeviceAddress(0xC0FF_EE00_0001, kind: .random)

    @Test("while it is not pairable, a Peripheral does not pair, bonded or not")
    func notPairable() throws {
        let link = HostLink { $0.isPairable = false }
        try link.connect()
        link.forget()
        try link.secure()
        #expect(link.peripheral.takeOutputs() == [.security(link.handle, .failed(.notPairable))])
        #expect(
            link.central.takeOutputs() == [
                .security(link.handle, .failed(.refusedByPeer(.pairingNotSupported)))
            ])
        #expect(link.peripheral.bonds.isEmpty)

        // On the link that stands, as soon as it is.
        link.peripheral.host.setPairable(true)
        try link.secure()
        let bonds = link.peripheral.bonds
        #expect(bonds.count == 1)

        // Who has the address of the bonded Central and not its keys stays out.
        let thief = HostLink(peripheralBonds: bonds) { $0.isPairable = false }
        try thief.connect()
        thief.forget()
        for _ in 1...3 { try thief.secure() }
        #expect(
            thief.peripheral.takeOutputs() == [
                .security(thief.handle, .failed(.rePairingRefused)),
                .security(thief.handle, .failed(.rePairingRefused)),
                .security(thief.handle, .failed(.rePairingRefused)),
            ])
        #expect(thief.peripheral.bonds == bonds)

        // While the window is open, the Central that lost its keys is served.
        thief.peripheral.host.setPairable(true)
        try thief.secure()
        #expect(thief.peripheral.bonds.count == 1)
        #expect(thief.peripheral.bonds != bonds)
    }

    @Test("a bonded Central can encrypt while pairing is not allowed")
    func bondedCentral() throws {
        let first = try HostLink.bonded()
        let link = HostLink(
            centralBonds: first.central.bonds, peripheralBonds: first.peripheral.bonds
        ) { $0.isPairable = false }
        try link.connect()
        try link.secure()
        #expect(link.peripheral.story().last == "40 encrypted, bonded")
        let isProven = link.peripheral.host.isProven(on: link.handle)
        #expect(isProven)
    }

    @Test(
        "a Peripheral that claims the identity of a bonded one only while it pairs is refused",
        arguments: [SecurityConfiguration.Consent.never, .allow])
    func claimedIdentity(rePairing: SecurityConfiguration.Consent) throws {
        let first = try HostLink.bonded()
        let accessory = try #require(first.central.bonds.first)
        var central = SecurityConfiguration()
        central.rePairing = rePairing
        // Under its own address, which is no address of the bonded accessory's.
        var impostor = SecurityConfiguration()
        impostor.localKeys.identityAddress = accessory.bond.identityAddress
        impostor.localKeys.identityResolvingKey = 7
        let link = HostLink(
            central: central, peripheral: impostor, centralBonds: first.central.bonds,
            configure: { $0.identityAddress = Self.stranger })
        try link.connect()
        try link.secure()
        let told = link.central.takeOutputs()
        let isRefused = told.contains(.security(link.handle, .failed(.rePairingRefused)))
        #expect(isRefused == (rePairing == .never))
        #expect((link.central.bonds == [accessory]) == (rePairing == .never))
        #expect(link.central.bonds.count == 1)
    }

    @Test(
        "a Central that only needs protection pairs as far as its configuration allows",
        arguments: [SecurityConfiguration.Consent.ask, .never, .allow], [true, false])
    func asConfigured(_ consent: SecurityConfiguration.Consent, hasBond: Bool) throws {
        let first = try HostLink.bonded()
        var central = SecurityConfiguration()
        if hasBond { central.rePairing = consent } else { central.pairing = consent }
        let link = HostLink(central: central, centralBonds: hasBond ? first.central.bonds : [])
        try link.connect()
        link.forget()
        try link.central.host.pair(link.handle, replacingBond: true, asConfigured: true, at: .zero)
        link.run()
        let told = link.central.takeOutputs()
        #expect(told.contains(.security(link.handle, .ask(.confirmPairing))) == (consent == .ask))
        let isPaired = told.contains(
            .security(link.handle, .paired(isBonded: true, replacesBond: hasBond)))
        #expect(isPaired == (consent == .allow))
        #expect(link.peripheral.bonds.count == (consent == .allow ? 1 : 0))
        guard consent == .ask else { return }
        try link.central.host.confirmPairing(link.handle, true, at: .zero)
        link.run()
        #expect(link.peripheral.bonds.count == 1)
    }

    @Test(
        "no pairing starts on a link that this side is ending, even before the controller has ended it"
    )
    func ending() throws {
        let bench = HostBench.ready()
        try bench.advertise()
        bench.connect()
        try bench.host.disconnect(HostBench.handle, at: bench.now)
        bench.run()
        bench.forget()
        let request = PairingFeatures(
            ioCapability: .noInputNoOutput, authentication: [.bonding, .secureConnections],
            initiatorKeys: [], responderKeys: [])
        bench.receive(
            SecurityManagerPDU.pairingRequest(request).octets, on: .securityManager)
        #expect(bench.data.isEmpty)
        bench.inject(
            HCI.LELongTermKeyRequest(
                handle: HostBench.handle, random: 0, encryptedDiversifier: 0))
        #expect(bench.commands.map(\.opcode) == [.leLongTermKeyRequestNegativeReply])
        #expect(bench.takeOutputs().isEmpty)
    }

    @Test("the bond that was used longest ago makes room")
    func bondLimit() throws {
        let phone = try HostLink.bonded()
        var bonds = phone.peripheral.bonds
        for number in 1...2 {
            let address = DeviceAddress(0xC0FF_EE00_0000 + UInt64(number), kind: .random)
            bonds += try HostLink.bonded(centralAddress: address).peripheral.bonds
        }
        // The oldest bond is used again.
        let link = HostLink(centralBonds: phone.central.bonds, peripheralBonds: bonds)
        try link.connect()
        link.forget()
        try link.secure()
        let order = link.peripheral.bonds.map(\.bond.identityAddress)
        #expect(order == bonds[1...].map(\.bond.identityAddress) + [HostLink.firstCentral])
        #expect(
            link.peripheral.story() == ["bond changed", "bond changed", "40 encrypted, bonded"])

        // Another one pairs, and there is room for three.
        let next = HostLink(centralAddress: Self.stranger, peripheralBonds: link.peripheral.bonds) {
            $0.maximumBonds = 3
        }
        try next.connect()
        try next.secure()
        let kept = next.peripheral.bonds.map(\.bond.identityAddress)
        #expect(kept.contains(HostLink.firstCentral))
        #expect(kept.count == 3)
        #expect(kept.last == Self.stranger)
    }
}
