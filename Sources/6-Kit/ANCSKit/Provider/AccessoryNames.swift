/// The identifiers of accessories in this run, and the peers of the system that they stand for.
struct AccessoryNames {
    /// How many are remembered.
    private static var limit: Int { 1024 }

    /// The one that was seen last is at the end.
    private var order: [AccessoryID] = []
    private var peers: [AccessoryID: PeerKey] = [:]
    private var accessories: [PeerKey: AccessoryID] = [:]
    private var lastID: UInt64 = 0

    /// The peer of an accessory.
    subscript(accessory: AccessoryID) -> PeerKey? { peers[accessory] }

    /// The accessory of a peer; `nil` if it has none yet.
    subscript(peer: PeerKey) -> AccessoryID? { accessories[peer] }

    /// The accessory of a peer, which is new if the peer has none yet.
    mutating func accessory(for peer: PeerKey) -> AccessoryID {
        if let known = accessories[peer] {
            if order.last != known {
                order.removeAll { $0 == known }
                order.append(known)
            }
            return known
        }
        lastID += 1
        let accessory = AccessoryID(rawValue: lastID)
        order.append(accessory)
        peers[accessory] = peer
        accessories[peer] = accessory
        return accessory
    }

    /// A peer turned out to be another one that has an identifier: its own identifier is no longer valid, and
    /// returned.
    mutating func forget(_ peer: PeerKey) -> AccessoryID? {
        let accessory = accessories[peer]
        if let accessory { forget(accessory) }
        return accessory
    }

    /// If there are too many, drops those that were seen longest ago and may be dropped.
    mutating func prune(keeping isNeeded: (AccessoryID, PeerKey) -> Bool) -> AccessoryID? {
        guard order.count > Self.limit else { return nil }
        let oldest = order.first { accessory in
            peers[accessory].map { !isNeeded(accessory, $0) } ?? true
        }
        if let oldest { forget(oldest) }
        return oldest
    }

    private mutating func forget(_ accessory: AccessoryID) {
        order.removeAll { $0 == accessory }
        guard let peer = peers.removeValue(forKey: accessory) else { return }
        if accessories[peer] == accessory { accessories[peer] = nil }
    }
}
