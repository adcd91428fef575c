internal import ANCS
package import BluetoothTypes
internal import CTables
internal import JSONText

/// Names for common numbers assigned by the Bluetooth SIG, Apple and a few others, in `assigned-numbers.json`.
/// Everything else is shown as a number.
package enum AssignedNumbers {
    /// The name of a service.
    package static func service(_ uuid: BluetoothUUID) -> String? {
        uuid.shortValue.map { services[$0] } ?? longServices[uuid]
    }

    /// The name of a characteristic.
    package static func characteristic(_ uuid: BluetoothUUID) -> String? {
        uuid.shortValue.map { characteristics[$0] } ?? longCharacteristics[uuid]
    }

    /// The name of a descriptor.
    package static func descriptor(_ uuid: BluetoothUUID) -> String? {
        uuid.shortValue.flatMap { descriptors[$0] }
    }

    /// The name of a service, or its UUID.
    package static func serviceText(_ uuid: BluetoothUUID) -> String { service(uuid) ?? uuid.text }

    /// The name of a company, by its company identifier.
    package static func company(_ identifier: UInt16) -> String? { companies[identifier] }

    /// The name of an Appearance value: ten bits of category, six of subcategory. `nil` if the category is
    /// unknown or 0.
    package static func appearance(_ value: UInt16) -> String? {
        if let exact = appearances[value] { return exact }
        // Falls back to the category if the subcategory has no name here.
        return appearances[value & ~0x3F]
    }

    // MARK: Tables

    /// Services with 16-bit UUIDs. Assigned Numbers, 3.4.2; from 0xFC00 on, services assigned to members of
    /// the SIG, 3.10.
    private static let services = names("services")
    /// Characteristics with 16-bit UUIDs. Assigned Numbers, 3.8.1.
    static let characteristics = names("characteristics")
    /// Descriptors. Assigned Numbers, 3.7.
    static let descriptors = names("descriptors")
    /// Assigned Numbers, 2.6: the category in the upper ten bits, with subcategory 0, and the subcategories that
    /// say more than their category does.
    private static let appearances = names("appearances")
    /// Assigned Numbers, 7.1: a few of the thousands. 0xFFFF is reserved for manufacturers without an
    /// identifier (note).
    private static let companies = names("companies")

    private static let table: JSONValue = {
        guard let table = try? JSONValue(parsing: String(cString: ctables_assigned_numbers()))
        else { preconditionFailure("assigned-numbers.json is not JSON") }
        return table
    }()

    /// The names of one kind of numbers, which are hexadecimal: `0x1800`.
    private static func names(_ kind: String) -> [UInt16: String] {
        guard case .object(let members) = table[kind] else { return [:] }
        let names = members.compactMap { member in
            UInt16(member.name.dropFirst(2), radix: 16).map { ($0, member.value.string ?? "") }
        }
        return Dictionary(uniqueKeysWithValues: names)
    }

    private static func uuid(_ value: UInt128) -> BluetoothUUID { BluetoothUUID(value) }

    /// Services with 128-bit UUIDs.
    private static let longServices: [BluetoothUUID: String] = [
        BluetoothUUID(ANCSUUID.service): "ANCS",
        uuid(0x89D3_502B_0F36_433A_8EF4_C502_AD55_F8DC): "Apple Media",
        uuid(0xD061_1E78_BBB4_4591_A5F8_4879_10AE_4366): "Apple Continuity",
        uuid(0x9FA4_80E0_4967_4542_9390_D343_DC5D_04AE): "Apple Nearby",
        uuid(0x6E40_0001_B5A3_F393_E0A9_E50E_24DC_CA9E): "Nordic UART",
    ]

    /// Characteristics with 128-bit UUIDs.
    private static let longCharacteristics: [BluetoothUUID: String] = [
        BluetoothUUID(ANCSUUID.notificationSource): "Notification Source",
        BluetoothUUID(ANCSUUID.controlPoint): "Control Point",
        BluetoothUUID(ANCSUUID.dataSource): "Data Source",
        uuid(0x9B3C_81D8_57B1_4A8A_B8DF_0E56_F7CA_51C2): "Remote Command",
        uuid(0x2F7C_ABCE_808D_411F_9A0C_BB92_BA96_C102): "Entity Update",
        uuid(0xC6B2_F38C_23AB_46D8_A6AB_A3A8_70BB_D5D7): "Entity Attribute",
        uuid(0x6E40_0002_B5A3_F393_E0A9_E50E_24DC_CA9E): "Nordic UART RX",
        uuid(0x6E40_0003_B5A3_F393_E0A9_E50E_24DC_CA9E): "Nordic UART TX",
    ]
}
