import BluetoothLE
import Octets
import Testing

/// Bonds: encrypting again, losing them, replacing them. Core Vol 3, Part H, 2.4.4 and 2.4.6.
@Suite struct BondTests {
    struct Method: CustomTestStringConvertible {
        var isSecure: Bool
        var testDescription: String { isSecure ? "Secure Connections" : "legacy" }
        static let both = [Method(isSecure: true), Method(isSecure: false)]
    }

    /// Bonds of both sides after a pairing with a comparison or a passkey, or Just Works.
    static func bonds(
        _ method: Method, isAuthenticated: Bool = false
    ) throws -> (initiator: Bond, responder: Bond) {
        let io: [IOCapability] =
            isAuthenticated ? [.keyboardDisplay, .displayOnly] : [.noInputNoOutput, .displayOnly]
        let bench = PairingBench(
            SecurityConfiguration(io[0], isSecure: method.isSecure),
            SecurityConfiguration(io[1], isSecure: method.isSecure))
        try bench.pair()
        return (
            try #require(bench.bond(of: .initiator)), try #require(bench.bond(of: .responder))
        )
    }

    static func configuration(_ method: Method) -> SecurityConfiguration {
        SecurityConfiguration(.noInputNoOutput, isSecure: method.isSecure)
    }

    @Test("a bonded link is encrypted without pairing", arguments: Method.both)
    func encryptionAgain(_ method: Method) throws {
        let bonds = try Self.bonds(method, isAuthenticated: true)
        let bench = PairingBench(
            Self.configuration(method), Self.configuration(method),
            initiatorBond: bonds.initiator, responderBond: bonds.responder)
        try bench.pair()
        #expect(bench.codes.isEmpty)
        let security = LinkSecurity(
            isEncrypted: true, isAuthenticated: true,
            usesSecureConnections: method.isSecure, keySize: 16, isBonded: true)
        #expect(bench.events[.initiator]?.last == .securityChanged(security))
        #expect(bench.events[.responder]?.last == .securityChanged(security))
        let key = try #require(bonds.initiator.peerLongTermKey)
        #expect((key.ediversifier == 0 && key.random == 0) == method.isSecure)
    }

    @Test("a bonded link that is not encrypted in time does not count as a pairing timeout")
    func encryptionTimeout() throws {
        let bonds = try Self.bonds(Method.both[0])
        for role in [SecurityManager.Role.initiator, .responder] {
            let bench = PairingBench(
                Self.configuration(Method.both[0]), Self.configuration(Method.both[0]),
                initiatorBond: bonds.initiator, responderBond: bonds.responder)
            if role == .initiator {
                try bench.initiator.pair(at: bench.now)
                bench.initiator.handleTimeout(at: bench.now + .seconds(30))
            } else {
                try bench.responder.pair(at: bench.now)
                bench.responder.handleTimeout(at: bench.now + .seconds(30))
            }
            bench.collect()
            #expect(bench.failure(of: role) == .encryptionTimedOut)
        }
    }

    @Test("a Security Request makes the Central encrypt with the bond", arguments: Method.both)
    func securityRequest(_ method: Method) throws {
        let bonds = try Self.bonds(method)
        let bench = PairingBench(
            Self.configuration(method), Self.configuration(method),
            initiatorBond: bonds.initiator, responderBond: bonds.responder)
        try bench.responder.pair(at: bench.now)
        bench.run()
        #expect(bench.codes.map(\.1) == [0x0B])
        let security = bench.responder.security
        #expect(security.isEncrypted)
        let isBusy = bench.responder.isBusy
        #expect(!isBusy)
    }

    @Test("a bond without protection is replaced where protection is asked for and possible")
    func elevation() throws {
        let method = Method(isSecure: true)
        let bonds = try Self.bonds(method)
        let bench = PairingBench(
            SecurityConfiguration(.displayYesNo), SecurityConfiguration(.displayYesNo),
            initiatorBond: bonds.initiator, responderBond: bonds.responder)
        try bench.responder.pair(at: bench.now)
        bench.run()
        #expect(bench.bond(of: .initiator)?.isAuthenticated == true)
    }

    @Test("a Central that would like protection encrypts with the bond that could have none")
    func justWorksAgain() throws {
        let bonds = try Self.bonds(Method(isSecure: true))
        let bench = PairingBench(
            SecurityConfiguration(.displayYesNo), SecurityConfiguration(.noInputNoOutput),
            initiatorBond: bonds.initiator, responderBond: bonds.responder)
        try bench.initiator.pair(at: bench.now)
        bench.run()
        #expect(bench.codes.isEmpty)
        let security = bench.initiator.security
        #expect(security.isEncrypted)
    }

