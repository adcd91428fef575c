internal import BlueZ

/// The peers, by their identifiers, their objects and their addresses. A peer that nobody uses is kept for a while
/// after its object has gone, so that a client can still connect to what it has discovered.
struct PeerBook: ~Copyable, Sendable {
    /// How many identifiers of earlier runs are kept.
    static let maximumKnownPeers = 1_024

    private(set) var peers: [PeerKey: RemotePeer] = [:]
    /// What is so for all peers.
    var terms = RemotePeer.Terms() {
        didSet {
            let terms = terms
            guard terms != oldValue else { return }
            for id in peers.keys { update(id) { $0.terms = terms } }
        }
    }
    /// Where the peer is that was changed last, until one comes or goes: each request changes its peer many times.
    private var recent: (id: PeerKey, index: Dictionary<PeerKey, RemotePeer>.Index)?
    private var byPath: [ObjectPath: PeerKey] = [:]
    private var byAddress: [DeviceAddress: PeerKey] = [:]
    private var byIdentifier: [PeerIdentifier: PeerKey] = [:]
    /// The peers of earlier runs that were not seen in this one.
    private var known: [DeviceAddress: PeerIdentifier] = [:]
    /// The peers without an object, in the order in which they lost it.
    private var absent: [PeerKey] = []
    /// The keys that peers had before pairing revealed who they are.
    private(set) var aliases = PeerAliases()
    private let maximumAbsent: Int
    private var lastID: UInt64 = 0
    private let identifiers: BlueZSystem.Identifiers

    init(
        known: [BlueZPeerStore.Entry], maximumAbsent: Int,
        identifiers: @escaping BlueZSystem.Identifiers
    ) {
        self.maximumAbsent = maximumAbsent
        self.identifiers = identifiers
        for peer in known.suffix(Self.maximumKnownPeers) {
            self.known[peer.address] = peer.identifier
        }
    }

    // MARK: Finding

    /// A peer, by a key that it has or had.
    subscript(peer: PeerKey) -> RemotePeer? { peers[aliases[peer]] }

    func id(at path: ObjectPath) -> PeerKey? { byPath[path] }
    func id(_ identifier: PeerIdentifier) -> PeerKey? { byIdentifier[identifier] }
    func id(_ address: DeviceAddress) -> PeerKey? { byAddress[address] }

    /// Changes a peer in its place, or reads from it there: a copy is expensive. `nil` if it is not known.
    @discardableResult
    mutating func update<Value>(_ id: PeerKey, _ body: (inout RemotePeer) -> Value) -> Value? {
        if recent?.id != id { recent = peers.index(forKey: id).map { (id, $0) } }
        guard let recent else { return nil }
        return body(&peers.values[recent.index])
    }

    private mutating func remove(_ id: PeerKey) -> RemotePeer? {
        recent = nil
        return peers.removeValue(forKey: id)
    }

    // MARK: Coming and going

    /// The peer of an object that has appeared: the one with its address, or a new one. `nil` if there are too many.
    mutating func appeared(at path: ObjectPath, _ address: DeviceAddress) -> PeerKey? {
        if let id = byPath[path] { return id }
        guard byPath.count < ObjectTree.limit else { return nil }
        let id: PeerKey
        if let other = byAddress[address], peers[other]?.path == nil {
            id = other
        } else {
            id = make(address)
        }
        absent.removeAll { $0 == id }
        byPath[path] = id
        update(id) { $0.path = path }
        return id
    }

    /// The peer of an earlier run with an identifier, which becomes one of this run.
    mutating func recall(_ identifier: PeerIdentifier) -> PeerKey? {
        known.first { $0.value == identifier }.flatMap { recall($0.key) }
    }

    /// The peer of an earlier run with an address, which becomes one of this run.
    mutating func recall(_ address: DeviceAddress) -> PeerKey? {
        guard known[address] != nil else { return nil }
        let id = make(address)
        absent.append(id)
        return id
    }

    private mutating func make(_ address: DeviceAddress) -> PeerKey {
        lastID += 1
        let id = PeerKey(rawValue: lastID)
        let remembered = known.removeValue(forKey: address)
        var peer = RemotePeer(
            id, identifier: remembered ?? makeIdentifier(of: address), address: address, terms)
        peer.isRemembered = remembered != nil
        byIdentifier[peer.identifier] = id
        if byAddress[address] == nil { byAddress[address] = id }
        recent = nil
        peers[id] = peer
        return id
    }

    /// Of two peers with one address each has its own. None gets that of a peer of an earlier run, which may have been
    /// made of the private address that it had before it was paired.
    private func makeIdentifier(of address: DeviceAddress) -> PeerIdentifier {
        var identifier: PeerIdentifier
        var attempt: UInt8 = 0
        repeat {
            identifier = PeerIdentifier(random: identifiers(address, attempt))
            attempt &+= 1
        } while attempt != 0
            && (byIdentifier[identifier] != nil || known.values.contains(identifier))
        return identifier
    }

    /// The object of a peer has gone. Returns the peers that are forgotten for it.
    mutating func vanished(_ id: PeerKey, at path: ObjectPath) -> [PeerKey] {
        guard byPath[path] == id else { return [] }
        byPath[path] = nil
        absent.removeAll { $0 == id }
        absent.append(id)
        return trim()
    }

    /// All objects have gone.
    mutating func allVanished() -> [PeerKey] {
        for id in byPath.values.sorted(byNumber: \.rawValue) where !absent.contains(id) {
            absent.append(id)
        }
        byPath = [:]
        return trim()
    }

    /// Forgets the peers that were away longest, if there are too many. Those that a client uses stay.
    private mutating func trim() -> [PeerKey] {
        var excess = absent.count - maximumAbsent
        guard excess > 0 else { return [] }
        var forgotten: [PeerKey] = []
        for id in absent where excess > 0 && peers[id]?.isIdle ?? true {
            excess -= 1
            forgotten.append(id)
        }
        for id in forgotten { forget(id) }
        absent.removeAll { forgotten.contains($0) }
        return forgotten
    }

    private mutating func forget(_ id: PeerKey) {
        guard let peer = remove(id) else { return }
        if byIdentifier[peer.identifier] == id { byIdentifier[peer.identifier] = nil }
        if byAddress[peer.address] == id { byAddress[peer.address] = nil }
        if peer.isRemembered, known.count < Self.maximumKnownPeers {
            known[peer.address] = peer.identifier
        }
    }

    // MARK: Identity

    /// The address of a peer is another one: pairing has revealed its identity. The peer that had that address is
    /// forgotten, and this one takes over its identifier.
    mutating func identified(_ id: PeerKey, as address: DeviceAddress) {
        guard let old = peers[id]?.address, old != address, let own = peers[id]?.identifier
        else { return }
        if byAddress[old] == id { byAddress[old] = nil }
        update(id) { $0.address = address }
        let other = byAddress[address].flatMap { peers[$0] }
        byAddress[address] = id
        guard let other else { return }
        if let path = other.path, byPath[path] == other.id { byPath[path] = nil }
        absent.removeAll { $0 == other.id }
        _ = remove(other.id)
        aliases.add(other.id, of: id)
        if byIdentifier[own] == id { byIdentifier[own] = nil }
        byIdentifier[other.identifier] = id
        update(id) { peer in
            peer.identifier = other.identifier
            peer.isRemembered = other.isRemembered
        }
    }
}
