internal import BluetoothLE

/// A link of a ``BluetoothSystem``, and the clients that use it.
///
/// A class, so that a reference stays valid while other links come and go; it is never passed outside the
/// system.
final class SystemLink {
    let handle: ConnectionHandle
    /// Does not change when pairing reveals the identity of the peer.
    let peer: PeerKey
    var description: LinkDescription
    /// The clients that requested it.
    var users: Set<ClientID> = []
    /// The system's own reasons to keep it.
    var reasons: Set<SystemReason> = []
    /// Whether it only exists until the controller has ended it; clients know nothing of it any more.
    var isRefused = false
    /// As Peripheral, whether the Central was asked to protect it. This is done only once: a Central that
    /// refuses is not asked again at every attribute.
    var hasRequestedSecurity = false
    /// Whether trouble with the keys of its bond was noted.
    var hasKeyTrouble = false
    /// The identity that the peer has proven with its keys.
    var provenIdentity: DeviceAddress?
    /// The failure in the last report, if the user was not asked since.
    var lastFailure: SecurityFailure?
    /// The protection in the last report.
    var security = LinkSecurity.none
    /// The requests of clients to the peer.
    var requests = PeerRequests()

    init(handle: ConnectionHandle, peer: PeerKey, description: LinkDescription) {
        (self.handle, self.peer, self.description) = (handle, peer, description)
    }

    /// Whether this device established it, so that it needs a user or a reason.
    var isOurs: Bool { description.role == .central }

    /// Whether it may stay.
    var isWanted: Bool { !isOurs || !users.isEmpty || !reasons.isEmpty }
}
