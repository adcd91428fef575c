public import BluetoothLE

/// An event of a ``BluetoothAdapter``. Events are in order.
public enum AdapterEvent: Equatable, Sendable {
    /// The transport is listening for a controller at this place.
    case listening(at: String)
    /// The state of the adapter changed, with the failure that caused it, if any.
    case stateChanged(ManagerState, ControllerFailure?)
    /// A peer is connected, whichever side established the link.
    case connected(PeerIdentifier)
    /// The link to a peer ended, for this reason.
    case disconnected(PeerIdentifier, DisconnectReason)
    /// The protection of the link to a peer changed; sent again when pairing has stored keys.
    case secured(PeerIdentifier, LinkProtection)
    /// Centrals that connect to this device may pair from now on, or may not. Not reported if the window is
    /// always open.
    case pairingWindow(isOpen: Bool)
    /// Pairing needs an answer from the user, which the request accepts.
    indirect case pairing(PeerIdentifier, PairingRequest)
    /// Pairing succeeded.
    case paired(PeerIdentifier)
    /// The link was encrypted with the keys of an earlier pairing.
    case bondRestored(PeerIdentifier)
    /// Pairing or encryption failed.
    case securityFailed(PeerIdentifier, SecurityFailure)
    /// Pairing revealed that a peer was known before: from now on the second identifier is valid, and the
    /// first one is not.
    case identified(PeerIdentifier, as: PeerIdentifier)
    /// This device advertises, or no longer does.
    case advertising(Bool)
    /// A problem that the user should know about; the adapter continues.
    case warning(DeviceWarning)
    /// The reader was so slow that this many events were dropped.
    case missed(Int)
}

/// A peer that is bonded with this device.
public struct BondDescription: Equatable, Sendable {
    /// The identifier of the peer on this device.
    public var identifier: PeerIdentifier
    /// Its name, as last received; untrusted.
    public var name: String?
    /// Its identity address, as `F0:F1:F2:F3:F4:F5`.
    public var identity: String
    /// Whether the keys were made with protection against man-in-the-middle attacks.
    public var isAuthenticated: Bool
    /// Whether the keys were made with LE Secure Connections.
    public var usesSecureConnections: Bool
}
