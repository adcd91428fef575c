internal import Octets

/// A value that stands in a PDU as one field, or as several in a row.
protocol HCIField {
    /// How many octets it has.
    var encodedCount: Int { get }
    /// Appends exactly as many.
    func encode(into output: inout OutputSpan<UInt8>)
}

/// A field that is also taken from a PDU by itself.
protocol HCIDecodableField: HCIField {
    /// Takes the field from the front.
    init(from rest: inout Span<UInt8>) throws(DecodingError)
}

/// A PDU, or a part of one, that consists of its fields in the order of the specification. It lists
/// them twice, to take them and to encode them; the public codec is here, once for all PDUs.
protocol HCIFieldSequence: HCIDecodableField, OctetEncodable {
    /// What ``fields`` is; inferred.
    associatedtype Fields: HCIField
    /// The fields in the order of the specification.
    var fields: Fields { get }
}

extension HCIFieldSequence {
    /// Decodes the parameters; octets that follow are ignored.
    public init(decoding parameters: Span<UInt8>) throws(DecodingError) {
        var rest = parameters
        try self.init(from: &rest)
    }

    /// The size of the parameters in octets.
    public var encodedCount: Int { fields.encodedCount }

    /// Appends the parameters in the order of the specification.
    public func encode(into output: inout OutputSpan<UInt8>) { fields.encode(into: &output) }
}

/// A command without parameters.
protocol HCIParameterless: OctetEncodable {
    init()
}

extension HCIParameterless {
    /// Decodes no parameters; octets that are there are ignored.
    public init(decoding parameters: Span<UInt8>) throws(DecodingError) { self.init() }

    /// 0
    public var encodedCount: Int { 0 }

    /// Appends nothing.
    public func encode(into output: inout OutputSpan<UInt8>) {}
}

extension Span where Element == UInt8 {
    /// Takes a field of the type that is wanted.
    mutating func take<Field: HCIDecodableField>() throws(DecodingError) -> Field {
        try Field(from: &self)
    }
}

// MARK: - Fields in a row

/// Two fields in a row. Embedded Swift has no parameter packs, so that more than two are nested.
struct HCIFieldPair<First: HCIField, Second: HCIField>: HCIField {
    var first: First
    var second: Second

    init(_ first: First, _ second: Second) {
        self.first = first
        self.second = second
    }

    var encodedCount: Int { first.encodedCount + second.encodedCount }

    func encode(into output: inout OutputSpan<UInt8>) {
        first.encode(into: &output)
        second.encode(into: &output)
    }
}

/// These fields, one after the other.
func inOrder(_ a: some HCIField, _ b: some HCIField) -> some HCIField { HCIFieldPair(a, b) }

func inOrder(_ a: some HCIField, _ b: some HCIField, _ c: some HCIField) -> some HCIField {
    HCIFieldPair(a, inOrder(b, c))
}

func inOrder(
    _ a: some HCIField, _ b: some HCIField, _ c: some HCIField, _ d: some HCIField
) -> some HCIField {
    HCIFieldPair(inOrder(a, b), inOrder(c, d))
}

func inOrder(
    _ a: some HCIField, _ b: some HCIField, _ c: some HCIField, _ d: some HCIField,
    _ e: some HCIField
) -> some HCIField {
    HCIFieldPair(inOrder(a, b), inOrder(c, d, e))
}

/// As many fields of one kind as the octet before them says: entries, or the octets of data. Callers
/// see to it that there are no more than 255.
extension Array: HCIField where Element: HCIField {
    var encodedCount: Int { reduce(1) { $0 + $1.encodedCount } }

    func encode(into output: inout OutputSpan<UInt8>) {
        output.append(UInt8(truncatingIfNeeded: count))
        for element in self { element.encode(into: &output) }
    }
}

extension Array: HCIDecodableField where Element: HCIDecodableField {
    init(from rest: inout Span<UInt8>) throws(DecodingError) {
        let count = try rest.takeUInt8()
        self = []
        reserveCapacity(Int(count))
        for _ in 0..<count { append(try rest.take()) }
    }
}
