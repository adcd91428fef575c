internal import Octets

/// The attributes of a server, shared by all its connections. Core Vol 3, Part F, 3.2.
///
/// Handles increase and may have gaps. A service keeps its range, so that its group end handle is known even
/// if it does not use all handles. Values that differ between clients (configuration descriptors, supported
/// features) are only marked here; the ``ATTBearer`` of each client has them.
public struct AttributeTable: Sendable {
    /// Where the value of an attribute is stored.
    public enum Storage: Equatable, Sendable {
        /// In the table; clients may write values of `minimumLength` to `maximumLength` octets.
        case stored(
            [UInt8], minimumLength: UInt16 = 0,
            maximumLength: UInt16 = UInt16(AttributeTable.maximumValueLength))
        /// In the table: the declaration of a service. Core Vol 3, Part G, 3.1.
        case service(BluetoothUUID)
        /// In the table: the declaration of a characteristic, with its UUID, its value's handle and its
        /// properties. Core Vol 3, Part G, 3.3.1.
        case characteristic(BluetoothUUID, value: AttributeHandle, CharacteristicProperties)
        /// In the application, which is asked at every read or write.
        case dynamic
        /// Per client: a Client Characteristic Configuration descriptor.
        case clientConfiguration
        /// Per client: the Client Supported Features characteristic.
        case clientSupportedFeatures
    }

    /// An attribute. The order of the properties leaves no gaps: a phone has 40 attributes.
    public struct Attribute: Equatable, Sendable {
        /// Its type.
        public var type: BluetoothUUID
        /// Its handle.
        public var handle: AttributeHandle
        /// Its permissions.
        public var permissions: AttributePermissions
        /// Where its value is stored.
        public var storage: Storage

        /// An attribute.
        public init(
            handle: AttributeHandle, type: BluetoothUUID,
            permissions: AttributePermissions = .readOnly, storage: Storage
        ) {
            self.handle = handle
            self.type = type
            self.permissions = permissions
            self.storage = storage
        }

        /// The value, if it is stored in the table.
        public var storedValue: [UInt8]? {
            switch storage {
            case .stored(let value, _, _): value
            case .service(let uuid): uuid.octets
            case .characteristic(let uuid, let handle, let properties):
                [UInt8](count: 3 + uuid.encodedCount) { output in
                    output.append(properties.rawValue)
                    output.put(handle)
                    uuid.encode(into: &output)
                }
            case .dynamic, .clientConfiguration, .clientSupportedFeatures: nil
            }
        }
    }

    /// The handles that a service occupies.
    public struct Service: Equatable, Sendable {
        /// From the service declaration to the group end handle.
        public var range: AttributeHandleRange
        /// The UUID of the service.
        public var uuid: BluetoothUUID
        /// Whether the service is primary.
        public var isPrimary: Bool
        /// Whether it is visible only on encrypted links.
        public var isHiddenUntilEncrypted: Bool

        /// A service that occupies a range.
        public init(
            range: AttributeHandleRange, uuid: BluetoothUUID, isPrimary: Bool = true,
            isHiddenUntilEncrypted: Bool = false
        ) {
            self.range = range
            self.uuid = uuid
            self.isPrimary = isPrimary
            self.isHiddenUntilEncrypted = isHiddenUntilEncrypted
        }
    }

    /// Why an attribute or a service cannot be added.
    public enum UsageError: Error, Equatable, Sendable {
        /// The handle is 0x0000, or already in use.
        case handleUnavailable(AttributeHandle)
        /// The range is inverted, or overlaps that of another service.
        case rangeUnavailable(AttributeHandleRange)
        /// No handles are left.
        case full
    }

    /// The longest attribute value in octets. Core Vol 3, Part F, 3.2.9.
    public static let maximumValueLength = 512

