public import Octets

/// The services of a peer, as they were discovered; a plain value that can be kept with the bond.
/// Core Vol 3, Part G, 2.5.2.
public struct RemoteDatabase: Hashable, Sendable {
    /// A service that another service includes.
    public struct IncludedService: Hashable, Sendable {
        /// The handle of the include declaration.
        public var declaration: AttributeHandle
        /// The range of the included service.
        public var range: AttributeHandleRange
        /// The UUID of the included service.
        public var uuid: BluetoothUUID
    }

    /// A descriptor of a characteristic.
    public struct Descriptor: Hashable, Sendable {
        /// Its handle.
        public var handle: AttributeHandle
        /// Its type.
        public var type: BluetoothUUID
    }

    /// A characteristic of a service.
    public struct Characteristic: Hashable, Sendable {
        /// The handle of the characteristic declaration.
        public var declaration: AttributeHandle
        /// The handle of the characteristic value.
        public var value: AttributeHandle
        /// What may be done with the value.
        public var properties: CharacteristicProperties
        /// The UUID of the characteristic.
        public var uuid: BluetoothUUID
        /// The descriptors, by handle.
        public var descriptors: [Descriptor] = []

        /// The Client Characteristic Configuration descriptor, where there is one.
        public var configuration: AttributeHandle? {
            descriptors.first { $0.type == .clientCharacteristicConfiguration }?.handle
        }
    }

    /// A service of the peer.
    public struct Service: Hashable, Sendable {
        /// From the service declaration to the group end handle.
        public var range: AttributeHandleRange
        /// The UUID of the service.
        public var uuid: BluetoothUUID
        /// Whether the service is primary.
        public var isPrimary: Bool = true
        /// The services that it includes.
        public var includedServices: [IncludedService] = []
        /// The characteristics, by handle.
        public var characteristics: [Characteristic] = []

        /// The first characteristic with this UUID.
        public func characteristic(_ uuid: BluetoothUUID) -> Characteristic? {
            characteristics.first { $0.uuid == uuid }
        }
    }

    /// The services, by handle.
    public var services: [Service]
    /// The peer's Database Hash when the services were discovered, or `nil` where it has none.
    public var hash: [UInt8]?

    /// A database.
    public init(services: [Service] = [], hash: [UInt8]? = nil) {
        self.services = services
        self.hash = hash
    }

    /// The first service with this UUID.
    public func service(_ uuid: BluetoothUUID) -> Service? { services.first { $0.uuid == uuid } }

    /// Whether the database still describes a peer whose Database Hash is `hash`: only a hash can
    /// prove it, so without one on both sides it does not. Core Vol 3, Part G, 2.5.2.1.
    public func isValid(hash: [UInt8]?) -> Bool {
        guard let own = self.hash, let hash else { return false }
        return own == hash
    }

    /// The range that a Service Changed indication says is affected, or `nil` where its value is not
    /// one. Core Vol 3, Part G, 7.1.
    public static func affectedRange(ofServiceChanged value: Span<UInt8>) -> AttributeHandleRange? {
        var rest = value
        guard value.count == 4, let range = try? rest.takeHandleRange(), range.isValid else {
            return nil
        }
        return range
    }
}

/// The plain form for a bond store: hash length u8 and hash, then each service with counts before
/// lists, handles u16, UUIDs as length u8 and octets.
extension RemoteDatabase: OctetEncodable {
    /// Decodes a whole value.
    public init(decoding value: Span<UInt8>) throws(DecodingError) {
        var rest = value
        let hash = try rest.takeOctets(Int(try rest.takeUInt8()))
        self.init(hash: hash.isEmpty ? nil : hash)
        for _ in 0..<(try rest.takeUInt16()) {
            services.append(try Service(taking: &rest))
        }
        try rest.expectEnd()
    }

    /// The size of the value.
    public var encodedCount: Int {
        services.reduce(3 + (hash?.count ?? 0)) { $0 + $1.encodedCount }
    }

    /// Appends the value.
    public func encode(into output: inout OutputSpan<UInt8>) {
        output.append(UInt8(clamping: hash?.count ?? 0))
        if let hash { output.append(octets: hash) }
        output.append(littleEndian: UInt16(clamping: services.count))
        for service in services { service.encode(into: &output) }
    }
}

extension RemoteDatabase.Service {
    fileprivate init(taking rest: inout Span<UInt8>) throws(DecodingError) {
        let range = try rest.takeHandleRange()
        self.init(range: range, uuid: try rest.takeUUID(), isPrimary: try rest.takeUInt8() != 0)
        for _ in 0..<(try rest.takeUInt16()) {
            let declaration = try rest.takeAttributeHandle()
            let range = try rest.takeHandleRange()
            includedServices.append(
                .init(declaration: declaration, range: range, uuid: try rest.takeUUID()))
        }
        for _ in 0..<(try rest.takeUInt16()) {
            let declaration = try rest.takeAttributeHandle()
            let value = try rest.takeAttributeHandle()
            let properties = CharacteristicProperties(rawValue: try rest.takeUInt8())
            var characteristic = RemoteDatabase.Characteristic(
                declaration: declaration, value: value, properties: properties,
                uuid: try rest.takeUUID())
            for _ in 0..<(try rest.takeUInt16()) {
                let handle = try rest.takeAttributeHandle()
                characteristic.descriptors.append(.init(handle: handle, type: try rest.takeUUID()))
            }
            characteristics.append(characteristic)
        }
    }

    fileprivate var encodedCount: Int {
        var count = 4 + 1 + uuid.encodedCount + 1 + 2 + 2
        for included in includedServices { count += 6 + 1 + included.uuid.encodedCount }
        for characteristic in characteristics {
            count += 5 + 1 + characteristic.uuid.encodedCount + 2
            for descriptor in characteristic.descriptors {
                count += 2 + 1 + descriptor.type.encodedCount
            }
        }
        return count
    }

    fileprivate func encode(into output: inout OutputSpan<UInt8>) {
        output.append(range)
        output.append(uuid)
        output.append(isPrimary ? 1 : 0)
        output.append(littleEndian: UInt16(clamping: includedServices.count))
        for included in includedServices {
            output.append(included.declaration)
            output.append(included.range)
            output.append(included.uuid)
        }
        output.append(littleEndian: UInt16(clamping: characteristics.count))
        for characteristic in characteristics {
            output.append(characteristic.declaration)
            output.append(characteristic.value)
            output.append(characteristic.properties.rawValue)
            output.append(characteristic.uuid)
            output.append(littleEndian: UInt16(clamping: characteristic.descriptors.count))
            for descriptor in characteristic.descriptors {
                output.append(descriptor.handle)
                output.append(descriptor.type)
            }
        }
    }
}

extension Span where Element == UInt8 {
    /// Takes a UUID after an octet with its length.
    fileprivate mutating func takeUUID() throws(DecodingError) -> BluetoothUUID {
        let octets = try takeOctets(Int(try takeUInt8()))
        return try BluetoothUUID(decoding: octets.span)
    }
}

extension OutputSpan where Element == UInt8 {
    fileprivate mutating func append(_ uuid: BluetoothUUID) {
        append(UInt8(uuid.encodedCount))
        uuid.encode(into: &self)
    }
}
