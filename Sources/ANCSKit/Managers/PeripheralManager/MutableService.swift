public import BluetoothLE
internal import LinuxIO

/// A service that a ``PeripheralManager`` publishes, as `CBMutableService`. What it holds counts at the
/// moment it is added; what changes afterwards, changes nothing. May be used from any thread.
public final class MutableService: Sendable {
    /// What it is.
    public let uuid: BluetoothUUID
    /// Whether it is a primary service; a secondary one only makes sense included in another.
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

    /// The services that it includes, which have to be published before it.
    public var includedServices: [MutableService]? {
        get { state.withLock { $0.includedServices } }
        set { state.withLock { $0.includedServices = newValue } }
    }
}

/// A characteristic that a ``PeripheralManager`` publishes, as `CBMutableCharacteristic`. May be used from
/// any thread.
public final class MutableCharacteristic: Sendable {
    /// What centrals may do with an attribute: `CBAttributePermissions`.
    public struct Permissions: OptionSet, Hashable, Sendable {
        /// The bits.
        public var rawValue: UInt8
        /// Permissions, known or not.
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// Whoever is connected may read.
        public static let readable = Permissions(rawValue: 0x01)
        /// Whoever is connected may write.
        public static let writeable = Permissions(rawValue: 0x02)
        /// Only trusted centrals may read: those that have paired, on an encrypted link.
        public static let readEncryptionRequired = Permissions(rawValue: 0x04)
        /// Only trusted centrals may write.
        public static let writeEncryptionRequired = Permissions(rawValue: 0x08)
    }

    /// What it is.
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
    /// A `value`, of at most 512 octets, is served without asking the app, and can only be read; with
    /// `nil` the app is asked whenever a central reads or writes.
    public init(
        type uuid: BluetoothUUID, properties: Characteristic.Properties, value: [UInt8]? = nil,
        permissions: Permissions
    ) {
        self.uuid = uuid
        state = Lock(State(properties: properties, permissions: permissions, value: value))
    }

    /// What may be done with the value.
    public var properties: Characteristic.Properties {
        get { state.withLock { $0.properties } }
        set { state.withLock { $0.properties = newValue } }
    }

    /// Who may read and write the value.
    public var permissions: Permissions {
        get { state.withLock { $0.permissions } }
        set { state.withLock { $0.permissions = newValue } }
    }

    /// The value that is served without asking, or `nil`.
    public var value: [UInt8]? {
        get { state.withLock { $0.value } }
        set { state.withLock { $0.value = newValue } }
    }

    /// Descriptors besides those that the properties bring.
    public var descriptors: [MutableDescriptor]? {
        get { state.withLock { $0.descriptors } }
        set { state.withLock { $0.descriptors = newValue } }
    }

    /// The centrals that have the value notified or indicated, the first one first.
    public var subscribedCentrals: [Central] { state.withLock { $0.subscribedCentrals } }

    func setSubscribedCentrals(_ centrals: [Central]) {
        state.withLock { $0.subscribedCentrals = centrals }
    }
}

/// A descriptor that a ``PeripheralManager`` publishes, as `CBMutableDescriptor`: whoever is connected may
/// read it, nobody may write it. May be used from any thread.
public final class MutableDescriptor: Sendable {
    /// What it is: any type but those that the properties of the characteristic bring.
    public let uuid: BluetoothUUID
    /// Its value, of at most 512 octets.
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

extension MutableService: Hashable {
    /// Whether both are the same object.
    public static func == (one: MutableService, other: MutableService) -> Bool { one === other }
    /// The identity of the object.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension MutableService: CustomStringConvertible {
    /// `MutableService(180F)`: its UUID.
    public var description: String { "MutableService(\(uuid.text))" }
}

extension MutableCharacteristic: Hashable {
    /// Whether both are the same object.
    public static func == (one: MutableCharacteristic, other: MutableCharacteristic) -> Bool {
        one === other
    }
    /// The identity of the object.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension MutableCharacteristic: CustomStringConvertible {
    /// `MutableCharacteristic(2A19)`: its UUID, and nothing of its value.
    public var description: String { "MutableCharacteristic(\(uuid.text))" }
}
