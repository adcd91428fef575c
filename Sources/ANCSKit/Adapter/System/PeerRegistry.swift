internal import BluetoothLE
internal import Octets

/// Who is who: peers by their keys, whatever addresses they use.
///
/// A peer is recognised by its identity, which its keys prove, or else by the address that it was last on
/// air with. Forgetting a bond leaves the identifier to the address: one that has its identity address on
/// air, or has not changed its private one, keeps it, and any other one is a stranger from then on.
///
/// Pairing may show that a stranger, who has the link, is a peer that was known before: then both are one
/// peer, which has the key of the link and the identifier by which it was known. The other key stays a name
/// of it.
struct PeerRegistry {
    /// A peer that was heard of.
    struct Peer: Hashable, Sendable {
        let key: PeerKey
        /// What it is called outside, and in the next run: that of a peer that it turns out to be.
        var identifier: PeerIdentifier
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

    /// How many that were only heard are remembered, and how many keys that are not a peer's own any more.
    private static var strangerLimit: Int { 1024 }
    /// The longest name that a device may have, in octets. Core Vol 3, Part C, 12.1.
    private static var nameLimit: Int { 248 }

    /// What pairing showed: that a stranger is a peer that was known by another key.
    struct Merger: Hashable, Sendable {
        /// The other key, which stands for the peer as well from now on.
        var other: PeerKey
        /// The identifier that the peer has no longer.
        var formerIdentifier: PeerIdentifier
    }

    private var peers: [PeerKey: Peer] = [:]
    private var addresses: [DeviceAddress: PeerKey] = [:]
    private var identities: [DeviceAddress: PeerKey] = [:]
    /// The keys of peers that turned out to be others; the oldest ones are dropped.
    private var aliases: [PeerKey: PeerKey] = [:]
    private var lastKey: UInt64 = 0
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
        for peer in known
        where addresses[peer.address] == nil && self[peer.identifier] == nil {
            if let identity = peer.identity, identities[identity] != nil { continue }
            insert(
                Peer(
                    key: makeKey(), identifier: peer.identifier, address: peer.address,
                    identity: peer.identity,
                    name: peer.name, isKnown: true,
                    offersANCS: peer.offersANCS && peer.identity != nil))
        }
    }

    subscript(key: PeerKey) -> Peer? { peers[canonical(key)] }

    /// The peer that is called so outside. Only users ask that: there is no table for it.
    subscript(identifier: PeerIdentifier) -> Peer? {
        peers.values.first { $0.identifier == identifier }
    }

    /// The key by which everything of a peer is kept: its own, unless it turned out to be another one.
    func canonical(_ key: PeerKey) -> PeerKey {
        aliases.isEmpty ? key : aliases[key] ?? key
    }

    /// The bonded peer with an identity.
    func peer(withIdentity identity: DeviceAddress) -> Peer? {
        identities[identity].flatMap { peers[$0] }
    }

    /// The peer that was last on air with an address.
    func peer(withAddress address: DeviceAddress) -> PeerKey? { addresses[address] }

    /// How many peers are remembered.
    var count: Int { peers.count }

    // MARK: What is heard of peers

    /// An advertiser was heard. Its name is the whole one unless it is said to be shortened.
    mutating func heard(
        _ address: DeviceAddress, identity: DeviceAddress?, name: String?,
        isNameShortened: Bool = false, isConnectable: Bool, at now: MonotonicInstant
    ) -> PeerKey {
        let key = key(of: address, identity: identity)
        change(key) { peer in
            if let name { peer.setName(name, isShortened: isNameShortened) }
            if isConnectable { peer.heardAt = now }
        }
        return key
    }

    /// A link was made.
    mutating func connected(_ address: DeviceAddress, identity: DeviceAddress?) -> PeerKey {
        let key = key(of: address, identity: identity)
        setKnown(key)
        return key
    }

    /// A link was made under an address of a bonded peer that another one claims to be as well: a stranger,
    /// whatever it is on air with.
    mutating func claimed(_ address: DeviceAddress) -> PeerKey {
        insertStranger(address)
    }

    /// Pairing told the identity of a peer. Where another one has had that identity all along, both are one
    /// from now on, which is returned; here, and nowhere else, two keys become one.
    mutating func identify(_ key: PeerKey, as identity: DeviceAddress) -> Merger? {
        guard let peer = peers[key] else { return nil }
        let other = identities[identity] ?? addresses[identity]
        guard let other, other != key, let known = peers[other] else {
            change(key) { $0.identity = identity }
            setKnown(key)
            return nil
        }
        remove(other)
        makeAlias(other, of: key)
        change(key) { merged in
            merged = known.merged(with: peer)
            merged.identity = identity
        }
        setKnown(key)
        return Merger(other: other, formerIdentifier: peer.identifier)
    }

    private mutating func makeAlias(_ alias: PeerKey, of key: PeerKey) {
        for (earlier, target) in aliases where target == alias { aliases[earlier] = key }
        aliases[alias] = key
        guard aliases.count > Self.strangerLimit else { return }
        if let oldest = aliases.keys.min(by: { $0.rawValue < $1.rawValue }) {
            aliases[oldest] = nil
        }
    }

    /// Whom this device is bonded with from now on.
    mutating func bondsChanged(to bonded: [DeviceAddress]) {
        guard self.bonded != bonded else { return }
        self.bonded = bonded
        for peer in peers.values {
            guard let identity = peer.identity, !bonded.contains(identity) else { continue }
            change(peer.key) {
                $0.identity = nil
                $0.offersANCS = false
            }
        }
        for identity in bonded where identities[identity] == nil {
            let key = key(of: identity, identity: identity)
            setKnown(key)
        }
    }

