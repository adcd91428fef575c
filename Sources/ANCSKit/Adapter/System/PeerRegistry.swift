internal import BluetoothLE
internal import Octets

/// Who is who: peers by their identifiers, whatever addresses they use.
///
/// A peer is recognised by its identity, which its keys prove, or else by the address that it was last on
/// air with. Forgetting a bond leaves the identifier to the address: one that has its identity address on
/// air, or has not changed its private one, keeps it, and any other one is a stranger from then on.
struct PeerRegistry {
    /// A peer that was heard of.
    struct Peer: Hashable, Sendable {
        let identifier: PeerIdentifier
        /// The address that it is, or was last, on air with.
        var address: DeviceAddress
        /// Its identity address, where it is bonded.
        var identity: DeviceAddress?
        var name: String?
        /// The name is only the beginning of one.
        var isNameShortened = false
        /// Bonded or ever connected: stored.
        var isKnown = false
        /// It has offered ANCS since it is bonded.
        var offersANCS = false
        /// When it was last heard to take connections.
        var heardAt: MonotonicInstant?
        /// It has a link or is waited for: it is not dropped.
        var isNeeded = false
        /// Counts up with each use.
        var lastUse: UInt64 = 0

        var isBonded: Bool { identity != nil }

        /// It has a name, or one that begins so: the beginning of the name that is known says nothing new.
        mutating func setName(_ name: String, isShortened: Bool) {
            guard name.utf8.count <= PeerRegistry.nameLimit else { return }
            if isShortened, let known = self.name, known.utf8.starts(with: name.utf8) { return }
            self.name = name
            isNameShortened = isShortened
        }
    }

    /// How many that were only heard are remembered.
    private static var strangerLimit: Int { 1024 }
    /// The longest name that a device may have, in octets. Core Vol 3, Part C, 12.1.
    private static var nameLimit: Int { 248 }

    private var peers: [PeerIdentifier: Peer] = [:]
    private var addresses: [DeviceAddress: PeerIdentifier] = [:]
    private var identities: [DeviceAddress: PeerIdentifier] = [:]
    private var knownCount = 0
    /// The identities of ``bondsChanged(to:)``; `nil` until they are known.
    private var bonded: [DeviceAddress]?
    private var lastUse: UInt64 = 0
    private var toolbox: OpenSSLToolbox
    /// What is to be stored has changed since it was stored last.
    private(set) var isChanged = false

    /// A registry of the peers that were stored, the one used longest ago first.
    init(_ known: [KnownPeer], toolbox: OpenSSLToolbox) {
        self.toolbox = toolbox
        for peer in known where peers[peer.identifier] == nil && addresses[peer.address] == nil {
            if let identity = peer.identity, identities[identity] != nil { continue }
            insert(
                Peer(
                    identifier: peer.identifier, address: peer.address, identity: peer.identity,
                    name: peer.name, isKnown: true,
                    offersANCS: peer.offersANCS && peer.identity != nil))
        }
    }

    subscript(id: PeerIdentifier) -> Peer? { peers[id] }

    /// The bonded peer with an identity.
    func peer(withIdentity identity: DeviceAddress) -> Peer? {
        identities[identity].flatMap { peers[$0] }
    }

    /// The peer that was last on air with an address.
    func peer(withAddress address: DeviceAddress) -> PeerIdentifier? { addresses[address] }

    /// How many peers are remembered.
    var count: Int { peers.count }

    // MARK: What is heard of peers

    /// An advertiser was heard. Its name is the whole one unless it is said to be shortened.
    mutating func heard(
        _ address: DeviceAddress, identity: DeviceAddress?, name: String?,
        isNameShortened: Bool = false, isConnectable: Bool, at now: MonotonicInstant
    ) -> PeerIdentifier {
        let id = identifier(of: address, identity: identity)
        change(id) { peer in
            if let name { peer.setName(name, isShortened: isNameShortened) }
            if isConnectable { peer.heardAt = now }
        }
        return id
    }

    /// A link was made.
    mutating func connected(_ address: DeviceAddress, identity: DeviceAddress?) -> PeerIdentifier {
        let id = identifier(of: address, identity: identity)
        setKnown(id)
        return id
    }

    /// A link was made under an address of a bonded peer that another one claims to be as well: a stranger,
    /// whatever it is on air with.
    mutating func claimed(_ address: DeviceAddress) -> PeerIdentifier {
        insertStranger(Peer(identifier: makeIdentifier(), address: address))
    }

    /// Pairing told the identity of a peer. Who has had that identity all along keeps its identifier,
    /// which is returned.
    mutating func identify(_ id: PeerIdentifier, as identity: DeviceAddress) -> PeerIdentifier {
        guard let peer = peers[id] else { return id }
        guard let earlier = identities[identity] ?? addresses[identity], earlier != id else {
            change(id) { $0.identity = identity }
            setKnown(id)
            return id
        }
        remove(id)
        change(earlier) { known in
            known.identity = identity
            known.address = peer.address
            if let name = peer.name { known.setName(name, isShortened: peer.isNameShortened) }
            known.isNeeded = known.isNeeded || peer.isNeeded
        }
        setKnown(earlier)
        return earlier
    }

