public import BluetoothLE
internal import LinuxIO

/// A characteristic of a peripheral's service, as `CBCharacteristic`: an object that stays the same for
/// as long as the peripheral has it and stays connected, and whose ``value``, ``isNotifying`` and
/// ``descriptors`` change. May be read from any thread.
public final class Characteristic: Sendable {
    /// What may be done with a characteristic value: `CBCharacteristicProperties`. The lower octet is
    /// that of the characteristic declaration (Core Vol 3, Part G, 3.3.1.1); the two bits above it never
    /// go on air and say what a published characteristic asks of its subscribers.
    public struct Properties: OptionSet, Hashable, Sendable {
        /// The bits.
        public var rawValue: UInt16
        /// Properties, known or not.
        public init(rawValue: UInt16) { self.rawValue = rawValue }
        private init(_ properties: CharacteristicProperties) {
            rawValue = UInt16(properties.rawValue)
        }

        /// The value may be in advertising data. An app cannot publish this.
        public static let broadcast = Properties(.broadcast)
        /// The value may be read.
        public static let read = Properties(.read)
        /// The value may be written without a response.
        public static let writeWithoutResponse = Properties(.writeWithoutResponse)
        /// The value may be written with a response.
        public static let write = Properties(.write)
        /// The value may be notified.
        public static let notify = Properties(.notify)
        /// The value may be indicated.
        public static let indicate = Properties(.indicate)
        /// The value may be written with a Signed Write Command.
        public static let authenticatedSignedWrites = Properties(.authenticatedSignedWrites)
        /// There is a Characteristic Extended Properties descriptor. An app cannot publish this.
        public static let extendedProperties = Properties(.extendedProperties)
        /// Only trusted centrals may have the value notified.
        public static let notifyEncryptionRequired = Properties(rawValue: 0x100)
        /// Only trusted centrals may have the value indicated.
        public static let indicateEncryptionRequired = Properties(rawValue: 0x200)
    }

    /// How a value is written: `CBCharacteristicWriteType`.
    public enum WriteType: Hashable, Sendable {
        /// The peripheral says whether it took the value.
        case withResponse
        /// It says nothing, and the value may be dropped.
        case withoutResponse
    }

    /// What it is.
    public let uuid: BluetoothUUID
    /// What may be done with the value.
    public let properties: Properties
    /// The service that it belongs to.
    public weak let service: Service?

    /// The characteristic as the peer has it, without its descriptors.
    package let attributes: RemoteDatabase.Characteristic
    /// Where its descriptors are, or `nil` where there is no room for any.
    let descriptorRange: AttributeHandleRange?
    private let state = Lock(State())

    private struct State {
        var value: [UInt8]?
        var isNotifying = false
        var descriptors: [Descriptor]?
    }

    init(
        _ attributes: RemoteDatabase.Characteristic, descriptors: AttributeHandleRange?,
        of service: Service
    ) {
        self.attributes = attributes
        descriptorRange = descriptors
        self.service = service
        uuid = attributes.uuid
        properties = Properties(rawValue: UInt16(attributes.properties.rawValue))
    }

    /// The value that was read, notified or indicated last, or `nil`.
    public var value: [UInt8]? { state.withLock { $0.value } }

    /// Whether this manager has the value notified or indicated.
    public var isNotifying: Bool { state.withLock { $0.isNotifying } }

    /// The descriptors, once they have been discovered.
    public var descriptors: [Descriptor]? { state.withLock { $0.descriptors } }

    func setValue(_ value: [UInt8]) { state.withLock { $0.value = value } }

    func setNotifying(_ isNotifying: Bool) { state.withLock { $0.isNotifying = isNotifying } }

    func setDescriptors(_ descriptors: [Descriptor]) {
        state.withLock { $0.descriptors = descriptors }
    }
}

/// A descriptor of a characteristic, as `CBDescriptor`. May be read from any thread.
public final class Descriptor: Sendable {
    /// What it is.
    public let uuid: BluetoothUUID
    /// The characteristic that it belongs to.
    public weak let characteristic: Characteristic?

    package let handle: AttributeHandle
    private let state = Lock([UInt8]?.none)

    init(_ attributes: RemoteDatabase.Descriptor, of characteristic: Characteristic) {
        uuid = attributes.type
        handle = attributes.handle
        self.characteristic = characteristic
    }

    /// The value that was read last, or `nil`. Octets, of whatever type Core Bluetooth makes it.
    public var value: [UInt8]? { state.withLock { $0 } }

    func setValue(_ value: [UInt8]) { state.withLock { $0 = value } }
}

extension Characteristic: Hashable {
    /// Whether both are the same object.
    public static func == (one: Characteristic, other: Characteristic) -> Bool { one === other }
    /// The identity of the object.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension Characteristic: CustomStringConvertible {
    /// `Characteristic(2A19)`: its UUID, and nothing of its value.
    public var description: String { "Characteristic(\(uuid.text))" }
}

extension Descriptor: Hashable {
    /// Whether both are the same object.
    public static func == (one: Descriptor, other: Descriptor) -> Bool { one === other }
    /// The identity of the object.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension Descriptor: CustomStringConvertible {
    /// `Descriptor(2902)`: its UUID, and nothing of its value.
    public var description: String { "Descriptor(\(uuid.text))" }
}
