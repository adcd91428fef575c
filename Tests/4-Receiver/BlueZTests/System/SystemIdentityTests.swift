import ANCSEvents
import BluetoothLE
import DBus
import Testing

@testable import ANCSKit
@testable import BlueZ

@Suite struct SystemIdentityTests {
    private static let identity = DeviceAddress(0xC000_0000_0001, kind: .random)

    private func identifier(_ bench: SystemBench, _ peer: PeerKey) -> PeerIdentifier? {
        bench.query { $0.describe(peer)?.identifier }
    }

    @Test func anIdentifierLastsBeyondTheRun() {
        let known = BlueZPeerStore.Entry(address: Self.identity, identifier: .init(rawValue: 42))
        let bench = SystemBench(known: [known])
        bench.begin()
        bench.addDevice()
        #expect(identifier(bench, bench.peer()) == PeerIdentifier(rawValue: 42))
    }

    @Test func aPeerOfAnEarlierRunIsConnectedWithoutAScan() {
        let known = BlueZPeerStore.Entry(address: Self.identity, identifier: .init(rawValue: 42))
        let bench = SystemBench(known: [known])
        bench.begin()
        var peer: PeerKey?
        bench.input { system, _ in
            peer = system.peer(.init(rawValue: 42))
            let stranger = system.peer(.init(rawValue: 43))
            #expect(stranger == nil)
        }
        guard let peer else {
            Issue.record("it is not known")
            return
        }
        let lines = bench.input { $0.connect(peer, by: SystemBench.app, at: $1) }
        #expect(lines == [.call("SetDiscoveryFilter hci0")])
        #expect(bench.addDevice().contains(.call("Connect dev_1")))
    }

    @Test func whatWasConnectedIsRememberedOnce() {
        let bench = SystemBench()
        bench.begin()
        bench.addDevice()
        let peer = bench.peer()
        bench.input { $0.connect(peer, by: SystemBench.app, at: $1) }
        #expect(bench.linkUp().contains(.remember(Self.identity)))
        bench.linkDown()
        bench.input { $0.connect(peer, by: SystemBench.app, at: $1) }
        #expect(!bench.linkUp().contains(.remember(Self.identity)))
    }

    @Test func aPrivateAddressIsNotRemembered() {
        let bench = SystemBench()
        bench.begin()
        let lines = bench.addDevice(
            isConnected: true, and: ["Address": .string("5A:00:00:00:00:07")])
        #expect(!lines.contains { if case .remember = $0 { true } else { false } })
    }

