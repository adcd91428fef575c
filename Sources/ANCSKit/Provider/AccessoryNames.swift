/// Which peer of the system is called which accessory in this run.
struct AccessoryNames {
    /// How many are remembered.
    private static var limit: Int { 1024 }

    /// The one that was heard of last at the end.
    private var order: [AccessoryID] = []
    private var peers: [AccessoryID: PeerIdentifier] = [:]
    private var accessories: [PeerIdentifier: AccessoryID] = [:]
    private var lastID: UInt64 = 0

    /// The peer that an accessory is.
    subscript(accessory: AccessoryID) -> PeerIdentifier? { peers[accessory] }

    /// The accessory that a peer is, where it has been heard of.
    subscript(peer: PeerIdentifier) -> AccessoryID? { accessories[peer] }

    /// The accessory that a peer is, from now on, where it has not been heard of.
    mutating func accessory(for peer: PeerIdentifier) -> AccessoryID {
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

    /// A peer turned out to be another one: it keeps its name for the run, and what the other one was
    /// called means nothing any more.
    mutating func identified(
        _ peer: PeerIdentifier, as known: PeerIdentifier
    ) -> AccessoryID? {
        guard let accessory = accessories.removeValue(forKey: peer) else { return nil }
        let earlier = accessories[known]
        if let earlier { forget(earlier) }
        peers[accessory] = known
        accessories[known] = accessory
        return earlier
    }

    /// Forgets who was heard of longest ago and may be forgotten, where there are too many.
    mutating func prune(
        keeping isNeeded: (AccessoryID, PeerIdentifier) -> Bool
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
