internal import Octets

/// Everything that belongs to one link; goes away with it.
///
/// A class, because a collection of noncopyable machines does not exist in Swift 6.3; it never leaves
/// the ``Host`` that owns it.
final class HostConnection {
    let handle: ConnectionHandle
    var description: LinkDescription
    var reassembler = L2CAPReassembler()
    var signalling: LESignalling
    var security: SecurityManager
    var bearer: ATTBearer
    /// What the reassembler dropped; a sign of a broken controller or a hostile peer.
    var droppedPDUs = 0
    var life = Life.up
    var trust = Trust.none
    /// The controller was given the key of the stored bond, and not that of a new pairing.
    var usesBondKey = false
    /// The controller was asked how strong the peer is heard, and has not answered.
    var isReadingRSSI = false
    /// So much waited that the owner has to be told when there is room.
    var awaitsRoom = false
    /// When the machines of the link have to be told that time passed.
    var deadline: MonotonicInstant?

    enum Life {
        case up
        /// The disconnection was asked for, so that it is not asked for again.
        case ending
        /// The link is gone, and its owner knows.
        case ended
    }

    /// What the peer has shown; it never shows less. An address alone proves nothing.
    enum Trust {
        case none
        /// The link was encrypted: the peer sees the services that are hidden from others.
        case encrypted
        /// It has proven that it is the bonded peer, by encrypting with the key of the bond or by bonding:
        /// what it configures is stored with the bond.
        case proven
    }

    init(
        handle: ConnectionHandle, description: LinkDescription, security: consuming SecurityManager,
        bearer: consuming ATTBearer
    ) {
        self.handle = handle
        self.description = description
        self.security = security
        self.bearer = bearer
        signalling = LESignalling(role: description.role)
    }

    /// What ``deadline`` is once the machines rest.
    var nextDeadline: MonotonicInstant? {
        .earliest(.earliest(signalling.nextDeadline, security.nextDeadline), bearer.nextDeadline)
    }
}