    @Test func pairingRevealsAKnownPeer() {
        let bench = SystemBench()
        bench.begin()
        bench.addDevice()
        let known = bench.peer()
        let before = identifier(bench, known)
        bench.remove(Bench.path("dev_1"))
        bench.input { $0.connect(known, by: SystemBench.app, at: $1) }
        bench.addDevice("dev_7", and: ["Address": .string("5A:00:00:00:00:07")])
        let former = identifierOfStranger(bench)
        let lines = bench.changeDevice(
            ["Connected": .bool(true), "Address": .string(SystemBench.address("dev_1"))],
            of: "dev_7")
        let peer = bench.peer()
        #expect(peer != known)
        #expect(former != nil)
        #expect(
            lines.contains(
                .event(.identified(peer, as: known, formerly: former ?? .init(rawValue: 0)))))
        // The request for the known one is fulfilled by this link.
        #expect(lines.contains(.event(.connected(SystemBench.app, peer))))
        #expect(identifier(bench, peer) == before)
        // The former key is an alias.
        #expect(identifier(bench, known) == identifier(bench, peer))
        bench.input { system, _ in
            let found = system.peer(before ?? .init(rawValue: 0))
            #expect(found == peer)
        }
    }

    private func identifierOfStranger(_ bench: SystemBench) -> PeerIdentifier? {
        bench.query { system in
            system.book.id(at: Bench.path("dev_7")).flatMap { system.book.peers[$0]?.identifier }
        }
    }

    @Test func pairingRevealsAPeerOfAnEarlierRun() {
        let known = BlueZPeerStore.Entry(address: Self.identity, identifier: .init(rawValue: 77))
        let bench = SystemBench(known: [known])
        bench.begin()
        bench.addDevice("dev_7", and: ["Address": .string("5A:00:00:00:00:07")])
        let former = identifierOfStranger(bench)
        let lines = bench.changeDevice(
            ["Connected": .bool(true), "Address": .string(SystemBench.address("dev_1"))],
            of: "dev_7")
        let peer = bench.peer()
        let formers = lines.compactMap { line -> PeerIdentifier? in
            if case .event(let said) = line, case .peer(peer, .identified(let merger)) = said.event
            {
                merger.formerIdentifier
            } else {
                nil
            }
        }
        #expect(former != nil)
        #expect(formers == [former])
        #expect(identifier(bench, peer) == PeerIdentifier(rawValue: 77))
        bench.input { system, _ in
            let found = system.peer(.init(rawValue: 77))
            #expect(found == peer)
        }
    }

    /// A private address may come again when the device that had it is known by its identity.
    @Test func aNewPeerIsNotCalledLikeOneOfAnEarlierRun() throws {
        let place: [String: BusValue] = ["Address": .string("5A:00:00:00:00:07")]
        let earlier = SystemBench()
        earlier.begin()
        earlier.addDevice("dev_7", and: place)
        let kept = try #require(identifierOfStranger(earlier))
        let bench = SystemBench(known: [.init(address: Self.identity, identifier: kept)])
        bench.begin()
        bench.addDevice("dev_7", and: place)
        let stranger = try #require(identifierOfStranger(bench))
        #expect(stranger != kept)
        var address: DeviceAddress?
        bench.input { system, _ in
            if let known = system.peer(kept) {
                address = system.describe(known)?.address
            }
        }
        #expect(address == Self.identity)
    }

    @Test func thePeersThatAreGoneHaveALimit() {
        let bench = SystemBench(maximumAbsentPeers: 10)
        bench.begin()
        bench.addDevice("dev_9")
        let wanted = bench.peer("dev_9")
        bench.remove(Bench.path("dev_9"))
        bench.input { $0.connect(wanted, by: SystemBench.app, at: $1) }
        for number in 0..<500 {
            let digits = String(number + 0x1000, radix: 16, uppercase: true)
            let address = "C1:00:00:00:\(digits.prefix(2)):\(digits.suffix(2))"
            bench.addDevice("dev_x\(number)", and: ["Address": .string(address)])
            bench.remove(Bench.path("dev_x\(number)"))
        }
        #expect(bench.query { $0.book.peers.count } == 10)
        // What a client wants stays.
        #expect(bench.addDevice("dev_9").contains(.call("Connect dev_9")))
    }

    @Test func bluetoothdsDevicesHaveALimit() {
        let bench = SystemBench()
        bench.addAdapter()
        for number in 0..<ObjectTree.limit + 100 {
            let digits = String(number + 0x10000, radix: 16, uppercase: true).suffix(4)
            bench.objects[Bench.path("dev_x\(number)")] = [
                Bench.device: [
                    "Address": .string("C1:00:00:00:\(digits.prefix(2)):\(digits.suffix(2))"),
                    "AddressType": .string("random"),
                ]
            ]
        }
        bench.daemonBegins()
        #expect(bench.query { $0.book.peers.count } == ObjectTree.limit)
    }

    @Test(arguments: ["", "nonsense", "C0:00:00:00:00:0G", "C0:00"])
    func anAddressThatCannotBeReadIsNoPeer(_ address: String) {
        let bench = SystemBench()
        bench.begin()
        #expect(bench.addDevice(isConnected: true, and: ["Address": .string(address)]) == [])
    }
}
