package import Octets

/// A value that is encoded as one or more fields of a PDU.
package protocol PDUField {
    /// The length in octets.
    var encodedCount: Int { get }
    /// Appends exactly ``encodedCount`` octets.
    func encode(into output: inout OutputSpan<UInt8>)
}

/// A field that can also be decoded on its own.
package protocol PDUDecodableField: PDUField {
    /// Takes the field from the front of `rest`.
    init(from rest: inout Span<UInt8>) throws(DecodingError)
}

/// A PDU or a part of one, as a sequence of fields in the order of the specification. A ``PDUStructure`` lists
/// its fields once; one of more than six fields conforms to this protocol and lists them to decode and to encode
/// them. The codec is here, once for all PDUs.
package protocol PDUFieldSequence: PDUDecodableField, OctetEncodable {
    /// The type of ``fields``; inferred.
    associatedtype Fields: PDUField
    /// The fields in the order of the specification.
    var fields: Fields { get }
}

extension PDUFieldSequence {
    /// Decodes the parameters; octets that follow are ignored.
    public init(decoding parameters: Span<UInt8>) throws(DecodingError) {
        var rest = parameters
        try self.init(from: &rest)
    }

    /// The length of the parameters in octets.
    public var encodedCount: Int { fields.encodedCount }

    /// Appends the parameters in the order of the specification.
    public func encode(into output: inout OutputSpan<UInt8>) { fields.encode(into: &output) }
}

/// A command without parameters.
package protocol HCIParameterless: OctetEncodable { init() }

extension HCIParameterless {
    /// Decodes no parameters; any octets are ignored.
    public init(decoding parameters: Span<UInt8>) throws(DecodingError) { self.init() }

    /// The length in octets: 0.
    public var encodedCount: Int { 0 }

    /// Appends nothing.
    public func encode(into output: inout OutputSpan<UInt8>) {}
}

/// Takes the fields of a PDU one after the other.
package protocol PDUFieldSink: ~Copyable, ~Escapable { mutating func put(_ field: some PDUField) }

/// Encodes the fields.
extension OutputSpan: PDUFieldSink where Element == UInt8 {
    package mutating func put(_ field: some PDUField) { field.encode(into: &self) }
}

/// Counts the octets of the fields.
private struct PDUFieldCount: PDUFieldSink {
    private(set) var octets = 0

    mutating func put(_ field: some PDUField) { octets += field.encodedCount }
}

/// A PDU whose fields depend on its opcode: it gives them once, to be counted and to be encoded.
package protocol PDUWithOpcode: OctetEncodable {
    /// Gives the opcode and the fields, in the order of the specification.
    func put(into sink: inout (some PDUFieldSink & ~Copyable & ~Escapable))
}

extension PDUWithOpcode {
    /// The length of the PDU in octets.
    public var encodedCount: Int {
        var count = PDUFieldCount()
        put(into: &count)
        return count.octets
    }

    /// Appends the PDU. All tuples of a list must have the same size, as the PDU requires.
    public func encode(into output: inout OutputSpan<UInt8>) { put(into: &output) }
}

extension Span where Element == UInt8 {
    /// Takes a field of the inferred type.
    package mutating func take<Field: PDUDecodableField>() throws(DecodingError) -> Field {
        try Field(from: &self)
    }
}

// MARK: - Fields in a row

/// Two fields in a row. Embedded Swift has no parameter packs, so longer sequences nest pairs.
struct PDUFieldPair<First: PDUField, Second: PDUField>: PDUField {
    var first: First
    var second: Second

    init(_ first: First, _ second: Second) {
        self.first = first
        self.second = second
    }

    package var encodedCount: Int { first.encodedCount + second.encodedCount }

    package func encode(into output: inout OutputSpan<UInt8>) {
        first.encode(into: &output)
        second.encode(into: &output)
    }
}

/// These fields, one after the other.
package func inOrder(_ a: some PDUField, _ b: some PDUField) -> some PDUField { PDUFieldPair(a, b) }

package func inOrder(_ a: some PDUField, _ b: some PDUField, _ c: some PDUField) -> some PDUField {
    PDUFieldPair(a, inOrder(b, c))
}

package func inOrder(
    _ a: some PDUField, _ b: some PDUField, _ c: some PDUField, _ d: some PDUField
) -> some PDUField { PDUFieldPair(inOrder(a, b), inOrder(c, d)) }

package func inOrder(
    _ a: some PDUField, _ b: some PDUField, _ c: some PDUField, _ d: some PDUField,
    _ e: some PDUField
) -> some PDUField { PDUFieldPair(inOrder(a, b), inOrder(c, d, e)) }

/// An octet with a count, then as many fields of one kind: entries, or octets of data. Callers must ensure
/// that there are at most 255.
extension Array: PDUField where Element: PDUField {
    package var encodedCount: Int { reduce(1) { $0 + $1.encodedCount } }

    package func encode(into output: inout OutputSpan<UInt8>) {
        output.append(UInt8(truncatingIfNeeded: count))
        for element in self { element.encode(into: &output) }
    }
}

extension Array: PDUDecodableField where Element: PDUDecodableField {
    package init(from rest: inout Span<UInt8>) throws(DecodingError) {
        let count = try rest.takeUInt8()
        self = []
        reserveCapacity(Int(count))
        for _ in 0..<count { append(try rest.take()) }
    }
}
