import BluetoothLE
import Octets
import Testing

@testable import ANCSEvents
@testable import ANCSKit
@testable import ANCSReceiver

/// Who is who: identifiers that outlive addresses.
@Suite struct PeerRegistryTests {
    static func random(_ number: UInt64) -> DeviceAddress {
        DeviceAddress(0x4000_0000_0000 | number, kind: .random)
    }

    static func identity(_ number: UInt64) -> DeviceAddress {
        DeviceAddress(0xC000_0000_0000 | number, kind: .random)
    }

    static func registry(_ known: [KnownPeer] = []) -> PeerRegistry {
        PeerRegistry(known, toolbox: OpenSSLToolbox(simulatedFrom: 1))
    }

    @Test("each peer has its own identifier from the first advertisement on")
    func firstSight() {
        var registry = Self.registry()
        let first = registry.hear(Self.random(1))
        #expect(registry.hear(Self.random(1)) == first)
        #expect(registry.hear(Self.random(2)) != first)
        #expect(!registry.isChanged, "who was only heard is not stored")
        #expect(registry.takeKnown().isEmpty)
    }

    @Test("a peer that was connected is stored, and keeps its identifier in the next run")
    func nextRun() {
        var registry = Self.registry()
        let heard = registry.hear(Self.random(1), name: "Watch")
        #expect(registry.connected(Self.random(1), identity: nil) == heard)
        #expect(registry.isChanged)
        let stored = registry.takeKnown()
        #expect(!registry.isChanged)
        #expect(
            stored == [
                KnownPeer(
                    identifier: registry.identifier(of: heard), address: Self.random(1),
                    name: "Watch")
            ])
        var next = Self.registry(stored)
        #expect(next.identifier(of: next.hear(Self.random(1))) == registry.identifier(of: heard))
        #expect(next[registry.identifier(of: heard)]?.name == "Watch")
    }

    @Test("a shortened name does not replace the name, but another name does")
    func shortenedNames() {
        var registry = Self.registry()
        let peer = registry.hear(Self.random(1), name: "Wa", isShortened: true)
        #expect(registry[peer]?.name == "Wa")
        _ = registry.hear(Self.random(1), name: "Watch", isShortened: true)
        #expect(registry[peer]?.name == "Watch", "more of it is better than less")
        registry.setName("Watch of the Captain", of: peer)
        for beginning in ["", "W", "Watch", "Watch of the Captain"] {
            _ = registry.hear(Self.random(1), name: beginning, isShortened: true)
            #expect(registry[peer]?.name == "Watch of the Captain")
        }
        _ = registry.hear(Self.random(1), name: "Band", isShortened: true)
        #expect(registry[peer]?.name == "Band", "it begins otherwise: it is another name")
        _ = registry.hear(Self.random(1), name: "Watch of the Captain")
        _ = registry.hear(Self.random(1), name: "Watch")
        #expect(registry[peer]?.name == "Watch", "a name that is whole is the name")
    }

    @Test("a peer that pairs under a private address with a shortened name keeps its known name")
    func shortenedNameRevealed() {
        var registry = Self.registry()
        let known = registry.connected(Self.random(1), identity: Self.identity(9))
        registry.setName("Watch of the Captain", of: known)
        let stranger = registry.hear(Self.random(2), name: "Watch", isShortened: true)
        #expect(registry.identify(stranger, as: Self.identity(9))?.other == known)
        #expect(registry[stranger]?.name == "Watch of the Captain")
    }

    @Test("a peer that pairs keeps its identifier under every private address")
    func privateAddresses() {
        var registry = Self.registry()
        let peer = registry.connected(Self.random(1), identity: nil)
        let identifier = registry.identifier(of: peer)
        #expect(registry.identify(peer, as: Self.identity(9)) == nil)
        #expect(registry.identifier(of: peer) == identifier)
        registry.bondsChanged(to: [Self.identity(9)])
        for number in UInt64(2)..<50 {
            #expect(registry.hear(Self.random(number), identity: Self.identity(9)) == peer)
            #expect(registry[peer]?.address == Self.random(number))
        }
        // Whoever has an address now that it had before is somebody else.
        #expect(registry.hear(Self.random(1)) != peer)
        #expect(registry[peer]?.isBonded == true)
    }

    @Test(
        "where pairing reveals a known identity, the known identifier and the key of the link are kept"
    )
    func revealed() {
        var registry = Self.registry()
        let known = registry.connected(Self.random(1), identity: nil)
        let identifier = registry.identifier(of: known)
        #expect(registry.identify(known, as: Self.identity(9)) == nil)
        registry.bondsChanged(to: [Self.identity(9)])
        registry.setOffersANCS(true, of: known)
        let stranger = registry.connected(Self.random(2), identity: nil)
        let strange = registry.identifier(of: stranger)
        #expect(stranger != known)
        #expect(
            registry.identify(stranger, as: Self.identity(9))
                == PeerMerger(other: known, formerIdentifier: strange))
        #expect(registry[strange] == nil)
        #expect(registry.identifier(of: stranger) == identifier)
        #expect(registry[stranger]?.address == Self.random(2))
        #expect(registry.hear(Self.random(2)) == stranger)
        #expect(registry.hear(Self.random(3), identity: Self.identity(9)) == stranger)
        #expect(registry.takeKnown().map(\.identifier) == [identifier])
        #expect(registry.bondedPhones == [identifier], "what was known of it is")
    }

    @Test("an earlier key of a peer still names it, after any number of mergers")
    func aliases() {
        var registry = Self.registry()
        var keys = [registry.connected(Self.random(1), identity: Self.identity(9))]
        registry.setOffersANCS(true, of: keys[0])
        for number in UInt64(2)...5 {
            keys.append(registry.connected(Self.random(number), identity: nil))
            _ = registry.identify(keys[keys.count - 1], as: Self.identity(9))
        }
        for key in keys { #expect(registry[key]?.key == keys.last) }
        registry.setName("Band", of: keys[0])
        #expect(registry[keys[4]]?.name == "Band")
        #expect(registry.count == 1)
    }

    @Test("a peer that pairs many times leaves a bounded number of keys")
    func floodOfMergers() {
        var registry = Self.registry()
        let first = registry.connected(Self.random(1), identity: Self.identity(9))
        var last = first
        for number in UInt64(2)..<2000 {
            last = registry.connected(Self.random(number), identity: nil)
            _ = registry.identify(last, as: Self.identity(9))
        }
        #expect(registry.count == 1)
        #expect(registry[first] == nil)
        #expect(registry[PeerKey(rawValue: last.rawValue - 1)]?.key == last)
    }

    @Test("a peer that was known by its identity address keeps its identifier when it bonds")
    func identityOnAir() {
        var registry = Self.registry()
        let known = registry.connected(Self.identity(9), identity: nil)
        let stranger = registry.connected(Self.random(2), identity: nil)
        #expect(registry.identify(stranger, as: Self.identity(9))?.other == known)
    }

    @Test("a forgotten peer keeps its identifier as long as its address stays the same")
    func forgotten() {
        var registry = Self.registry()
        let peer = registry.connected(Self.random(1), identity: nil)
        _ = registry.identify(peer, as: Self.identity(9))
        registry.bondsChanged(to: [Self.identity(9)])
        registry.bondsChanged(to: [])
        #expect(registry[peer]?.isBonded == false)
        #expect(registry.hear(Self.random(1)) == peer)
        #expect(registry.hear(Self.random(2)) != peer)
        #expect(registry.peer(withIdentity: Self.identity(9)) == nil)
    }

    @Test("the bonds of a state of an earlier version, without peers, get identifiers")
    func bondsWithoutPeers() throws {
        var registry = Self.registry()
        registry.bondsChanged(to: [Self.identity(8), Self.identity(9)])
        #expect(registry.isChanged)
        let stored = registry.takeKnown()
        #expect(Set(stored.map(\.identity)) == [Self.identity(8), Self.identity(9)])
        var next = Self.registry(stored)
        next.bondsChanged(to: [Self.identity(8), Self.identity(9)])
        let peer = try #require(next.peer(withIdentity: Self.identity(9)))
        #expect(next.hear(Self.random(1), identity: Self.identity(9)) == peer.key)
    }

    @Test("a bond without a peer, or a peer without its bond, loses no other peer")
    func disagreement() {
        let stale = KnownPeer(
            identifier: PeerIdentifier(random: 5), address: Self.random(1),
            identity: Self.identity(7))
        var registry = Self.registry([stale])
        registry.bondsChanged(to: [Self.identity(9)])
        #expect(registry[stale.identifier]?.isBonded == false)
        #expect(registry.peer(withIdentity: Self.identity(9)) != nil)
        // Nor where there is no bond at all.
        var empty = Self.registry([stale])
        empty.bondsChanged(to: [])
        #expect(empty[stale.identifier]?.isBonded == false)
    }

    @Test("a flood of strangers stays within the limit, and peers in use are kept")
    func floodOfStrangers() {
        var registry = Self.registry()
        let bonded = registry.connected(Self.random(1), identity: Self.identity(9))
        let wanted = registry.hear(Self.random(2))
        registry.setNeeded(wanted, true)
        for number in UInt64(1000)..<4000 { _ = registry.hear(Self.random(number)) }
        #expect(registry.count <= 1026)
        #expect(registry[bonded] != nil)
        #expect(registry.hear(Self.random(2)) == wanted)
    }

    @Test("the strangers heard last are remembered")
    func fewStrangers() {
        var registry = PeerRegistry(
            [], maximumStrangers: 2, toolbox: OpenSSLToolbox(simulatedFrom: 1))
        let keys = (UInt64(1)...3).map { registry.hear(Self.random($0)) }
        #expect(registry[keys[0]] == nil)
        #expect(!registry.knows(Self.random(1), nil))
        #expect(registry[keys[1]] != nil)
        #expect(registry.knows(Self.random(3), nil))
    }

    @Test("of too many connected peers the oldest one without a bond is forgotten")
    func floodOfKnown() {
        var registry = Self.registry()
        let bonded = registry.connected(Self.random(1), identity: Self.identity(9))
        let oldest = registry.connected(Self.random(2), identity: nil)
        let linked = registry.connected(Self.random(3), identity: nil)
        registry.setNeeded(linked, true)
        for number in UInt64(1000)..<2022 {
            _ = registry.connected(Self.random(number), identity: nil)
        }
        #expect(registry[bonded] != nil)
        #expect(registry[oldest] == nil)
        #expect(registry[linked] != nil)
        #expect(registry.takeKnown().count == 1024)
    }

    @Test("a stored list with contradictions is read as far as it is consistent")
    func contradictions() {
        let first = KnownPeer(
            identifier: PeerIdentifier(random: 1), address: Self.random(1),
            identity: Self.identity(9))
        let sameIdentifier = KnownPeer(identifier: first.identifier, address: Self.random(2))
        let sameAddress = KnownPeer(
            identifier: PeerIdentifier(random: 2), address: Self.random(1))
        let sameIdentity = KnownPeer(
            identifier: PeerIdentifier(random: 3), address: Self.random(3),
            identity: Self.identity(9))
        var registry = Self.registry([first, sameIdentifier, sameAddress, sameIdentity])
        #expect(registry.count == 1)
        let peer = registry.hear(Self.random(7), identity: Self.identity(9))
        #expect(registry.identifier(of: peer) == first.identifier)
    }

    @Test("an earlier private address of a bonded peer is not matched with another bonded peer")
    func addressOfAnother() {
        var registry = Self.registry()
        let first = registry.connected(Self.random(1), identity: Self.identity(8))
        let second = registry.hear(Self.random(1), identity: Self.identity(9))
        #expect(first != second)
        #expect(registry.hear(Self.random(2), identity: Self.identity(8)) == first)
        #expect(registry.hear(Self.random(3), identity: Self.identity(9)) == second)
    }
}

extension PeerRegistry {
    /// What a peer is called that is remembered.
    fileprivate func identifier(of peer: PeerKey) -> PeerIdentifier {
        self[peer]?.identifier ?? PeerIdentifier(rawValue: 0)
    }

    fileprivate mutating func hear(
        _ address: DeviceAddress, identity: DeviceAddress? = nil, name: String? = nil,
        isShortened: Bool = false
    ) -> PeerKey {
        heard(
            address, identity: identity, name: name, isNameShortened: isShortened,
            isConnectable: true, at: .zero)
    }
}
