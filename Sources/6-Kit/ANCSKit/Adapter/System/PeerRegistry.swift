internal import LinuxIO
internal import OpenSSLSecurity

/// Identifies peers, whatever addresses they use.
///
/// A peer is recognized by its identity, which its keys prove, or else by its last address. When a bond is
/// removed, the address decides: a peer that uses its identity address, or has not changed its private one,
/// keeps its identifier; any other is an unknown device from then on.
///
/// Pairing may show that an unknown device with a link is a peer that was known before. Both are then one
/// peer, with the key of the link and the identifier that was known before; the other key becomes an alias.
struct PeerRegistry {
    /// A peer that was seen.
    struct Peer: Equatable, Sendable {
        let key: PeerKey
        /// Its public identifier, which is stored; that of a known peer if it turns out to be one.
        var identifier: PeerIdentifier
        /// Its current or last address on air.
        var address: DeviceAddress
        /// Its identity address; `nil` if it is not bonded.
        var identity: DeviceAddress?
        var name: String?
        /// Whether the name is shortened.
        var isNameShortened = false
        /// Whether it was ever bonded or connected: then it is stored.
        var isKnown = false
        /// Whether it has offered ANCS since it was bonded.
        var offersANCS = false
        /// When its connectable advertising was last received.
        var heardAt: MonotonicInstant?
        /// Whether it has a link or is being connected to: then it is not dropped.
        var isNeeded = false
        /// A counter value of its last use.
        var lastUse: UInt64 = 0

        var isBonded: Bool { identity != nil }

        /// Sets the name. A shortened name is ignored if it is the start of the known one.
        mutating func setName(_ name: String, isShortened: Bool) {
            guard name.utf8.count <= PeerRegistry.nameLimit else { return }
            if isShortened, let known = self.name, known.utf8.starts(with: name.utf8) { return }
            self.name = name
            isNameShortened = isShortened
        }
    }

    /// The longest Device Name in octets. Core Vol 3, Part C, 12.1.
    private static var nameLimit: Int { 248 }

    private var peers: [PeerKey: Peer] = [:]
    private var addresses: [DeviceAddress: PeerKey] = [:]
    private var identities: [DeviceAddress: PeerKey] = [:]
    private var aliases = PeerAliases()
    private var lastKey: UInt64 = 0
    private var knownCount = 0
    /// The identities of ``bondsChanged(to:)``; `nil` before the first call.
    private var bonded: [DeviceAddress]?
    private var lastUse: UInt64 = 0
    private var toolbox: OpenSSLToolbox
    /// Whether the stored data have changed since they were last stored.
    private(set) var isChanged = false

    /// How many peers that were only seen are remembered.
    private let maximumStrangers: Int

    /// A registry of stored peers, in the order of their last use.
    init(_ known: [KnownPeer], maximumStrangers: Int = 1024, toolbox: OpenSSLToolbox) {
        self.toolbox = toolbox
        self.maximumStrangers = maximumStrangers
        for peer in known where addresses[peer.address] == nil && self[peer.identifier] == nil {
            if let identity = peer.identity, identities[identity] != nil { continue }
            insert(
                Peer(
                    key: makeKey(), identifier: peer.identifier, address: peer.address,
                    identity: peer.identity, name: peer.name, isKnown: true,
                    offersANCS: peer.offersANCS && peer.identity != nil))
        }
    }

    subscript(key: PeerKey) -> Peer? { peers[canonical(key)] }

    /// The peer with a public identifier. There is no index, because only users look one up.
    subscript(identifier: PeerIdentifier) -> Peer? {
        peers.values.first { $0.identifier == identifier }
    }

    /// The key that the state of a peer is stored by, which resolves aliases.
    func canonical(_ key: PeerKey) -> PeerKey { aliases[key] }

    /// The bonded peer with an identity; `nil` if there is none.
    func peer(withIdentity identity: DeviceAddress) -> Peer? {
        identities[identity].flatMap { peers[$0] }
    }

    /// Whether there is a peer with this address or identity.
    func knows(_ address: DeviceAddress, _ identity: DeviceAddress?) -> Bool {
        identity != nil || addresses[address] != nil
    }

    /// The peer whose last address this is; `nil` if there is none.
    func peer(withAddress address: DeviceAddress) -> PeerKey? { addresses[address] }

    /// The number of peers.
    var count: Int { peers.count }

