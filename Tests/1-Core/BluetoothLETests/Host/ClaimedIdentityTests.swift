@testable import BluetoothLE
import Octets
import Testing

/// Identities that a peer cannot have, and requests that a peer repeats without end.
@Suite("Claims and storms of a peer") struct ClaimedIdentityTests {
    static let stranger = DeviceAddress(0xC0FF_EE00_0001, kind: .random)

    private static let impossible: [DeviceAddress] = [
        DeviceAddress(0, kind: .public), DeviceAddress(0xFFFF_FFFF_FFFF, kind: .public),
        DeviceAddress(0, kind: .random), DeviceAddress(0xFFFF_FFFF_FFFF, kind: .random),
        DeviceAddress(0xC000_0000_0000, kind: .random),
        DeviceAddress(0x4000_0000_0001, kind: .random),
        DeviceAddress(0x0000_0000_0001, kind: .random),
        DeviceAddress(0x8000_0000_0001, kind: .random),
    ]

    /// What a Peripheral and a Central make of each other, of which one distributes this identity.
    private static func pair(
        _ identity: DeviceAddress, isCentral: Bool, irk: UInt128 = 5, bonds: [BondRecord] = []
    ) throws -> HostLink {
        var liar = SecurityConfiguration()
        liar.localKeys.identityAddress = identity
        liar.localKeys.identityResolvingKey = irk
        let link = HostLink(
            central: isCentral ? liar : SecurityConfiguration(),
            peripheral: isCentral ? SecurityConfiguration() : liar, centralAddress: stranger,
            centralBonds: isCentral ? [] : bonds, peripheralBonds: isCentral ? bonds : [])
        try link.connect()
        link.forget()
        try link.secure()
        return link
    }

