/// A peer that is bonded or was ever connected, as it is stored.
public struct KnownPeer: Equatable, Sendable {
    /// Its public identifier.
    public var identifier: PeerIdentifier
    /// The address with which it was last connected.
    public var address: DeviceAddress
    /// Its identity address; `nil` if it is not bonded.
    public var identity: DeviceAddress?
    /// Its name, as last received: at most 248 octets of UTF-8, untrusted.
    public var name: String?
    /// Whether it is bonded and has offered ANCS since: a phone.
    public var offersANCS: Bool

    /// A peer with these properties.
    public init(
        identifier: PeerIdentifier, address: DeviceAddress, identity: DeviceAddress? = nil,
        name: String? = nil, offersANCS: Bool = false
    ) {
        (self.identifier, self.address, self.identity) = (identifier, address, identity)
        (self.name, self.offersANCS) = (name, offersANCS)
    }

    /// How many are stored. Bonded peers are not dropped for others.
    static var limit: Int { 1024 }
}
