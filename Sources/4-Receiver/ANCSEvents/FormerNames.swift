// The names of version 0.1, for one more version.

@available(*, deprecated, renamed: "PeerDescription")
public typealias ProviderDescription = PeerDescription

@available(*, deprecated, renamed: "PeerDescription")
public typealias AccessoryDescription = PeerDescription

@available(*, deprecated, renamed: "BondedPeer")
public typealias BondedProvider = BondedPeer

@available(*, deprecated, renamed: "PhoneID")
public typealias ProviderID = PhoneID