    @Test("an identity that no device has is refused", arguments: Self.impossible, [true, false])
    func refused(identity: DeviceAddress, isCentral: Bool) throws {
        #expect(!identity.canBeIdentity)
        let link = try Self.pair(identity, isCentral: isCentral)
        let victim = isCentral ? link.peripheral : link.central
        #expect(
            victim.takeOutputs().contains(
                .security(link.handle, .failed(.refused(.invalidParameters)))))
        #expect(victim.bonds.isEmpty)
    }

    @Test("so is the identity of this device", arguments: [true, false])
    func own(isCentral: Bool) throws {
        let bench = PairingBench()
        let own = isCentral ? PairingBench.peripheralAddress : PairingBench.centralAddress
        let liar: SecurityManager.Role = isCentral ? .initiator : .responder
        bench.tamper = { role, pdu in
            role == liar && pdu[0] == SecurityManagerPDU.Code.identityAddressInformation.rawValue
                ? SecurityManagerPDU.identityAddressInformation(own).octets : pdu
        }
        try bench.pair()
        let victim: SecurityManager.Role = isCentral ? .responder : .initiator
        #expect(bench.failure(of: victim) == .refused(.invalidParameters))
        #expect(bench.bond(of: victim) == nil)
    }

    @Test("neighbours of these are identities")
    func possible() {
        for address in [
            DeviceAddress(1, kind: .public), DeviceAddress(0xFFFF_FFFF_FFFE, kind: .public),
            DeviceAddress(0xC000_0000_0001, kind: .random),
            DeviceAddress(0xFFFF_FFFF_FFFE, kind: .random),
        ] {
            #expect(address.canBeIdentity)
        }
    }

    @Test("a Central accepts accessories that share an identity resolving key, as an iPhone does")
    func sharedKey() throws {
        let (one, other) = (
            DeviceAddress(0xC0DE_0000_0001, kind: .random),
            DeviceAddress(0xC0DE_0000_0002, kind: .random)
        )
        let first = try Self.pair(one, isCentral: false)
        let link = try Self.pair(other, isCentral: false, bonds: first.central.bonds)
        #expect(link.central.bonds.map(\.bond.identityAddress) == [one, other])
        #expect(
            !link.central.takeOutputs().contains(
                .security(link.handle, .failed(.identityNotItsOwn))))
    }

    @Test("a second bond of a Central with the identity resolving key of the first is refused")
    func secondBond() throws {
        let phone = DeviceAddress(0xC0DE_0000_0001, kind: .random)
        let thief = DeviceAddress(0xC0DE_0000_0002, kind: .random)
        let bonds = try Self.pair(phone, isCentral: true).peripheral.bonds
        try #require(bonds.map(\.bond.identityAddress) == [phone])
        let link = try Self.pair(thief, isCentral: true, bonds: bonds)
        let bench = link.peripheral
        let outputs = bench.takeOutputs()
        #expect(outputs.contains(.security(link.handle, .failed(.identityNotItsOwn))))
        #expect(outputs.last == .link(link.handle, .disconnected(.connectionTerminatedByLocalHost)))
        #expect(bench.bonds == bonds)
    }

    @Test("many devices without an identity resolving key can bond")
    func noKey() throws {
        let first = try Self.pair(
            DeviceAddress(0xC0DE_0000_0001, kind: .random), isCentral: true, irk: 0)
        let link = try Self.pair(
            DeviceAddress(0xC0DE_0000_0002, kind: .random), isCentral: true, irk: 0,
            bonds: first.peripheral.bonds)
        #expect(link.peripheral.bonds.count == 2)
    }

    // MARK: Storms

    /// A connected Peripheral after so many packets of its Central, and what it told.
    private static func storm(
        _ pdu: SecurityManagerPDU, of count: Int, isPairable: Bool
    ) throws -> [HostOutput] {
        let link = HostLink { $0.isPairable = isPairable }
        try link.connect()
        link.forget()
        let packet = ACLPacket(
            handle: link.handle, boundary: .first,
            data: [UInt8(pdu.octets.count), 0, 6, 0] + pdu.octets)
        for _ in 0..<count {
            link.peripheral.enqueue(.acl(packet.octets))
            link.run()
        }
        return link.peripheral.takeOutputs()
    }

    @Test(
        "a storm of Pairing Requests ends the link after ten, and is reported once",
        arguments: [true, false])
    func pairingRequests(isPairable: Bool) throws {
        // The Central asks for keys that are too short.
        let request = SecurityManagerPDU.pairingRequest(
            PairingFeatures(
                ioCapability: .noInputNoOutput, authentication: [.bonding], maximumKeySize: 6,
                initiatorKeys: [], responderKeys: []))
        let outputs = try Self.storm(request, of: 3000, isPairable: isPairable)
        let failures = outputs.compactMap { output in
            if case .security(_, .failed(let failure)) = output { failure } else { nil }
        }
        #expect(failures.count == 11)
        #expect(failures.count { $0 == .tooManyRequests } == 1)
        #expect(failures.last == .tooManyRequests)
        #expect(
            outputs.contains { output in
                if case .link(_, .disconnected) = output { true } else { false }
            })
    }

    @Test("a storm of requests for a key that was never given ends the link as well")
    func longTermKeyRequests() throws {
        let link = try HostLink.bonded()
        try link.connect()
        link.forget()
        for number in 1...1000 as ClosedRange<UInt64> {
            link.peripheral.enqueue(
                HCI.LELongTermKeyRequest(
                    handle: link.handle, random: number, encryptedDiversifier: 1))
            link.run()
        }
        let failures = link.peripheral.takeOutputs().compactMap { output in
            if case .security(_, .failed(let failure)) = output { failure } else { nil }
        }
        #expect(failures.count == 11)
        #expect(failures.last == .tooManyRequests)
        let description = link.peripheral.host.description(of: link.handle)
        #expect(description == nil)
    }

    @Test("so does a storm of Security Requests at a Central that may not pair")
    func securityRequests() throws {
        var security = SecurityConfiguration()
        security.pairing = .never
        let link = HostLink(central: security)
        try link.connect()
        link.forget()
        let pdu = SecurityManagerPDU.securityRequest([.bonding]).octets
        let packet = ACLPacket(
            handle: link.handle, boundary: .first, data: [UInt8(pdu.count), 0, 6, 0] + pdu)
        for _ in 0..<1000 {
            link.central.enqueue(.acl(packet.octets))
            link.run()
        }
        let failures = link.central.takeOutputs().compactMap { output in
            if case .security(_, .failed(let failure)) = output { failure } else { nil }
        }
        #expect(failures.count == 11 && failures.last == .tooManyRequests)
    }
}
