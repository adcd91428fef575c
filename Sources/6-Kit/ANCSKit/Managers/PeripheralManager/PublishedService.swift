internal import BluetoothLE

// Conversion to the host's definitions, and the checks for that.
extension MutableService {
    /// The definition of the service for the host.
    func definition(
        including handles: [AttributeHandle]
    ) throws(BluetoothError) -> ServiceDefinition {
        // The host publishes these itself (Core Vol 3, Part C, 12 and Part G, 7).
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
            guard isReadOnly else { throw refusal("a fixed value can only be readable") }
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

    /// The permissions are those operations that the properties offer and the permissions allow.
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
            throw refusal("descriptor \(descriptor.uuid.text) is added by the properties")
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
    /// Whether attributes of this type define the structure of a table. Assigned Numbers, 3.5.
    fileprivate var isDeclaration: Bool { shortValue.map { 0x2800...0x28FF ~= $0 } ?? false }

    /// Whether attributes of this type describe a characteristic. Assigned Numbers, 3.7.
    fileprivate var isDescriptor: Bool { shortValue.map { 0x2900...0x29FF ~= $0 } ?? false }
}

extension MutableCharacteristic.Permissions {
    /// The requirement for access; `nil` if there is no access.
    fileprivate func requirement(_ open: Self, _ trusted: Self) -> AccessRequirement? {
        if contains(trusted) { return .encrypted }
        return contains(open) ? .open : nil
    }
}

extension Characteristic.Properties {
    /// Properties that only the system may publish, or that are useless because no signing key is ever
    /// exchanged.
    fileprivate static let unpublishable: Self = [
        .broadcast, .authenticatedSignedWrites, .extendedProperties,
    ]

    /// Whether subscribing requires encryption: notifications and indications share one descriptor.
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
