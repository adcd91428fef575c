/// Names a peer within one ``BluetoothSystem``, for as long as that runs: what state of a peer is kept
/// by. Its ``PeerIdentifier`` and its addresses are attributes of it, which change.
///
/// Counted from 1 in the order in which peers are heard of, and never given twice. Where pairing shows that
/// two of them are one peer, ``PeerRegistry`` makes the earlier one another name of the one that has the
/// link, so that what is kept by either stays what it is.
struct PeerKey: Hashable, Sendable {
    let rawValue: UInt64
}
