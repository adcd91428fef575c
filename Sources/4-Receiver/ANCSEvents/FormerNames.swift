// The names of version 0.1, for one more version.

/// ``PeerDescription``, as version 0.1 called it.
@available(*, deprecated, renamed: "PeerDescription")
public typealias ProviderDescription = PeerDescription

/// ``PeerDescription``, as version 0.1 called it.
@available(*, deprecated, renamed: "PeerDescription")
public typealias AccessoryDescription = PeerDescription

/// ``BondedPeer``, as version 0.1 called it.
@available(*, deprecated, renamed: "BondedPeer")
public typealias BondedProvider = BondedPeer

/// ``PhoneID``, as version 0.1 called it.
@available(*, deprecated, renamed: "PhoneID")
public typealias ProviderID = PhoneID
