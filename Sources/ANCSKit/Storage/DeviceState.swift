public import BluetoothLE

/// What a device keeps from one run to the next: who it is, and whom it is bonded with.
public struct DeviceState: Hashable, Sendable {
    /// The static random address that peers know this device by.
    public var identityAddress: DeviceAddress
    /// The key that its resolvable private addresses are made with; bonded peers know it.
    public var identityResolvingKey: UInt128
    /// The key of the digests that name peers where their addresses should not be shown. Only this device
    /// knows it; 0 for none yet.
    public var digestKey: UInt128
    /// The bonded peers.
    public var bonds: [BondRecord]
    /// The peers that are bonded or were ever connected, the one used longest ago first; at most 1024.
    public var peers: [KnownPeer]

    /// A state; a device without private addresses needs no key.
    public init(
        identityAddress: DeviceAddress, identityResolvingKey: UInt128 = 0,
        digestKey: UInt128 = 0, bonds: [BondRecord] = [], peers: [KnownPeer] = []
    ) {
        self.identityAddress = identityAddress
        self.identityResolvingKey = identityResolvingKey
        self.digestKey = digestKey
        self.bonds = bonds
        self.peers = peers
    }

    /// A device that nobody knows yet.
    public static func new() -> DeviceState {
        var toolbox = OpenSSLToolbox()
        return new(using: &toolbox)
    }

    static func new(using toolbox: inout OpenSSLToolbox) -> DeviceState {
        DeviceState(
            identityAddress: PrivateAddress.makeStatic(using: &toolbox),
            identityResolvingKey: toolbox.random128(), digestKey: toolbox.random128())
    }
}
