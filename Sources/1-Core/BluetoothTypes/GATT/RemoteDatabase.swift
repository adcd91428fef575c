/// The discovered services of a peer: a value that can be stored with the bond. Core Vol 3, Part G, 2.5.2.
public struct RemoteDatabase: Equatable, Sendable {
    /// A service that another service includes.
    public struct IncludedService: Equatable, Sendable {
        /// The handle of the include declaration.
        public var declaration: AttributeHandle
        /// The range of the included service.
        public var range: AttributeHandleRange
        /// The UUID of the included service.
        public var uuid: BluetoothUUID

        /// An included service.
        public init(
            declaration: AttributeHandle, range: AttributeHandleRange, uuid: BluetoothUUID
        ) {
            self.declaration = declaration
            self.range = range
            self.uuid = uuid
        }
    }

    /// A descriptor of a characteristic.
    public struct Descriptor: Equatable, Sendable {
        /// Its handle.
        public var handle: AttributeHandle
        /// Its type.
        public var type: BluetoothUUID

        /// A descriptor.
        public init(handle: AttributeHandle, type: BluetoothUUID) {
            self.handle = handle
            self.type = type
        }
    }

    /// A characteristic of a service.
    public struct Characteristic: Equatable, Sendable {
        /// The handle of the characteristic declaration.
        public var declaration: AttributeHandle
        /// The handle of the characteristic value.
        public var value: AttributeHandle
        /// The operations that the value supports.
        public var properties: CharacteristicProperties
        /// The UUID of the characteristic.
        public var uuid: BluetoothUUID
        /// The descriptors, in order of handles.
        public var descriptors: [Descriptor]

        /// A characteristic.
        public init(
            declaration: AttributeHandle, value: AttributeHandle,
            properties: CharacteristicProperties, uuid: BluetoothUUID,
            descriptors: [Descriptor] = []
        ) {
            self.declaration = declaration
            self.value = value
            self.properties = properties
            self.uuid = uuid
            self.descriptors = descriptors
        }

        /// The Client Characteristic Configuration descriptor; `nil` if there is none.
        public var configuration: AttributeHandle? {
            descriptors.first { $0.type == .clientCharacteristicConfiguration }?.handle
        }
    }

    /// A service of the peer.
    public struct Service: Equatable, Sendable {
        /// From the service declaration to the group end handle.
        public var range: AttributeHandleRange
        /// The UUID of the service.
        public var uuid: BluetoothUUID
        /// Whether the service is primary.
        public var isPrimary: Bool
        /// The services that it includes.
        public var includedServices: [IncludedService]
        /// The characteristics, in order of handles.
        public var characteristics: [Characteristic]

        /// A service.
        public init(
            range: AttributeHandleRange, uuid: BluetoothUUID, isPrimary: Bool = true,
            includedServices: [IncludedService] = [], characteristics: [Characteristic] = []
        ) {
            self.range = range
            self.uuid = uuid
            self.isPrimary = isPrimary
            self.includedServices = includedServices
            self.characteristics = characteristics
        }

        /// The first characteristic with this UUID; `nil` if there is none.
        public func characteristic(_ uuid: BluetoothUUID) -> Characteristic? {
            characteristics.first { $0.uuid == uuid }
        }
    }

    /// The services, in order of handles.
    public var services: [Service]
    /// The peer's Database Hash at the time of the discovery; `nil` if it has none.
    public var hash: [UInt8]?

    /// A database of these services.
    public init(services: [Service] = [], hash: [UInt8]? = nil) {
        self.services = services
        self.hash = hash
    }

    /// The first service with this UUID; `nil` if there is none.
    public func service(_ uuid: BluetoothUUID) -> Service? { services.first { $0.uuid == uuid } }

    /// Whether the database is still valid for a peer with this Database Hash. Only equal hashes prove it;
    /// without a hash on both sides it is not valid. Core Vol 3, Part G, 2.5.2.1.
    public func isValid(hash: [UInt8]?) -> Bool {
        guard let own = self.hash, let hash else { return false }
        return own == hash
    }
}
