public import BluetoothLE

/// What happens at a ``BluetoothAdapter``, in the order in which it happens.
public enum AdapterEvent: Hashable, Sendable {
    /// The transport waits for a controller at this place.
    case listening(at: String)
    /// The adapter can do more, or less; and why, where something is wrong.
    case stateChanged(ManagerState, ControllerTrouble?)
    /// There is a link to a peer, whichever side made it.
    case connected(PeerIdentifier)
    /// The link to a peer ended, for this reason.
    case disconnected(PeerIdentifier, DisconnectReason)
    /// The link to a peer is protected in this way from now on; told again when pairing has stored keys.
    case secured(PeerIdentifier, LinkProtection)
    /// Whether centrals may pair from now on that connect to this device. Not reported where the window
    /// is always open.
    case pairingWindow(isOpen: Bool)
    /// Pairing asks the user, who answers the request.
    case pairing(PeerIdentifier, PairingRequest)
    /// Pairing succeeded.
    case paired(PeerIdentifier)
    /// The link was encrypted with the keys of an earlier pairing.
    case bondRestored(PeerIdentifier)
    /// Pairing or encryption failed.
    case securityFailed(PeerIdentifier, SecurityFailure)
    /// Pairing revealed that a peer is one that was known before: the second identifier is valid, the
    /// first one is not any more.
    case identified(PeerIdentifier, as: PeerIdentifier)
    /// Whether this device is on air.
    case advertising(Bool)
    /// Something that the user should know, but that stops nothing.
    case warning(DeviceWarning)
    /// The reader of events was so slow that this many events were dropped.
    case missed(Int)
}

/// A peer that is bonded with this device.
public struct BondDescription: Hashable, Sendable {
    /// What it is called here.
    public var identifier: PeerIdentifier
    /// Its name, as it was heard last; untrusted.
    public var name: String?
    /// Its identity address, as `F0:F1:F2:F3:F4:F5`.
    public var identity: String
    /// The keys were made with protection against a man in the middle.
    public var isAuthenticated: Bool
    /// The keys were made with LE Secure Connections.
    public var usesSecureConnections: Bool
}
