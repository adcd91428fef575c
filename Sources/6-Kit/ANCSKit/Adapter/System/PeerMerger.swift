/// The result of pairing: an unknown device is a peer that was known by another key. ``PeerRegistry`` makes the earlier
/// key an alias of the one that has the link, so that state stored by either remains valid.
struct PeerMerger: Equatable, Sendable {
    /// The other key, now an alias of the peer.
    var other: PeerKey
    /// The identifier that is no longer valid.
    var formerIdentifier: PeerIdentifier
}
