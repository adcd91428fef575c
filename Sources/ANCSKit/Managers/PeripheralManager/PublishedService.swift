internal import BluetoothLE

// What is published, and what of it cannot be.
extension MutableService {
    /// The service as the host takes it.
    func definition(
        including handles: [AttributeHandle]
    ) throws(BluetoothError) -> ServiceDefinition {
        // The host has these itself (Core Vol 3, Part C, 12 and Part G, 7).
        guard uuid != .genericAccess, uuid != .genericAttribute else {
            throw BluetoothError(.uuidNotAllowed)
        }
        var definitions: [ServiceDefinition.Characteristic] = []
        for characteristic in characteristics ?? [] {
            definitions.append(try characteristic.definition())
        }
        return ServiceDefinition(
            uuid: uuid, isPrimary: isPrimary, includes: handles, characteristics: definitions)
    }
}

extension MutableCharacteristic {
    fileprivate func definition() throws(BluetoothError) -> ServiceDefinition.Characteristic {
        let (properties, permissions, value) = (properties, permissions, value)
        guard !uuid.isDeclaration, !uuid.isDescriptor else { throw BluetoothError(.uuidNotAllowed) }
        guard properties.isDisjoint(with: .unpublishable) else {
            throw refusal("broadcasts, signed writes and extended properties cannot be published")
        }
        if let value {
            let isReadOnly =
                properties.isSubset(of: .read)
                && permissions.isSubset(of: [.readable, .readEncryptionRequired])
            guard isReadOnly else { throw refusal("a value that is given can only be read") }
            guard value.count <= AttributeTable.maximumValueLength else {
                throw refusal("a value has at most \(AttributeTable.maximumValueLength) octets")
            }
        }
        var definitions: [ServiceDefinition.Descriptor] = []
        for descriptor in descriptors ?? [] { definitions.append(try definition(of: descriptor)) }
        return ServiceDefinition.Characteristic(
            uuid: uuid, properties: properties.onAir,
            permissions: attributePermissions(properties, permissions),
            storage: value.map { .stored($0) } ?? .dynamic,
            subscription: properties.needsTrust ? .encrypted : .open, descriptors: definitions)
    }

    private func refusal(_ reason: String) -> BluetoothError {
        BluetoothError(.invalidParameters, "characteristic \(uuid.text): \(reason)")
    }

    /// What can be done with the value is what the properties offer and the permissions allow.
    private func attributePermissions(
        _ properties: Characteristic.Properties, _ permissions: Permissions
    ) -> AttributePermissions {
        let read = permissions.requirement(.readable, .readEncryptionRequired)
        let write = permissions.requirement(.writeable, .writeEncryptionRequired)
        return AttributePermissions(
            read: properties.contains(.read) ? read : nil,
            write: properties.contains(.write) ? write : nil,
            writeCommand: properties.contains(.writeWithoutResponse) ? write : nil)
    }

    private func definition(
        of descriptor: MutableDescriptor
    ) throws(BluetoothError) -> ServiceDefinition.Descriptor {
        guard !descriptor.uuid.isDeclaration else { throw BluetoothError(.uuidNotAllowed) }
        switch descriptor.uuid.shortValue {
        case 0x2900, 0x2902, 0x2903:
            throw refusal("descriptor \(descriptor.uuid.text) comes with the properties")
        default: break
        }
        guard descriptor.value.count <= AttributeTable.maximumValueLength else {
            throw refusal("descriptor \(descriptor.uuid.text) is too long")
        }
        return ServiceDefinition.Descriptor(
            type: descriptor.uuid, storage: .stored(descriptor.value))
    }
}

extension BluetoothUUID {
    /// Whether attributes of this type make the structure of a table. Assigned Numbers, 3.5.
    fileprivate var isDeclaration: Bool { shortValue.map { 0x2800...0x28FF ~= $0 } ?? false }

    /// Whether attributes of this type say something of a characteristic. Assigned Numbers, 3.7.
    fileprivate var isDescriptor: Bool { shortValue.map { 0x2900...0x29FF ~= $0 } ?? false }
}

extension MutableCharacteristic.Permissions {
    /// What access needs; `nil` where nobody has it.
    fileprivate func requirement(_ open: Self, _ trusted: Self) -> AccessRequirement? {
        if contains(trusted) { return .encrypted }
        return contains(open) ? .open : nil
    }
}

extension Characteristic.Properties {
    /// What only the system may publish, or nobody can make use of: no signing key is ever exchanged.
    fileprivate static let unpublishable: Self = [
        .broadcast, .authenticatedSignedWrites, .extendedProperties,
    ]

    /// Whether only trusted centrals may subscribe: there is one descriptor for both ways.
    fileprivate var needsTrust: Bool {
        !isDisjoint(with: [.notifyEncryptionRequired, .indicateEncryptionRequired])
    }

    /// The octet in the characteristic declaration.
    fileprivate var onAir: CharacteristicProperties {
        var properties = CharacteristicProperties(rawValue: UInt8(truncatingIfNeeded: rawValue))
        if contains(.notifyEncryptionRequired) { properties.insert(.notify) }
        if contains(.indicateEncryptionRequired) { properties.insert(.indicate) }
        return properties
    }
}
