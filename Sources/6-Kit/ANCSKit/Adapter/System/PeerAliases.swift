/// Keys of peers that turned out to be other ones; the oldest are dropped.
struct PeerAliases {
    /// Each took a pairing.
    private static var limit: Int { 1024 }

    private var keys: [PeerKey: PeerKey] = [:]

    /// The key that the state of a peer is stored by.
    subscript(key: PeerKey) -> PeerKey { keys.isEmpty ? key : keys[key] ?? key }

    mutating func add(_ alias: PeerKey, of key: PeerKey) {
        for (earlier, target) in keys where target == alias { keys[earlier] = key }
        keys[alias] = key
        guard keys.count > Self.limit, let oldest = keys.keys.min() else { return }
        keys[oldest] = nil
    }
}
