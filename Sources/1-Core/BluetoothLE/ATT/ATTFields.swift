internal import Octets

extension Span where Element == UInt8 {
    /// Takes a UUID that fills the rest: 2 or 16 octets, the forms that ATT allows (Core Vol 3, Part F,
    /// 3.2.1).
    mutating func takeRestAsUUID() throws(DecodingError) -> BluetoothUUID {
        guard count == 2 || count == 16 else { throw .invalid(available: count) }
        let uuid = try BluetoothUUID(decoding: self)
        try skip(count)
        return uuid
    }

    /// Takes a set of at least two handles (Core Vol 3, Part F, 3.4.4.7).
    mutating func takeRestAsHandles() throws(DecodingError) -> [AttributeHandle] {
        guard count >= 4, count.isMultiple(of: 2) else { throw .invalid(available: count) }
        var handles = [AttributeHandle]()
        while !isEmpty { handles.append(try take()) }
        return handles
    }
}

/// The octets that fill the rest of a PDU or of a tuple.
struct ATTRest: PDUField {
    let octets: [UInt8]

    init(_ octets: [UInt8]) { self.octets = octets }

    var encodedCount: Int { octets.count }

    func encode(into output: inout OutputSpan<UInt8>) { output.append(octets: octets) }
}

extension AttributeHandle: PDUCode {}

extension AttributeHandleRange: PDUStructure {
    package static let layout = inOrder(Self.init) { ($0.first, $0.last) }
}

extension ATTErrorCode: PDUCode {}
extension ATTOpcode: PDUCode {}
extension BluetoothUUID: PDUField {}
