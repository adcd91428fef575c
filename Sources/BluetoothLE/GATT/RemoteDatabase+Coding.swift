public import Octets

/// The format of a bond store: length of the hash u8 and the hash, then the services. Lists start with their
/// count, handles are u16, UUIDs have a length u8.
extension RemoteDatabase: OctetEncodable {
    /// Decodes a complete value.
    public init(decoding value: Span<UInt8>) throws(DecodingError) {
        var rest = value
        let hash = try rest.takeOctets(Int(try rest.takeUInt8()))
        self.init(hash: hash.isEmpty ? nil : hash)
        for _ in 0..<(try rest.takeUInt16()) {
            services.append(try Service(taking: &rest))
        }
        try rest.expectEnd()
    }

    /// The length of the value in octets.
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
    /// Takes an octet with a length, and a UUID of that length.
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

extension RemoteDatabase {
    /// The affected range of a Service Changed indication; `nil` if the value is malformed. Core Vol 3, Part
    /// G, 7.1.
    public static func affectedRange(ofServiceChanged value: Span<UInt8>) -> AttributeHandleRange? {
        var rest = value
        guard value.count == 4, let range = try? rest.takeHandleRange(), range.isValid else {
            return nil
        }
        return range
    }
}
