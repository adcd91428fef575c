/// What happened to the link of a peripheral, which any program may use.
@frozen public enum CBConnectionEvent: Int, Sendable {
    /// The link ended.
    case peerDisconnected = 0
    /// There is a link.
    case peerConnected = 1
}
