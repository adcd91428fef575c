public import LinuxIO

/// A service for a ``PeripheralManager`` to publish, like `CBMutableService`. It is copied when it is added;
/// later changes have no effect. May be used from any thread.
public final class MutableService: IdentityHashable, Sendable {
    /// The UUID of the service.
    public let uuid: BluetoothUUID
    /// Whether it is a primary service; a secondary one is only useful if another service includes it.
    public let isPrimary: Bool
    private let state = Lock(State())

    private struct State {
        var characteristics: [MutableCharacteristic]?
        var includedServices: [MutableService]?
    }

    /// A service without characteristics. (`CBMutableService.init(type:primary:)`)
    public init(type uuid: BluetoothUUID, primary isPrimary: Bool = true) {
        self.uuid = uuid
        self.isPrimary = isPrimary
    }

    /// Its characteristics, in the order in which centrals see them.
    public var characteristics: [MutableCharacteristic]? {
        get { state.withLock { $0.characteristics } }
        set { state.withLock { $0.characteristics = newValue } }
    }

    /// The services that it includes; they have to be published first.
    public var includedServices: [MutableService]? {
        get { state.withLock { $0.includedServices } }
        set { state.withLock { $0.includedServices = newValue } }
    }
}

/// A characteristic for a ``PeripheralManager`` to publish, like `CBMutableCharacteristic`. May be used from
/// any thread.
public final class MutableCharacteristic: IdentityHashable, Sendable {
    /// The permissions of an attribute, like `CBAttributePermissions`.
    public struct Permissions: OptionSet, Hashable, Sendable {
        /// The bits.
        public var rawValue: UInt8
        /// Permissions, known or not.
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// Every connected central may read.
        public static let readable = Permissions(rawValue: 0x01)
        /// Every connected central may write.
        public static let writeable = Permissions(rawValue: 0x02)
        /// Only centrals on an encrypted link may read.
        public static let readEncryptionRequired = Permissions(rawValue: 0x04)
        /// Only centrals on an encrypted link may write.
        public static let writeEncryptionRequired = Permissions(rawValue: 0x08)
    }

    /// The UUID of the characteristic.
    public let uuid: BluetoothUUID
    private let state: Lock<State>

    private struct State {
        var properties: Characteristic.Properties
        var permissions: Permissions
        var value: [UInt8]?
        var descriptors: [MutableDescriptor]?
        var subscribedCentrals: [Central] = []
    }

    /// A characteristic. (`CBMutableCharacteristic.init(type:properties:value:permissions:)`)
    ///
    /// A `value`, of at most 512 octets, is served without a request to the app and can only be read. With
    /// `nil`, the app receives a request for every read and write.
    public init(
        type uuid: BluetoothUUID, properties: Characteristic.Properties, value: [UInt8]? = nil,
        permissions: Permissions
    ) {
        self.uuid = uuid
        state = Lock(State(properties: properties, permissions: permissions, value: value))
    }

    /// The operations that the value supports.
    public var properties: Characteristic.Properties {
        get { state.withLock { $0.properties } }
        set { state.withLock { $0.properties = newValue } }
    }

    /// The permissions of the value.
    public var permissions: Permissions {
        get { state.withLock { $0.permissions } }
        set { state.withLock { $0.permissions = newValue } }
    }

    /// The value that is served without a request to the app; `nil` if the app serves it.
    public var value: [UInt8]? {
        get { state.withLock { $0.value } }
        set { state.withLock { $0.value = newValue } }
    }

    /// Further descriptors, besides those that the properties add.
    public var descriptors: [MutableDescriptor]? {
        get { state.withLock { $0.descriptors } }
        set { state.withLock { $0.descriptors = newValue } }
    }

    /// The centrals that have subscribed to the value, in order.
    public var subscribedCentrals: [Central] { state.withLock { $0.subscribedCentrals } }

    func setSubscribedCentrals(_ centrals: [Central]) {
        state.withLock { $0.subscribedCentrals = centrals }
    }
}

/// A descriptor for a ``PeripheralManager`` to publish, like `CBMutableDescriptor`: every connected central
/// may read it, and none may write it. May be used from any thread.
public final class MutableDescriptor: Sendable {
    /// The type: any but those that the properties of the characteristic add.
    public let uuid: BluetoothUUID
    /// Its value, at most 512 octets.
    public let value: [UInt8]

    /// A descriptor. (`CBMutableDescriptor.init(type:value:)`)
    public init(type uuid: BluetoothUUID, value: [UInt8]) {
        self.uuid = uuid
        self.value = value
    }

    /// A Characteristic User Description. Core Vol 3, Part G, 3.3.3.2.
    public convenience init(userDescription: String) {
        self.init(type: BluetoothUUID(UInt16(0x2901)), value: Array(userDescription.utf8))
    }
}

extension MutableService: CustomStringConvertible {
    /// `MutableService(180F)`: its UUID.
    public var description: String { "MutableService(\(uuid.text))" }
}

extension MutableCharacteristic: CustomStringConvertible {
    /// `MutableCharacteristic(2A19)`: its UUID, without its value.
    public var description: String { "MutableCharacteristic(\(uuid.text))" }
}
