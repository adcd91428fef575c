internal import Octets

/// A service without handles, to be added to an ``AttributeTable``.
public struct ServiceDefinition: Equatable, Sendable {
    /// A descriptor of a characteristic.
    public struct Descriptor: Equatable, Sendable {
        /// Its type.
        public var type: BluetoothUUID
        /// The requirements for access.
        public var permissions: AttributePermissions
        /// Where its value is stored.
        public var storage: AttributeTable.Storage

        /// A descriptor.
        public init(
            type: BluetoothUUID, permissions: AttributePermissions = .readOnly,
            storage: AttributeTable.Storage
        ) {
            self.type = type
            self.permissions = permissions
            self.storage = storage
        }
    }

    /// A characteristic of a service.
    public struct Characteristic: Equatable, Sendable {
        /// Its UUID.
        public var uuid: BluetoothUUID
        /// The operations that its value supports. With `notify` or `indicate`, a Client Characteristic
        /// Configuration descriptor is added; with `extendedProperties`, a Characteristic Extended Properties
        /// descriptor.
        public var properties: CharacteristicProperties
        /// The requirements for access to its value.
        public var permissions: AttributePermissions
        /// Where its value is stored.
        public var storage: AttributeTable.Storage
        /// The requirement for writing the Client Characteristic Configuration descriptor.
        public var subscription: AccessRequirement
        /// Whether Reliable Writes are enabled; only with `extendedProperties`.
        public var allowsReliableWrites: Bool
        /// Whether it has no Client Characteristic Configuration although it notifies or indicates: a fault.
        public var lacksConfiguration = false
        /// Further descriptors, besides those that the properties add.
        public var descriptors: [Descriptor]

        /// A characteristic.
        public init(
            uuid: BluetoothUUID, properties: CharacteristicProperties,
            permissions: AttributePermissions = .readOnly,
            storage: AttributeTable.Storage = .dynamic, subscription: AccessRequirement = .open,
            allowsReliableWrites: Bool = false, descriptors: [Descriptor] = []
        ) {
            self.uuid = uuid
            self.properties = properties
            self.permissions = permissions
            self.storage = storage
            self.subscription = subscription
            self.allowsReliableWrites = allowsReliableWrites
            self.descriptors = descriptors
        }
    }

    /// The UUID of the service.
    public var uuid: BluetoothUUID
    /// Whether the service is primary.
    public var isPrimary: Bool
    /// The declarations of the services that it includes.
    public var includes: [AttributeHandle]
    /// Its characteristics, in order.
    public var characteristics: [Characteristic]
    /// Whether it is visible only on encrypted links.
    public var isHiddenUntilEncrypted: Bool

    /// A service.
    public init(
        uuid: BluetoothUUID, isPrimary: Bool = true, includes: [AttributeHandle] = [],
        characteristics: [Characteristic] = [], isHiddenUntilEncrypted: Bool = false
    ) {
        self.uuid = uuid
        self.isPrimary = isPrimary
        self.includes = includes
        self.characteristics = characteristics
        self.isHiddenUntilEncrypted = isHiddenUntilEncrypted
    }
}

/// The handles of an added service.
public struct ServiceHandles: Equatable, Sendable {
    /// The handles of a characteristic.
    public struct Characteristic: Equatable, Sendable {
        /// The characteristic declaration.
        public var declaration: AttributeHandle
        /// The characteristic value.
        public var value: AttributeHandle
        /// The Client Characteristic Configuration descriptor; `nil` if there is none.
        public var configuration: AttributeHandle?
    }

    /// From the service declaration to the group end handle.
    public var range: AttributeHandleRange
    /// The characteristics, in the order of the definition.
    public var characteristics: [Characteristic]
}

