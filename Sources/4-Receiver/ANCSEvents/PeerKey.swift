/// Identifies a peer within one system while that runs; all state of a peer is stored by it. The `PeerIdentifier` and the
/// addresses of a peer can change.
///
/// Keys are counted from 1 in the order in which peers are first seen, and never reused.
package struct PeerKey: Hashable, Comparable, Sendable {
    package let rawValue: UInt64

    package init(rawValue: UInt64) { self.rawValue = rawValue }

    package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}