    // MARK: What is heard of peers

    /// Advertising was received. Its name is complete unless marked as shortened.
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

    /// A link was established.
    mutating func connected(_ address: DeviceAddress, identity: DeviceAddress?) -> PeerKey {
        let key = key(of: address, identity: identity)
        setKnown(key)
        return key
    }

    /// A link was established with an address of a bonded peer that another device also claims to be: it
    /// counts as an unknown device.
    mutating func claimed(_ address: DeviceAddress) -> PeerKey { insertStranger(address) }

    /// Pairing revealed the identity of a peer. If another peer has had that identity, both become one, which
    /// is returned. Nowhere else do two keys become one.
    mutating func identify(_ key: PeerKey, as identity: DeviceAddress) -> PeerMerger? {
        guard let peer = peers[key] else { return nil }
        let other = identities[identity] ?? addresses[identity]
        guard let other, other != key, let known = peers[other] else {
            change(key) { $0.identity = identity }
            setKnown(key)
            return nil
        }
        remove(other)
        aliases.add(other, of: key)
        change(key) { merged in
            merged = known.merged(with: peer)
            merged.identity = identity
        }
        setKnown(key)
        return PeerMerger(other: other, formerIdentifier: peer.identifier)
    }

    /// Sets the identities of all bonds.
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

    /// Sets whether a peer has a link or is being connected to.
    mutating func setNeeded(_ key: PeerKey, _ isNeeded: Bool) {
        peers[canonical(key)]?.isNeeded = isNeeded
    }

    /// A bonded peer has offered ANCS, or has new keys and has yet to offer it.
    mutating func setOffersANCS(_ offersANCS: Bool, of key: PeerKey) {
        change(key) { $0.offersANCS = offersANCS && $0.isBonded }
    }

    /// The bonded peers, in the order of the last use of their bonds, the most recent one last.
    var bondedPeers: [Peer] { (bonded ?? []).compactMap { peer(withIdentity: $0) } }

    /// The bonded peers that have offered ANCS.
    var bondedPhones: [PeerIdentifier] { bondedPeers.filter(\.offersANCS).map(\.identifier) }

    /// A peer has a new name.
    mutating func setName(_ name: String, of key: PeerKey) {
        change(key) { $0.setName(name, isShortened: false) }
    }

    // MARK: Storage

    /// The peers to store, in the order of their last use.
    mutating func takeKnown() -> [KnownPeer] {
        isChanged = false
        return peers.values.filter(\.isKnown).sorted(byNumber: \.lastUse).map { peer in
            KnownPeer(
                identifier: peer.identifier, address: peer.address, identity: peer.identity,
                name: peer.name, offersANCS: peer.offersANCS)
        }
    }
}

// MARK: - The tables

extension PeerRegistry {
    /// The key of the peer with an identity or, failing that, an address; a new key if there is none.
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
        // Another bonded peer may have had this private address; this is not that one.
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
        replace(before, by: peer, at: key)
    }

    /// Not inlined: otherwise it is compiled again for each change.
    @inline(never) private mutating func replace(_ before: Peer, by peer: Peer, at key: PeerKey) {
        if peer.address != before.address {
            if addresses[before.address] == key { addresses[before.address] = nil }
            // The address no longer identifies the peer that had it before.
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
        removeOldest(besides: key) { $0.isKnown && !$0.isBonded }
    }

    private mutating func makeRoomForStrangers(besides key: PeerKey) {
        guard peers.count - knownCount > maximumStrangers else { return }
        removeOldest(besides: key) { !$0.isKnown }
    }

    /// Forgets the peer of this kind that was used longest ago, if nothing needs it.
    private mutating func removeOldest(besides key: PeerKey, _ isMeant: (Peer) -> Bool) {
        var oldest: Peer?
        for peer in peers.values where !peer.isNeeded && peer.key != key && isMeant(peer) {
            if peer.lastUse < oldest?.lastUse ?? .max { oldest = peer }
        }
        if let oldest { remove(oldest.key) }
    }
}

extension PeerRegistry.Peer {
    /// Combines what is known of a peer with the unknown device whose link it has.
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

    /// Whether the same data are stored for both.
    fileprivate func isStoredLike(_ other: PeerRegistry.Peer) -> Bool {
        identifier == other.identifier && address == other.address && identity == other.identity
            && name == other.name && offersANCS == other.offersANCS
    }
}
