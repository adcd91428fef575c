public import Octets

/// The format of a bond store: length of the hash u8 and the hash, then the services. Other lists start with their
/// count u16, handles are u16, UUIDs have a length u8.
extension RemoteDatabase: OctetEncodable, PDUStructure {
    package static let layout = inOrder({
        Self(services: $1.elements, hash: $0.isEmpty ? nil : $0)
    }) { ($0.hash ?? [], StoredList($0.services)) }

    /// Decodes a complete value.
    public init(decoding value: Span<UInt8>) throws(DecodingError) {
        var rest = value
        try self.init(from: &rest)
        try rest.expectEnd()
    }
}

extension RemoteDatabase.Service: PDUStructure {
    package static let layout = inOrder({
        Self(
            range: $0, uuid: $1.uuid, isPrimary: $2 != 0, includedServices: $3.elements,
            characteristics: $4.elements)
    }) {
        (
            $0.range, StoredUUID($0.uuid), UInt8($0.isPrimary ? 1 : 0),
            StoredList($0.includedServices), StoredList($0.characteristics)
        )
    }
}

extension RemoteDatabase.IncludedService: PDUStructure {
    package static let layout = inOrder({
        Self(declaration: $0, range: $1, uuid: $2.uuid)
    }) { ($0.declaration, $0.range, StoredUUID($0.uuid)) }
}

extension RemoteDatabase.Characteristic: PDUStructure {
    package static let layout = inOrder({
        Self(declaration: $0, value: $1, properties: $2, uuid: $3.uuid, descriptors: $4.elements)
    }) {
        ($0.declaration, $0.value, $0.properties, StoredUUID($0.uuid), StoredList($0.descriptors))
    }
}

extension RemoteDatabase.Descriptor: PDUStructure {
    package static let layout = inOrder({ Self(handle: $0, type: $1.uuid) }) {
        ($0.handle, StoredUUID($0.type))
    }
}

extension CharacteristicProperties: PDUCode {}

/// A UUID after an octet with its length.
package struct StoredUUID: PDUDecodableField {
    var uuid: BluetoothUUID

    init(_ uuid: BluetoothUUID) { self.uuid = uuid }

    package init(from rest: inout Span<UInt8>) throws(DecodingError) {
        let octets: [UInt8] = try rest.take()
        uuid = try BluetoothUUID(decoding: octets.span)
    }

    package var encodedCount: Int { 1 + uuid.encodedCount }

    package func encode(into output: inout OutputSpan<UInt8>) {
        output.append(UInt8(uuid.encodedCount))
        uuid.encode(into: &output)
    }
}

/// A list after two octets with its count.
package struct StoredList<Element: PDUDecodableField>: PDUDecodableField {
    var elements: [Element]

    init(_ elements: [Element]) { self.elements = elements }

    package init(from rest: inout Span<UInt8>) throws(DecodingError) {
        elements = []
        for _ in 0..<(try rest.takeUInt16()) { elements.append(try rest.take()) }
    }

    package var encodedCount: Int { elements.reduce(2) { $0 + $1.encodedCount } }

    package func encode(into output: inout OutputSpan<UInt8>) {
        output.append(littleEndian: UInt16(clamping: elements.count))
        for element in elements { element.encode(into: &output) }
    }
}

extension RemoteDatabase {
    /// The affected range of a Service Changed indication; `nil` if the value is malformed. Core Vol 3, Part
    /// G, 7.1.
    public static func affectedRange(ofServiceChanged value: Span<UInt8>) -> AttributeHandleRange? {
        var rest = value
        guard value.count == 4, let range = try? rest.take() as AttributeHandleRange, range.isValid
        else { return nil }
        return range
    }
}
