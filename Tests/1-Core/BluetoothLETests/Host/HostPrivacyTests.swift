import BluetoothLE
import Octets
import OpenSSLSecurity
import Testing

/// A host that is on air under private addresses, and that knows those of its peers.
@Suite struct HostPrivacyTests {
    static let irk = UInt128(0x1122_3344_5566_7788_99AA_BBCC_DDEE_FF00)

    static func isPrivate(_ configuration: inout HostConfiguration) {
        configuration.ownAddress = .resolvablePrivate()
        configuration.security.localKeys.identityResolvingKey = irk
    }

    static func resolves(_ address: DeviceAddress, _ irk: UInt128 = irk) -> Bool {
        PrivateAddress.resolve(address, with: [irk], using: OpenSSLToolbox()) != nil
    }

    @Test("everything on air has the same private address, which the key resolves")
    func onAir() throws {
        let bench = HostBench.ready(configure: Self.isPrivate)
        try bench.advertise()
        try bench.host.startScanning(at: bench.now)
        bench.run()
        #expect(bench.opcodes().filter { $0 == .leSetRandomAddress }.count == 1)
        #expect(Self.resolves(bench.onAir))
        bench.connect()
        guard case .link(_, .connected(let link))? = bench.takeOutputs().dropFirst(2).first else {
            Issue.record("no link")
            return
        }
        #expect(link.localAddress == bench.onAir)
    }