    @Test(
        "a Security Request is first answered with the bond: only a holder of its keys gets better ones"
    )
    func elevationOfStranger() throws {
        let bonds = try Self.bonds(Method(isSecure: true))
        let bench = PairingBench(
            SecurityConfiguration(.displayYesNo), SecurityConfiguration(.displayYesNo),
            initiatorBond: bonds.initiator)
        for _ in 1...3 {
            // Authentication is asked for, which the bond does not have.
            bench.initiator.receive([0x0B, 0x0D].span, toolbox: bench.toolbox, at: bench.now)
            bench.collect()
            bench.pending = []
            bench.deliver(.encryption(status: 0x1A), to: .initiator)
            bench.run()
        }
        #expect(!bench.codes.contains { $0.0 == .initiator && $0.1 == 0x01 })
        let failures = bench.events[.initiator]?.filter {
            $0 == .failed(.encryptionFailed(HCIStatus(rawValue: 0x1A)))
        }
        #expect(failures?.count == 3)
        let bond = bench.initiator.bond
        #expect(bond == bonds.initiator)
    }

    static let requirements: [SecurityConfiguration] = {
        var authenticated = SecurityConfiguration(.displayYesNo)
        authenticated.requiredAuthentication = .always
        var secure = SecurityConfiguration(.displayYesNo)
        secure.requiresSecureConnections = true
        var long = SecurityConfiguration(.displayYesNo)
        long.minimumKeySize = 16
        return [authenticated, secure, long]
    }()

    /// A bond by legacy pairing and Just Works with a key of 7 octets.
    static func weakBonds() throws -> (initiator: Bond, responder: Bond) {
        var short = Self.configuration(Method(isSecure: false))
        short.maximumKeySize = 7
        let bench = PairingBench(short, SecurityConfiguration(.displayOnly, isSecure: false))
        try bench.pair()
        return (
            try #require(bench.bond(of: .initiator)), try #require(bench.bond(of: .responder))
        )
    }