    /// Whom this device is bonded with from now on.
    mutating func bondsChanged(to bonded: [DeviceAddress]) {
        guard self.bonded != bonded else { return }
        self.bonded = bonded
        for peer in peers.values {
            guard let identity = peer.identity, !bonded.contains(identity) else { continue }
            change(peer.identifier) {
                $0.identity = nil
                $0.offersANCS = false
            }
        }
        for identity in bonded where identities[identity] == nil {
            let id = identifier(of: identity, identity: identity)
            setKnown(id)
        }
    }

    /// Whether a peer has a link or is waited for.
    mutating func setNeeded(_ id: PeerIdentifier, _ isNeeded: Bool) {
        peers[id]?.isNeeded = isNeeded
    }

    /// A bonded peer has offered ANCS, or has new keys and has yet to offer it.
    mutating func setOffersANCS(_ offersANCS: Bool, of id: PeerIdentifier) {
        change(id) { $0.offersANCS = offersANCS && $0.isBonded }
    }

    /// The bonded peers that have offered ANCS.
    var bondedPhones: [PeerIdentifier] {
        (bonded ?? []).compactMap { identities[$0] }.filter { peers[$0]?.offersANCS == true }
    }

    /// A peer has another name.
    mutating func setName(_ name: String, of id: PeerIdentifier) {
        change(id) { $0.setName(name, isShortened: false) }
    }

    // MARK: Storage

    /// What is to be stored, the one used longest ago first.
    mutating func takeKnown() -> [KnownPeer] {
        isChanged = false
        return peers.values.filter(\.isKnown).sorted { $0.lastUse < $1.lastUse }.map { peer in
            KnownPeer(
                identifier: peer.identifier, address: peer.address, identity: peer.identity,
                name: peer.name, offersANCS: peer.offersANCS)
        }
    }
}

// MARK: - The tables

extension PeerRegistry {
    /// The peer with an identity or, failing that, an address; a new one where nobody has them.
    private mutating func identifier(
        of address: DeviceAddress, identity: DeviceAddress?
    ) -> PeerIdentifier {
        lastUse += 1
        let use = lastUse
        if let id = known(address, identity) {
            change(id) { peer in
                peer.address = address
                peer.identity = identity ?? peer.identity
                peer.lastUse = use
            }
            return id
        }
        return insertStranger(
            Peer(identifier: makeIdentifier(), address: address, identity: identity, lastUse: use))
    }

    private mutating func makeIdentifier() -> PeerIdentifier {
        var id = PeerIdentifier(random: toolbox.random128())
        while peers[id] != nil { id = PeerIdentifier(random: toolbox.random128()) }
        return id
    }

    private mutating func insertStranger(_ peer: Peer) -> PeerIdentifier {
        insert(peer)
        makeRoomForStrangers(besides: peer.identifier)
        return peer.identifier
    }

    private func known(_ address: DeviceAddress, _ identity: DeviceAddress?) -> PeerIdentifier? {
        guard let identity else { return addresses[address] }
        if let id = identities[identity] { return id }
        // Another bonded peer may have had this private address: it is not that one.
        return [addresses[identity], addresses[address]].lazy.compactMap(\.self).first { id in
            peers[id]?.identity == nil
        }
    }

    private mutating func insert(_ peer: Peer) {
        var peer = peer
        lastUse += 1
        peer.lastUse = lastUse
        peers[peer.identifier] = peer
        addresses[peer.address] = peer.identifier
        if let identity = peer.identity { identities[identity] = peer.identifier }
        if peer.isKnown { knownCount += 1 }
    }

    private mutating func remove(_ id: PeerIdentifier) {
        guard let peer = peers.removeValue(forKey: id) else { return }
        if addresses[peer.address] == id { addresses[peer.address] = nil }
        if let identity = peer.identity, identities[identity] == id { identities[identity] = nil }
        if peer.isKnown {
            knownCount -= 1
            isChanged = true
        }
    }

    private mutating func change(_ id: PeerIdentifier, _ body: (inout Peer) -> Void) {
        guard let before = peers[id] else { return }
        var peer = before
        body(&peer)
        if peer.address != before.address {
            if addresses[before.address] == id { addresses[before.address] = nil }
            // Whoever had it before is known by it no longer.
            addresses[peer.address] = id
        }
        if peer.identity != before.identity {
            if let identity = before.identity, identities[identity] == id {
                identities[identity] = nil
            }
            if let identity = peer.identity { identities[identity] = id }
        }
        if peer.isKnown,
            peer.address != before.address || peer.identity != before.identity
                || peer.name != before.name || peer.offersANCS != before.offersANCS
        {
            isChanged = true
        }
        peers[id] = peer
    }

    private mutating func setKnown(_ id: PeerIdentifier) {
        guard let peer = peers[id], !peer.isKnown else { return }
        peers[id]?.isKnown = true
        knownCount += 1
        isChanged = true
        guard knownCount > KnownPeer.limit else { return }
        let oldest = peers.values.lazy
            .filter { $0.isKnown && !$0.isBonded && !$0.isNeeded && $0.identifier != id }
            .min { $0.lastUse < $1.lastUse }
        if let oldest { remove(oldest.identifier) }
    }

    private mutating func makeRoomForStrangers(besides id: PeerIdentifier) {
        guard peers.count - knownCount > Self.strangerLimit else { return }
        let oldest = peers.values.lazy
            .filter { !$0.isKnown && !$0.isNeeded && $0.identifier != id }
            .min { $0.lastUse < $1.lastUse }
        if let oldest { remove(oldest.identifier) }
    }
}
