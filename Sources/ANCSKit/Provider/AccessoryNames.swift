/// Which peer of the system is called which accessory in this run.
struct AccessoryNames {
    /// How many are remembered.
    private static var limit: Int { 1024 }

    /// The one that was heard of last at the end.
    private var order: [AccessoryID] = []
    private var peers: [AccessoryID: PeerKey] = [:]
    private var accessories: [PeerKey: AccessoryID] = [:]
    private var lastID: UInt64 = 0

    /// The peer that an accessory is.
    subscript(accessory: AccessoryID) -> PeerKey? { peers[accessory] }

    /// The accessory that a peer is, where it has been heard of.
    subscript(peer: PeerKey) -> AccessoryID? { accessories[peer] }

    /// The accessory that a peer is, from now on, where it has not been heard of.
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

    /// A peer turned out to be another one that has a name for the run: what it was called means nothing
    /// any more.
    mutating func forget(_ peer: PeerKey) -> AccessoryID? {
        let accessory = accessories[peer]
        if let accessory { forget(accessory) }
        return accessory
    }

    /// Forgets who was heard of longest ago and may be forgotten, where there are too many.
    mutating func prune(
        keeping isNeeded: (AccessoryID, PeerKey) -> Bool
    ) -> AccessoryID? {
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