    @Test("a bond weaker than required is not used", arguments: requirements.indices)
    func weakBond(_ index: Int) throws {
        let bonds = try Self.weakBonds()
        let central = PairingBench(
            Self.requirements[index], SecurityConfiguration(),
            initiatorBond: bonds.initiator, responderBond: bonds.responder)
        try central.pair()
        #expect(central.events[.initiator] == [.failed(.bondTooWeak)])
        #expect(central.codes.isEmpty)

        let peripheral = PairingBench(
            SecurityConfiguration(), Self.requirements[index],
            initiatorBond: bonds.initiator, responderBond: bonds.responder)
        try peripheral.pair()
        #expect(
            peripheral.events[.responder] == [.rejectLongTermKey, .failed(.bondTooWeak)])
        #expect(peripheral.failure(of: .initiator) == .peerLostBond)
    }

    @Test(
        "a Central learns that the peer lost the bond, and may pair again", arguments: Method.both)
    func peerLostBond(_ method: Method) throws {
        let bonds = try Self.bonds(method)
        let bench = PairingBench(
            Self.configuration(method), Self.configuration(method),
            initiatorBond: bonds.initiator)
        try bench.pair()
        #expect(bench.failure(of: .initiator) == .peerLostBond)
        #expect(bench.failure(of: .responder) == .bondMissing)
        let kept = bench.initiator.bond
        #expect(kept == bonds.initiator)
        try bench.pair(replacingBond: true)
        let renewed = try #require(bench.bond(of: .initiator))
        #expect(renewed != bonds.initiator)
        let stored = bench.initiator.bond
        #expect(stored == renewed)
    }

    @Test("a key with another name is rejected", arguments: Method.both)
    func otherKey(_ method: Method) throws {
        let bonds = try Self.bonds(method)
        let bench = PairingBench(responderBond: bonds.responder)
        let key = try #require(bonds.responder.localLongTermKey)
        bench.responder.longTermKeyRequested(
            random: key.random, ediversifier: key.ediversifier &+ 1)
        bench.collect()
        #expect(
            bench.events[.responder] == [.rejectLongTermKey, .failed(.otherBondRequested)])
    }

    @Test(
        "a peer that lost its bond pairs again, where that is allowed",
        arguments: [SecurityConfiguration.Consent.allow, .ask, .never])
    func rePairing(_ policy: SecurityConfiguration.Consent) throws {
        let method = Method(isSecure: true)
        let bonds = try Self.bonds(method)
        var configuration = Self.configuration(method)
        configuration.pairing = .allow
        configuration.rePairing = policy
        let bench = PairingBench(
            Self.configuration(method), configuration, responderBond: bonds.responder)
        try bench.pair()
        let isAsked = bench.events[.responder]?.first == .ask(.confirmPairing)
        #expect(isAsked == (policy == .ask))
        let bond = bench.responder.bond
        if policy == .never {
            #expect(bench.failure(of: .responder) == .rePairingRefused)
            #expect(bench.failure(of: .initiator) == .refusedByPeer(.pairingNotSupported))
            #expect(bond == bonds.responder)
        } else {
            #expect(bond == bench.bond(of: .responder))
            #expect(bond != bonds.responder)
        }
    }

    @Test(
        "pairing again with less protection is refused unless allowed",
        arguments: [true, false])
    func downgrade(isAllowed: Bool) throws {
        let method = Method(isSecure: true)
        let bonds = try Self.bonds(method, isAuthenticated: true)
        var configuration = Self.configuration(method)
        configuration.rePairing = .allow
        configuration.allowsWeakerBond = isAllowed
        let bench = PairingBench(
            Self.configuration(method), configuration, responderBond: bonds.responder)
        try bench.pair()
        let bond = bench.responder.bond
        if isAllowed {
            #expect(bond?.isAuthenticated == false)
        } else {
            #expect(bench.failure(of: .responder) == .weakerThanBond)
            #expect(bench.failure(of: .initiator) == .refusedByPeer(.authenticationRequirements))
            #expect(bond == bonds.responder)
        }
    }

    @Test("legacy pairing or a shorter key instead of Secure Connections is less protection")
    func weaker() throws {
        let bonds = try Self.bonds(Method(isSecure: true))
        var trusting = SecurityConfiguration()
        trusting.rePairing = .allow
        let legacy = PairingBench(
            Self.configuration(Method(isSecure: false)), trusting, responderBond: bonds.responder)
        try legacy.pair()
        #expect(legacy.failure(of: .responder) == .weakerThanBond)
        var short = SecurityConfiguration()
        short.maximumKeySize = 7
        let shortened = PairingBench(short, trusting, responderBond: bonds.responder)
        try shortened.pair()
        #expect(shortened.failure(of: .responder) == .weakerThanBond)
    }

    @Test("a pairing that fails leaves the bond as it was")
    func failureKeepsBond() throws {
        let bonds = try Self.bonds(Method(isSecure: true))
        var trusting = SecurityConfiguration()
        trusting.rePairing = .allow
        let bench = PairingBench(SecurityConfiguration(), trusting, responderBond: bonds.responder)
        bench.tamper = { role, pdu in
            pdu[0] == 0x0D && role == .initiator ? pdu.dropLast() + [pdu[16] ^ 1] : pdu
        }
        try bench.pair()
        #expect(bench.failure(of: .responder) == .refused(.dhKeyCheckFailed))
        let bond = bench.responder.bond
        #expect(bond == bonds.responder)
    }

    @Test("encryption that fails during pairing ends it")
    func encryptionFails() throws {
        let bench = PairingBench()
        try bench.initiator.pair(at: bench.now)
        while bench.events[.initiator]?.isEmpty == true { bench.step() }
        bench.deliver(.encryption(status: 0x3D), to: .initiator)
        bench.collect()
        #expect(bench.failure(of: .initiator) == .encryptionFailed(HCIStatus(rawValue: 0x3D)))
        let security = bench.initiator.security
        #expect(security == .none)
    }

    @Test("a Peripheral asks for more protection of an encrypted link only to replace the bond")
    func requestOnEncryptedLink() throws {
        let bench = PairingBench()
        try bench.pair()
        bench.codes = []
        try bench.responder.pair(at: bench.now)
        bench.collect()
        #expect(bench.codes.isEmpty)
        try bench.responder.pair(replacingBond: true, at: bench.now)
        bench.collect()
        #expect(bench.codes.map(\.1) == [0x0B])
    }

    @Test("a link that is no longer encrypted does not count as protected")
    func encryptionOff() throws {
        let bench = PairingBench()
        try bench.pair()
        bench.initiator.encryptionChanged(
            status: 0, isEnabled: false, toolbox: bench.toolbox, at: bench.now)
        bench.collect()
        #expect(bench.events[.initiator]?.last == .securityChanged(LinkSecurity(isBonded: true)))
    }

    @Test("a bond made as Peripheral serves as Central too, with Secure Connections")
    func rolesSwapped() throws {
        let bonds = try Self.bonds(Method(isSecure: true))
        let bench = PairingBench(
            initiatorBond: bonds.responder, responderBond: bonds.initiator)
        try bench.pair()
        #expect(bench.codes.isEmpty)
        let security = bench.initiator.security
        #expect(security.isEncrypted)
    }
}
