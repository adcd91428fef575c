import Octets

@testable import BluetoothLE

/// Attribute tables, and the PDUs of clients and servers.
enum ScriptedTable {
    /// Services and characteristics. A table with declarations among its values cannot be discovered, so they
    /// are left out, as everything that publishes services does.
    private static let published: [BluetoothUUID] = [
        BluetoothUUID(UInt16(0x1805)), BluetoothUUID(UInt16(0x2A2B)), .deviceName,
        BluetoothUUID(0x7905_F431_B5CE_4E99_A40F_4B1E_122D_00D0 as UInt128),
        BluetoothUUID(0x9FBF_120D_6301_42D9_8C58_25E6_99A2_1DBD as UInt128),
    ]

    /// The UUIDs that clients may ask for.
    static let uuids =
        published + [
            .primaryService, .characteristic, .clientCharacteristicConfiguration, .databaseHash,
            .include, .secondaryService, .serviceChanged,
        ]

    static func service(
        _ input: inout FuzzInput, including includes: [AttributeHandle]
    ) -> ServiceDefinition {
        var definition = ServiceDefinition(
            uuid: input.element(of: published), isPrimary: input.choice(4) > 0)
        if input.choice(4) == 0, !includes.isEmpty {
            definition.includes = [input.element(of: includes)]
        }
        for _ in 0..<input.choice(5) { definition.characteristics.append(characteristic(&input)) }
        return definition
    }

    private static func characteristic(
        _ input: inout FuzzInput
    ) -> ServiceDefinition.Characteristic {
        var characteristic = ServiceDefinition.Characteristic(
            uuid: input.element(of: published),
            properties: CharacteristicProperties(rawValue: input.octet()),
            permissions: AttributePermissions(
                read: requirement(&input), write: requirement(&input),
                writeCommand: requirement(&input)),
            storage: storage(&input), allowsReliableWrites: input.flag())
        if let subscription = requirement(&input) { characteristic.subscription = subscription }
        if input.choice(4) == 0 {
            characteristic.descriptors.append(
                ServiceDefinition.Descriptor(
                    type: input.element(of: published), storage: storage(&input)))
        }
        return characteristic
    }

    private static func requirement(_ input: inout FuzzInput) -> AccessRequirement? {
        input.element(of: [.open, .open, .encrypted, .authenticated, nil])
    }

    private static func storage(_ input: inout FuzzInput) -> AttributeTable.Storage {
        switch input.choice(6) {
        case 0, 1: .dynamic
        case 2: .clientSupportedFeatures
        case 3: .stored(input.octets(atMost: AttributeTable.maximumValueLength))
        default:
            .stored(
                input.text(), minimumLength: UInt16(input.choice(4)),
                maximumLength: UInt16(input.choice(40)))
        }
    }

    static func security(_ input: inout FuzzInput) -> LinkSecurity {
        let octet = input.octet()
        return LinkSecurity(
            isEncrypted: octet & 1 != 0, isAuthenticated: octet & 2 != 0,
            usesSecureConnections: octet & 4 != 0, keySize: octet & 8 != 0 ? 16 : 7,
            isBonded: octet & 16 != 0, isAuthorized: octet & 32 != 0)
    }

    /// A handle that exists in most tables, or an arbitrary one.
    static func handle(_ input: inout FuzzInput) -> AttributeHandle {
        AttributeHandle(input.choice(8) > 0 ? UInt16(input.choice(40)) : input.number(UInt16.self))
    }

    static func range(_ input: inout FuzzInput) -> AttributeHandleRange {
        input.choice(4) == 0
            ? .all : AttributeHandleRange(handle(&input), handle(&input))
    }

    /// A well-formed PDU of a client.
    static func clientPDU(_ input: inout FuzzInput) -> ATTClientPDU {
        switch input.choice(18) {
        case 0: .exchangeMTURequest(clientReceiveMTU: input.number(UInt16.self))
        case 1: .findInformationRequest(range(&input))
        case 2:
            .findByTypeValueRequest(
                range(&input), type: input.element(of: uuids).shortValue ?? 0x2800,
                value: input.flag() ? input.element(of: uuids).octets : input.octets())
        case 3: .readByTypeRequest(range(&input), type: input.element(of: uuids))
        case 4, 5: .readRequest(handle(&input))
        case 6: .readBlobRequest(handle(&input), offset: UInt16(input.choice(256)) * 3)
        case 7: .readMultipleRequest((0..<input.choice(8)).map { _ in handle(&input) })
        case 8: .readByGroupTypeRequest(range(&input), type: input.element(of: uuids))
        case 9: .readMultipleVariableRequest((0..<input.choice(8)).map { _ in handle(&input) })
        case 10, 11: .writeRequest(handle(&input), value: input.octets())
        case 12: .writeCommand(handle(&input), value: input.octets())
        case 13, 14:
            .prepareWriteRequest(
                handle(&input), offset: UInt16(input.choice(64)), value: input.text())
        case 15: .executeWriteRequest(isCommit: input.choice(4) > 0)
        case 16: .handleValueConfirmation
        default:
            .writeRequest(handle(&input), value: [UInt8(input.choice(4)), 0])
        }
    }
}
