internal import BluetoothLE

/// A link of a ``BluetoothSystem``, and the clients that want it.
///
/// A class, so that one that was found stays the same whatever happens to the others; it never leaves the
/// system that owns it.
final class SystemLink {
    let handle: ConnectionHandle
    /// Stays what it is when pairing reveals who the peer is.
    let peer: PeerKey
    var description: LinkDescription
    /// The clients that asked for it.
    var users: Set<ClientID> = []
    /// Why the system keeps it.
    var reasons: Set<SystemReason> = []
    /// It stands only until the controller has ended it: nothing is told of it any more.
    var isRefused = false
    /// As Peripheral, the Central was asked to protect it, which is done once: one that does not want to is
    /// not asked at every attribute.
    var hasRequestedSecurity = false
    /// How it was protected when that was told last.
    var security = LinkSecurity.none
    /// What clients want of the peer.
    var requests = PeerRequests()

    init(handle: ConnectionHandle, peer: PeerKey, description: LinkDescription) {
        self.handle = handle
        self.peer = peer
        self.description = description
    }

    /// Whether this device made it, so that something has to want it.
    var isOurs: Bool { description.role == .central }

    /// Whether anything wants it.
    var isWanted: Bool { !isOurs || !users.isEmpty || !reasons.isEmpty }
}
