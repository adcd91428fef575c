public import BluetoothLE

/// What a device keeps from one run to the next: who it is, and whom it is bonded with.
public struct DeviceState: Hashable, Sendable {
    /// The static random address that peers know this device by.
    public var identityAddress: DeviceAddress
    /// The bonded peers.
    public var bonds: [BondRecord]

    /// A state.
    public init(identityAddress: DeviceAddress, bonds: [BondRecord] = []) {
        self.identityAddress = identityAddress
        self.bonds = bonds
    }

    /// A device that nobody knows yet.
    public static func new() -> DeviceState {
        var toolbox = OpenSSLToolbox()
        return DeviceState(identityAddress: PrivateAddress.makeStatic(using: &toolbox))
    }

    /// Puts a record in the place of an earlier one with the same identity address. Of more than
    /// `limit` bonds the oldest is forgotten.
    public mutating func store(_ record: BondRecord, limit: Int = 64) {
        bonds.removeAll { $0.bond.identityAddress == record.bond.identityAddress }
        bonds.append(record)
        bonds.removeFirst(max(0, bonds.count - limit))
    }
}