    /// The attributes, in order of handles.
    public private(set) var attributes: [Attribute] = []
    /// The services, in order of handles.
    public internal(set) var services: [Service] = []
    /// The Database Hash for links that are not encrypted, if services are hidden from them.
    var hashOfVisible: UInt128?
    /// The Database Hash as of the last ``updateDatabaseHash(using:)``.
    public internal(set) var databaseHash: UInt128?

    /// An empty table.
    public init() {}

    /// The attribute with this handle; `nil` if there is none.
    public subscript(handle: AttributeHandle) -> Attribute? {
        let index = firstIndex(from: handle)
        guard index < attributes.count, attributes[index].handle == handle else { return nil }
        return attributes[index]
    }

    /// The attributes in a range, in order of handles.
    public subscript(range: AttributeHandleRange) -> ArraySlice<Attribute> {
        guard range.first <= range.last else { return [] }
        let start = firstIndex(from: range.first)
        guard let next = AttributeHandleRange.all.after(range.last) else {
            return attributes[start...]
        }
        return attributes[start..<firstIndex(from: next.first)]
    }

    /// Reserves memory for exactly this many more attributes, because tables rarely grow.
    mutating func reserve(_ count: Int) { attributes.reserveCapacity(attributes.count + count) }

    /// Adds an attribute; throws if its handle is already in use.
    public mutating func insert(_ attribute: Attribute) throws(UsageError) {
        let index = firstIndex(from: attribute.handle)
        let isTaken = index < attributes.count && attributes[index].handle == attribute.handle
        guard attribute.handle.rawValue != 0, !isTaken else {
            throw .handleUnavailable(attribute.handle)
        }
        attributes.insert(attribute, at: index)
    }

    /// Replaces the attribute that has the same handle, for example by a service declaration with its own
    /// value; does nothing if there is none.
    public mutating func replace(_ attribute: Attribute) {
        let index = firstIndex(from: attribute.handle)
        guard index < attributes.count, attributes[index].handle == attribute.handle else { return }
        attributes[index] = attribute
    }

    /// Reserves the range of a service and adds its declaration.
    public mutating func insert(_ service: Service) throws(UsageError) {
        let range = service.range
        let overlaps = services.contains {
            $0.range.first <= range.last && range.first <= $0.range.last
        }
        guard range.isValid, !overlaps else { throw .rangeUnavailable(range) }
        try insert(
            Attribute(
                handle: range.first, type: service.isPrimary ? .primaryService : .secondaryService,
                storage: .service(service.uuid)))
        let index = services.firstIndex { $0.range.first > range.first } ?? services.count
        services.insert(service, at: index)
    }

    /// Removes the service that starts at a handle, with all its attributes, and returns its range.
    public mutating func removeService(
        startingAt handle: AttributeHandle
    ) -> AttributeHandleRange? {
        guard let index = services.firstIndex(where: { $0.range.first == handle }) else {
            return nil
        }
        let range = services.remove(at: index).range
        attributes.removeAll { range.contains($0.handle) }
        return range
    }

    /// Changes a value stored in the table; does nothing if there is none. Clients are not notified: call
    /// each bearer for that.
    public mutating func setValue(_ value: [UInt8], of handle: AttributeHandle) {
        let index = firstIndex(from: handle)
        guard index < attributes.count, attributes[index].handle == handle,
            case .stored(_, let minimum, let maximum) = attributes[index].storage
        else { return }
        attributes[index].storage = .stored(value, minimumLength: minimum, maximumLength: maximum)
    }

    /// The first handle after all services and attributes; `nil` if the table is full.
    public var nextFreeHandle: AttributeHandle? {
        let lastOfServices = services.last?.range.last ?? AttributeHandle(0)
        let last = max(lastOfServices, attributes.last?.handle ?? AttributeHandle(0))
        return AttributeHandleRange.all.after(last)?.first
    }

    /// The index of the first attribute with this handle or a later one.
    func firstIndex(from handle: AttributeHandle) -> Int {
        var low = 0
        var high = attributes.count
        while low < high {
            let middle = (low + high) / 2
            if attributes[middle].handle < handle { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
