/// Identifies a peer within one ``CentralSystem`` while that runs; all state of a peer is stored by it. The
/// `PeerIdentifier` and the addresses of a peer can change.
///
/// Keys are counted from 1 in the order in which peers are first seen, and never reused. If pairing shows
/// that two of them are one peer, ``PeerRegistry`` makes the earlier one an alias of the one that has the
/// link, so that state stored by either remains valid.
struct PeerKey: Hashable, Sendable {
    let rawValue: UInt64
}

/// The result of pairing: an unknown device is a peer that was known by another key.
struct PeerMerger: Equatable, Sendable {
    /// The other key, now an alias of the peer.
    var other: PeerKey
    /// The identifier that is no longer valid.
    var formerIdentifier: PeerIdentifier
}
