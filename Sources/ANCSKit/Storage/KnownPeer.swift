public import BluetoothLE

/// A peer that is bonded or was ever connected, as it is stored.
public struct KnownPeer: Hashable, Sendable {
    /// What it is called here.
    public var identifier: PeerIdentifier
    /// The address that it was on air with when it was connected last.
    public var address: DeviceAddress
    /// Its identity address, where it is bonded.
    public var identity: DeviceAddress?
    /// Its name, as it was heard last: at most 248 octets of UTF-8, untrusted.
    public var name: String?
    /// It is bonded, and has offered ANCS since: a phone.
    public var offersANCS: Bool

    /// A peer.
    public init(
        identifier: PeerIdentifier, address: DeviceAddress, identity: DeviceAddress? = nil,
        name: String? = nil, offersANCS: Bool = false
    ) {
        self.identifier = identifier
        self.address = address
        self.identity = identity
        self.name = name
        self.offersANCS = offersANCS
    }

    /// How many are stored. A bonded one is dropped for no other one.
    static var limit: Int { 1024 }
}
