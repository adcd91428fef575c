public import BluetoothLE
public import LinuxIO

/// A characteristic of a peripheral's service, like `CBCharacteristic`: one object as long as the peripheral
/// has the characteristic and stays connected; ``value``, ``isNotifying`` and ``descriptors`` change. May be
/// read from any thread.
public final class Characteristic: IdentityHashable, Sendable {
    /// The operations that a characteristic value supports, like `CBCharacteristicProperties`. The lower
    /// octet is that of the characteristic declaration (Core Vol 3, Part G, 3.3.1.1). The two bits above it
    /// are never sent; they are requirements of a published characteristic.
    public struct Properties: OptionSet, Hashable, Sendable {
        /// The bits.
        public var rawValue: UInt16
        /// Properties, known or not.
        public init(rawValue: UInt16) { self.rawValue = rawValue }
        private init(_ properties: CharacteristicProperties) {
            rawValue = UInt16(properties.rawValue)
        }

        /// The value may be broadcast in advertising data. Apps cannot publish this.
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
        /// There is a Characteristic Extended Properties descriptor. Apps cannot publish this.
        public static let extendedProperties = Properties(.extendedProperties)
        /// Notifications require an encrypted link.
        public static let notifyEncryptionRequired = Properties(rawValue: 0x100)
        /// Indications require an encrypted link.
        public static let indicateEncryptionRequired = Properties(rawValue: 0x200)
    }

    /// How to write a value, like `CBCharacteristicWriteType`.
    public enum WriteType: Equatable, Sendable {
        /// The peripheral confirms the write, or refuses it.
        case withResponse
        /// There is no confirmation, and the value may be dropped.
        case withoutResponse
    }

    /// The UUID of the characteristic.
    public let uuid: BluetoothUUID
    /// The operations that the value supports.
    public let properties: Properties
    /// The service of the characteristic.
    public weak let service: Service?

    /// The discovered characteristic, without its descriptors.
    package let attributes: RemoteDatabase.Characteristic
    /// The range of its descriptors; `nil` if it cannot have any.
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

    /// The value that was read, notified or indicated last; `nil` if there was none.
    public var value: [UInt8]? { state.withLock { $0.value } }

    /// Whether this manager has subscribed to the value.
    public var isNotifying: Bool { state.withLock { $0.isNotifying } }

    /// The descriptors; `nil` before they are discovered.
    public var descriptors: [Descriptor]? { state.withLock { $0.descriptors } }

    func setValue(_ value: [UInt8]) { state.withLock { $0.value = value } }

    func setNotifying(_ isNotifying: Bool) { state.withLock { $0.isNotifying = isNotifying } }

    func setDescriptors(_ descriptors: [Descriptor]) {
        state.withLock { $0.descriptors = descriptors }
    }
}

/// A descriptor of a characteristic, like `CBDescriptor`. May be read from any thread.
public final class Descriptor: IdentityHashable, Sendable {
    /// The type of the descriptor.
    public let uuid: BluetoothUUID
    /// The characteristic of the descriptor.
    public weak let characteristic: Characteristic?

    package let handle: AttributeHandle
    private let state = Lock([UInt8]?.none)

    init(_ attributes: RemoteDatabase.Descriptor, of characteristic: Characteristic) {
        uuid = attributes.type
        handle = attributes.handle
        self.characteristic = characteristic
    }

    /// The value that was read last, in octets whatever type Core Bluetooth has; `nil` if there was none.
    public var value: [UInt8]? { state.withLock { $0 } }

    func setValue(_ value: [UInt8]) { state.withLock { $0 = value } }
}

extension Characteristic: CustomStringConvertible {
    /// `Characteristic(2A19)`: its UUID, without its value.
    public var description: String { "Characteristic(\(uuid.text))" }
}

extension Descriptor: CustomStringConvertible {
    /// `Descriptor(2902)`: its type, without its value.
    public var description: String { "Descriptor(\(uuid.text))" }
}