    /// Whether a peer has a link or is waited for.
    mutating func setNeeded(_ key: PeerKey, _ isNeeded: Bool) {
        peers[canonical(key)]?.isNeeded = isNeeded
    }

    /// A bonded peer has offered ANCS, or has new keys and has yet to offer it.
    mutating func setOffersANCS(_ offersANCS: Bool, of key: PeerKey) {
        change(key) { $0.offersANCS = offersANCS && $0.isBonded }
    }

    /// The bonded peers, the one whose bond was used last at the end.
    var bondedPeers: [Peer] { (bonded ?? []).compactMap { peer(withIdentity: $0) } }

    /// The bonded peers that have offered ANCS.
    var bondedPhones: [PeerIdentifier] {
        bondedPeers.filter(\.offersANCS).map(\.identifier)
    }

    /// A peer has another name.
    mutating func setName(_ name: String, of key: PeerKey) {
        change(key) { $0.setName(name, isShortened: false) }
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
    private mutating func key(of address: DeviceAddress, identity: DeviceAddress?) -> PeerKey {
        lastUse += 1
        let use = lastUse
        if let key = known(address, identity) {
            change(key) { peer in
                peer.address = address
                peer.identity = identity ?? peer.identity
                peer.lastUse = use
            }
            return key
        }
        return insertStranger(address, identity: identity)
    }

    private mutating func makeKey() -> PeerKey {
        lastKey += 1
        return PeerKey(rawValue: lastKey)
    }

    private mutating func insertStranger(
        _ address: DeviceAddress, identity: DeviceAddress? = nil
    ) -> PeerKey {
        let peer = Peer(
            key: makeKey(), identifier: PeerIdentifier(random: toolbox.random128()),
            address: address, identity: identity)
        insert(peer)
        makeRoomForStrangers(besides: peer.key)
        return peer.key
    }

    private func known(_ address: DeviceAddress, _ identity: DeviceAddress?) -> PeerKey? {
        guard let identity else { return addresses[address] }
        if let key = identities[identity] { return key }
        // Another bonded peer may have had this private address: it is not that one.
        return [addresses[identity], addresses[address]].lazy.compactMap(\.self).first { key in
            peers[key]?.identity == nil
        }
    }

    private mutating func insert(_ peer: Peer) {
        var peer = peer
        lastUse += 1
        peer.lastUse = lastUse
        peers[peer.key] = peer
        addresses[peer.address] = peer.key
        if let identity = peer.identity { identities[identity] = peer.key }
        if peer.isKnown { knownCount += 1 }
    }

    private mutating func remove(_ key: PeerKey) {
        guard let peer = peers.removeValue(forKey: key) else { return }
        if addresses[peer.address] == key { addresses[peer.address] = nil }
        if let identity = peer.identity, identities[identity] == key { identities[identity] = nil }
        if peer.isKnown {
            knownCount -= 1
            isChanged = true
        }
    }

    private mutating func change(_ key: PeerKey, _ body: (inout Peer) -> Void) {
        let key = canonical(key)
        guard let before = peers[key] else { return }
        var peer = before
        body(&peer)
        if peer.address != before.address {
            if addresses[before.address] == key { addresses[before.address] = nil }
            // Whoever had it before is known by it no longer.
            addresses[peer.address] = key
        }
        if peer.identity != before.identity {
            if let identity = before.identity, identities[identity] == key {
                identities[identity] = nil
            }
            if let identity = peer.identity { identities[identity] = key }
        }
        if peer.isKnown, !peer.isStoredLike(before) { isChanged = true }
        peers[key] = peer
    }

    private mutating func setKnown(_ key: PeerKey) {
        guard let peer = peers[key], !peer.isKnown else { return }
        peers[key]?.isKnown = true
        knownCount += 1
        isChanged = true
        guard knownCount > KnownPeer.limit else { return }
        let oldest = peers.values.lazy
            .filter { $0.isKnown && !$0.isBonded && !$0.isNeeded && $0.key != key }
            .min { $0.lastUse < $1.lastUse }
        if let oldest { remove(oldest.key) }
    }

    private mutating func makeRoomForStrangers(besides key: PeerKey) {
        guard peers.count - knownCount > Self.strangerLimit else { return }
        let oldest = peers.values.lazy
            .filter { !$0.isKnown && !$0.isNeeded && $0.key != key }
            .min { $0.lastUse < $1.lastUse }
        if let oldest { remove(oldest.key) }
    }
}

extension PeerRegistry.Peer {
    /// What is known of a peer that was known before, and of the stranger that it has the link as.
    fileprivate func merged(with stranger: PeerRegistry.Peer) -> PeerRegistry.Peer {
        var merged = stranger
        merged.identifier = identifier
        merged.name = name
        merged.isNameShortened = isNameShortened
        if let heard = stranger.name {
            merged.setName(heard, isShortened: stranger.isNameShortened)
        }
        merged.offersANCS = offersANCS
        merged.isNeeded = isNeeded || stranger.isNeeded
        return merged
    }

    /// Whether the same is to be stored of it.
    fileprivate func isStoredLike(_ other: PeerRegistry.Peer) -> Bool {
        identifier == other.identifier && address == other.address && identity == other.identity
            && name == other.name && offersANCS == other.offersANCS
    }
}
