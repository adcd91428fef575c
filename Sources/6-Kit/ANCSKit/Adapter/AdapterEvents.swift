/// An event of a ``BluetoothAdapter``. Events are in order.
public enum AdapterEvent: Equatable, Sendable {
    /// An event of this device.
    case device(DeviceEvent)
    /// An event of a peer and of the link to it. Its protection is reported again when pairing has stored keys.
    case peer(PeerIdentifier, PeerEvent)
}

/// A peer that is bonded with this device.
public struct BondDescription: Equatable, Sendable {
    /// The identifier of the peer on this device.
    public var identifier: PeerIdentifier
    /// Its name, as last received; untrusted.
    public var name: String?
    /// Its identity address, as `F0:F1:F2:F3:F4:F5`.
    public var identity: String
    /// Whether the keys were made with protection against man-in-the-middle attacks; `nil` at bluetoothd, which does
    /// not tell it.
    public var isAuthenticated: Bool?
    /// Whether the keys were made with LE Secure Connections; `nil` at bluetoothd.
    public var usesSecureConnections: Bool?
}
