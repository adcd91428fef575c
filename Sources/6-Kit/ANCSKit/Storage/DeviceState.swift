public import BluetoothLE
internal import OpenSSLSecurity

/// What a device stores from one run to the next: its identity and its bonds.
public struct DeviceState: Equatable, Sendable {
    /// The static random address that identifies this device.
    public var identityAddress: DeviceAddress
    /// The identity resolving key of its private addresses; bonded peers have it.
    public var identityResolvingKey: UInt128
    /// The key of the digests that identify peers without showing their addresses. Secret; 0 if there is none
    /// yet.
    public var digestKey: UInt128
    /// The bonded peers.
    public var bonds: [BondRecord]
    /// The peers that are bonded or were ever connected, in the order of their last use; at most 1024.
    public var peers: [KnownPeer]

    /// A state; a device without private addresses needs no keys.
    public init(
        identityAddress: DeviceAddress, identityResolvingKey: UInt128 = 0,
        digestKey: UInt128 = 0, bonds: [BondRecord] = [], peers: [KnownPeer] = []
    ) {
        (self.identityAddress, self.identityResolvingKey) = (identityAddress, identityResolvingKey)
        (self.digestKey, self.bonds, self.peers) = (digestKey, bonds, peers)
    }

    /// The state of a new device, with a random identity.
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
