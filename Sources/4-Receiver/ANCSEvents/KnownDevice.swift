package import BluetoothTypes

/// What a system knows of a peer.
package struct KnownDevice: Equatable, Sendable {
    /// Its current key.
    package let key: PeerKey
    /// Its public identifier.
    package var identifier: PeerIdentifier
    /// Its name, as last received; untrusted.
    package var name: String?
    /// Its current or last address on air; at bluetoothd its identity address once it is bonded.
    package var address: DeviceAddress
    /// Its identity address; `nil` if it is not bonded.
    package var identity: DeviceAddress?

    package init(
        key: PeerKey, identifier: PeerIdentifier, name: String?, address: DeviceAddress,
        identity: DeviceAddress?
    ) {
        (self.key, self.identifier, self.name) = (key, identifier, name)
        (self.address, self.identity) = (address, identity)
    }
}