extension AttributeTable {
    /// Adds a service, either after the last handle in use or with its declaration at a given handle, and
    /// returns its handles. If this throws, the table is unchanged.
    public mutating func add(
        _ definition: ServiceDefinition, startingAt start: AttributeHandle? = nil
    ) throws(UsageError) -> ServiceHandles {
        guard let start = start ?? nextFreeHandle else { throw .full }
        let attributes = try definition.attributes(startingAt: start, in: self)
        let last = attributes.attributes.last?.handle ?? start
        let range = AttributeHandleRange(start, last)
        var table = self
        table.reserve(attributes.attributes.count + 1)
        try table.insert(
            Service(
                range: range, uuid: definition.uuid, isPrimary: definition.isPrimary,
                isHiddenUntilEncrypted: definition.isHiddenUntilEncrypted))
        for attribute in attributes.attributes { try table.insert(attribute) }
        self = table
        return ServiceHandles(range: range, characteristics: attributes.characteristics)
    }
}

extension ServiceDefinition {
    /// The attributes after the service declaration, and the positions of the characteristics.
    fileprivate func attributes(
        startingAt start: AttributeHandle, in table: AttributeTable
    ) throws(AttributeTable.UsageError) -> (
        attributes: [AttributeTable.Attribute], characteristics: [ServiceHandles.Characteristic]
    ) {
        var allocation = Allocation(last: start)
        for include in includes { try allocation.add(include: include, of: table) }
        var handles = [ServiceHandles.Characteristic]()
        for characteristic in characteristics { handles.append(try allocation.add(characteristic)) }
        return (allocation.attributes, handles)
    }

    /// Assigns handles in order.
    private struct Allocation {
        var last: AttributeHandle
        var attributes: [AttributeTable.Attribute] = []

        mutating func append(
            _ type: BluetoothUUID, _ permissions: AttributePermissions,
            _ storage: AttributeTable.Storage
        ) throws(AttributeTable.UsageError) {
            guard let next = AttributeHandleRange.all.after(last)?.first else { throw .full }
            last = next
            attributes.append(
                AttributeTable.Attribute(
                    handle: next, type: type, permissions: permissions, storage: storage))
        }

        /// `«Include»`: handle, end group handle, and the UUID if it has a 16-bit form. Core Vol 3, Part G,
        /// 3.2.
        mutating func add(
            include handle: AttributeHandle, of table: AttributeTable
        ) throws(AttributeTable.UsageError) {
            guard let service = table.services.first(where: { $0.range.first == handle }) else {
                throw .handleUnavailable(handle)
            }
            let uuid = service.uuid.shortValue == nil ? [] : service.uuid.octets
            let value = [UInt8](count: 4 + uuid.count) { output in
                output.put(service.range)
                output.append(octets: uuid)
            }
            try append(.include, .readOnly, .stored(value))
        }

        mutating func add(
            _ characteristic: Characteristic
        ) throws(AttributeTable.UsageError) -> ServiceHandles.Characteristic {
            guard last.rawValue < 0xFFFE else { throw .full }
            let valueHandle = AttributeHandle(last.rawValue + 2)
            try append(
                .characteristic, .readOnly,
                .characteristic(
                    characteristic.uuid, value: valueHandle, characteristic.properties))
            var handles = ServiceHandles.Characteristic(
                declaration: last, value: valueHandle, configuration: nil)
            try append(characteristic.uuid, characteristic.permissions, characteristic.storage)
            if !characteristic.properties.isDisjoint(with: [.notify, .indicate]),
                !characteristic.lacksConfiguration
            {
                try append(
                    .clientCharacteristicConfiguration,
                    AttributePermissions(
                        read: .open, write: characteristic.subscription,
                        writeCommand: characteristic.subscription),
                    .clientConfiguration)
                handles.configuration = last
            }
            if characteristic.properties.contains(.extendedProperties) {
                let value: [UInt8] = [characteristic.allowsReliableWrites ? 0x01 : 0x00, 0x00]
                try append(.characteristicExtendedProperties, .readOnly, .stored(value))
            }
            for descriptor in characteristic.descriptors {
                try append(descriptor.type, descriptor.permissions, descriptor.storage)
            }
            return handles
        }
    }
}
