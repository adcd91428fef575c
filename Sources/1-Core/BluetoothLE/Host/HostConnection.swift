internal import Octets

/// Everything that belongs to one link, and ends with it.
///
/// A class, because Swift 6.3 has no collections of noncopyable types; it is never passed outside the
/// ``Host`` that owns it.
final class HostConnection {
    let handle: ConnectionHandle
    var description: LinkDescription
    var reassembler = L2CAPReassembler()
    var machines: LinkMachines
    /// When the link was established.
    let start: MonotonicInstant
    /// How many PDUs the reassembler dropped, which is the sign of a broken controller or a hostile peer.
    var droppedPDUs = 0
    var life = Life.up
    var trust = Trust.none
    /// Whether the controller was given the key of the stored bond, and not that of a new pairing.
    var usesBondKey = false
    /// Whether this Central is changing the parameters of the link.
    var isUpdating = false
    /// Whether the controller has yet to answer a request for the signal strength.
    var isReadingRSSI = false
    /// Whether the owner has to be informed when there is room again.
    var awaitsRoom = false
    /// When the machines of the link have a timeout.
    var deadline: MonotonicInstant?

    enum Life {
        case up
        /// The end of the link was requested, and must not be requested again.
        case ending
        /// The link has ended, and its owner was informed.
        case ended
    }

    /// What the peer has proven, which only increases. An address alone proves nothing.
    enum Trust {
        case none
        /// The link was encrypted: the peer can see hidden services.
        case encrypted
        /// It has proven to be the bonded peer, by encrypting with the key of the bond or by bonding: its
        /// configuration is stored with the bond.
        case proven
    }

    init(
        handle: ConnectionHandle, description: LinkDescription, security: consuming SecurityManager,
        bearer: consuming ATTBearer, at now: MonotonicInstant
    ) {
        start = now
        self.handle = handle
        self.description = description
        machines = LinkMachines(
            signalling: LESignalling(role: description.role), security: security, bearer: bearer)
    }

    /// Whether an event about a new link only repeats the one that established this link. A handle is not
    /// given again so soon to the same peer.
    func isRepeated(by description: LinkDescription, at now: MonotonicInstant) -> Bool {
        guard now < start + EarlyData.time else { return false }
        var description = description
        description.peerIdentity = self.description.peerIdentity
        return description == self.description
    }
}