    @Test("after 900 s the address changes silently if it is not in use")
    func rotation() throws {
        let bench = HostBench.ready(configure: Self.isPrivate)
        try bench.advertise()
        try bench.host.startScanning(at: bench.now)
        bench.run()
        let first = bench.onAir
        bench.forget()
        bench.advance(by: .seconds(900) - .nanoseconds(1))
        #expect(bench.opcodes().isEmpty)
        bench.advance(by: .nanoseconds(1))
        #expect(
            bench.opcodes() == [
                .leSetAdvertisingEnable, .leSetScanEnable, .leSetRandomAddress,
                .leSetAdvertisingEnable, .leSetScanEnable,
            ])
        #expect(bench.story().isEmpty)
        #expect(bench.onAir != first && Self.resolves(bench.onAir))
        let isAdvertising = bench.host.isAdvertising
        #expect(isAdvertising)
        bench.advance(by: .seconds(900))
        #expect(bench.opcodes().filter { $0 == .leSetRandomAddress }.count == 1)
    }

    @Test("an advertising set changes its own address with the others")
    func rotationOfSet() throws {
        let bench = HostBench.ready(isExtended: true, configure: Self.isPrivate)
        try bench.advertise()
        bench.forget()
        bench.advance(by: .seconds(900))
        #expect(
            bench.opcodes() == [
                .leSetExtendedAdvertisingEnable, .leSetRandomAddress,
                .leSetAdvertisingSetRandomAddress, .leSetExtendedAdvertisingEnable,
            ])
        #expect(bench.story().isEmpty)
    }

    @Test("a connection that is being made is begun again under the new address")
    func rotationWhileConnecting() throws {
        let bench = HostBench.ready(configure: Self.isPrivate)
        try bench.host.connect(to: HostBench.stranger, timeout: nil, at: bench.now)
        bench.run()
        let first = bench.onAir
        bench.forget()
        bench.advance(by: .seconds(900))
        #expect(bench.opcodes() == [.leCreateConnectionCancel])
        bench.confirmCancel()
        #expect(bench.opcodes() == [.leSetRandomAddress, .leCreateConnection])
        #expect(bench.onAir != first && bench.story().isEmpty)
        // Or the link is there before the controller has stopped: under the old address.
        let second = bench.onAir
        bench.advance(by: .seconds(900))
        bench.connect(as: .central)
        guard case .link(_, .connected(let link))? = bench.takeOutputs().first else {
            Issue.record("no link")
            return
        }
        #expect(link.localAddress == second)
    }

    @Test("an unused address causes no commands")
    func idle() throws {
        let bench = HostBench.ready(configure: Self.isPrivate)
        let early = bench.host.nextDeadline
        #expect(early == nil)
        try bench.host.startScanning(at: bench.now)
        bench.run()
        let first = bench.onAir
        bench.host.stopScanning(at: bench.now)
        bench.run()
        bench.forget()
        bench.advance(by: .seconds(10_000))
        #expect(bench.opcodes().isEmpty)
        let late = bench.host.nextDeadline
        #expect(late == nil)
        try bench.host.startScanning(at: bench.now)
        bench.run()
        #expect(bench.opcodes() == [.leSetRandomAddress, .leSetScanEnable])
        #expect(bench.onAir != first)
    }

    @Test("an interval of nothing is one of a second")
    func shortestInterval() throws {
        let bench = HostBench.ready { $0.ownAddress = .resolvablePrivate(interval: .zero) }
        try bench.host.startScanning(at: bench.now)
        bench.run()
        let deadline = bench.host.nextDeadline
        #expect(deadline == bench.now + .seconds(1))
    }

    @Test("a controller that keeps its address is asked to change it again after the next interval")
    func rotationRefused() throws {
        let bench = HostBench.ready(configure: Self.isPrivate)
        try bench.advertise()
        bench.forget()
        bench.controller.answers[.leSetRandomAddress] = .completed([0x12])
        bench.advance(by: .seconds(900))
        #expect(bench.opcodes().last == .leSetAdvertisingEnable)
        let isAdvertising = bench.host.isAdvertising
        #expect(isAdvertising && bench.story().isEmpty)
        bench.advance(by: .seconds(900))
        #expect(bench.opcodes().contains(.leSetRandomAddress))
    }

    // MARK: Pairing

    /// A Central under private addresses and a Peripheral under its own, not yet connected.
    static func link(after first: HostLink? = nil) -> HostLink {
        HostLink(
            centralBonds: first?.central.bonds ?? [],
            peripheralBonds: first?.peripheral.bonds ?? [], configureCentral: isPrivate)
    }

    @Test("pairing works with private addresses and reports the identities behind them")
    func pairing() throws {
        let link = Self.link()
        try link.connect()
        try link.secure()
        let bond = try #require(link.peripheral.bonds.first?.bond)
        #expect(bond.identityAddress == HostLink.firstCentral)
        #expect(bond.identityResolvingKey == Self.irk)
        #expect(link.central.bonds.first?.bond.localIdentityResolvingKey == Self.irk)
        #expect(link.central.bonds.first?.bond.localIdentityAddress == HostLink.firstCentral)
        // Under another address, it is still the bonded one.
        let next = Self.link(after: link)
        try next.connect()
        #expect(next.central.onAir != link.central.onAir)
        #expect(next.peripheral.story().contains("40 connected to bonded"))
        next.forget()
        try next.secure()
        #expect(next.peripheral.story().last == "40 encrypted, bonded")
    }

    @Test("a link that outlasts a change of the address is paired with the address that made it")
    func pairingAfterRotation() throws {
        let link = Self.link()
        try link.connect()
        let address = link.central.onAir
        try link.central.host.startScanning(at: link.central.now)
        link.central.run()
        link.central.advance(by: .seconds(900))
        #expect(link.central.onAir != address)
        link.forget()
        try link.secure()
        #expect(link.central.story().last == "40 paired")
        #expect(link.peripheral.story().last == "40 paired")
    }

    @Test("a device without a key uses that of its bonds, or creates one")
    func ownKey() throws {
        let link = Self.link()
        try link.connect()
        try link.secure()
        let known = HostBench(bonds: link.central.bonds) { $0.ownAddress = .resolvablePrivate() }
        let kept = known.host.configuration.security.localKeys.identityResolvingKey
        #expect(kept == Self.irk)
        let new = HostBench { $0.ownAddress = .resolvablePrivate() }
        let made = new.host.configuration.security.localKeys.identityResolvingKey
        #expect(made != 0)
        new.start()
        try new.advertise()
        #expect(Self.resolves(new.onAir, made))
    }

    // MARK: Bonded peers

    @Test("a bonded peer is identified when it is heard, with any of its addresses")
    func discovery() throws {
        let link = Self.link()
        try link.connect()
        try link.secure()
        let bench = try HostScanningTests.scanning(bonds: link.peripheral.bonds)
        bench.hear(link.central.onAir)
        bench.hear(HostLink.firstCentral)
        bench.hear(HostBench.stranger)
        var toolbox = OpenSSLToolbox()
        bench.hear(PrivateAddress.makeResolvable(irk: 7, using: &toolbox))
        var identities: [DeviceAddress?] = []
        for case .air(.discovered(let discovery)) in bench.takeOutputs() {
            identities.append(discovery.identity)
        }
        #expect(identities == [HostLink.firstCentral, HostLink.firstCentral, nil, nil])
        // Forgotten, it is a stranger.
        let isRemoved = bench.host.removeBond(identity: HostLink.firstCentral, at: bench.now)
        #expect(isRemoved && bench.bonds.isEmpty)
        try bench.host.startScanning(at: bench.now)
        bench.run()
        bench.hear(link.central.onAir)
        #expect(bench.story().last?.contains("bonded") == false)
        let isRemovedAgain = bench.host.removeBond(identity: HostLink.firstCentral, at: bench.now)
        #expect(!isRemovedAgain)
    }

    @Test("a busy air costs one operation for each address and bond, however often it is heard")
    func busyAir() throws {
        let link = Self.link()
        try link.connect()
        try link.secure()
        let bench = HostBench.ready(bonds: link.peripheral.bonds)
        try bench.host.startScanning(ScanParameters(filtersDuplicates: false), at: bench.now)
        bench.run()
        let before = bench.operations.aes
        var toolbox = OpenSSLToolbox()
        let addresses = (0..<20).map { _ in
            PrivateAddress.makeResolvable(irk: 7, using: &toolbox)
        }
        for _ in 1...50 {
            for address in addresses + [HostBench.stranger] { bench.hear(address) }
        }
        #expect(bench.story().count == 1 + 50 * 21)
        #expect(bench.operations.aes - before == 20)
    }

    @Test("forgetting a peer ends its link, and it must pair again")
    func forgetting() throws {
        let link = try HostLink.bonded()
        try link.connect()
        try link.secure()
        link.forget()
        link.central.host.removeBond(identity: HostBench.address, at: link.central.now)
        link.run()
        #expect(link.central.story() == ["40 disconnected: 16"])
        #expect(link.peripheral.story() == ["40 disconnected: 13"])
        try link.connect()
        #expect(link.central.story() == ["40 connected to stranger"])
    }
}
