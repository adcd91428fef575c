import BluetoothLE
import BluetoothTypes

@testable import ANCSKit
@testable import LaboratoryCommands

/// Bonds to show and to export.
enum BondFixtures {
    static let own = DeviceAddress(0xC011_2233_4455, kind: .random)
    static let phone = DeviceAddress(0x0A0B_0C0D_0E0F, kind: .public)
    static let watch = DeviceAddress(0xF0F1_F2F3_F4F5, kind: .random)

    private static func range(_ first: UInt16, _ last: UInt16) -> AttributeHandleRange {
        AttributeHandleRange(AttributeHandle(first), AttributeHandle(last))
    }

    static let key: UInt128 = 0x0102_0304_0506_0708_090A_0B0C_0D0E_0F10

    /// A key of LE Secure Connections, made with a comparison of numbers.
    static let secure = BondRecord(
        bond: Bond(
            identityAddress: phone, identityResolvingKey: 0x1F << 120,
            localIdentityAddress: own, localIdentityResolvingKey: 0xAB,
            localLongTermKey: .init(value: key), peerLongTermKey: .init(value: key), keySize: 16,
            isAuthenticated: true, usesSecureConnections: true),
        clientConfiguration: {
            var client = ClientConfiguration()
            client[AttributeHandle(9)] = .indication
            return client
        }(),
        remoteDatabase: RemoteDatabase(services: [
            .init(range: range(1, 9), uuid: .genericAccess),
            .init(range: range(0x14, 0x17), uuid: BluetoothUUID(UInt16(0x180F))),
            .init(range: range(0x18, 0x1D), uuid: BluetoothUUID(UInt16(0xFFF0)), isPrimary: false),
            .init(range: range(0x23, 0x2C), uuid: .ancs),
        ]))

    /// Keys of legacy pairing, another one for each role, and shorter than they could be.
    static let legacy = BondRecord(
        bond: Bond(
            identityAddress: watch, localIdentityAddress: own,
            localLongTermKey: .init(value: 0x77, ediversifier: 0xBEEF, random: .max),
            peerLongTermKey: .init(value: 0x88, ediversifier: 1, random: 2), keySize: 7,
            isAuthenticated: false, usesSecureConnections: false, signatureResolvingKey: 3,
            localSignatureResolvingKey: 4))

    static func stored(_ record: BondRecord, name: String? = nil) -> StoredBond {
        StoredBond(device: .accessory, record: record, name: name)
    }

    static func device(
        _ bonds: [BondRecord], _ device: BondStore.Device = .accessory
    ) -> BondsCommand.StoredDevice {
        BondsCommand.StoredDevice(
            device: device, path: "/state/bonds.json",
            state: DeviceState(identityAddress: own, bonds: bonds))
    }
}
