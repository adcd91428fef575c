/// A value that knows its exact size on the wire, so that it is encoded into storage made for it.
public protocol OctetEncodable {
    /// How many octets ``encode(into:)`` appends.
    var encodedCount: Int { get }
    /// Appends exactly ``encodedCount`` octets.
    func encode(into output: inout OutputSpan<UInt8>)
}

extension OctetEncodable {
    /// The encoded value, in one allocation of exactly the right size.
    @inlinable
    public var octets: [UInt8] {
        [UInt8](capacity: encodedCount) { output in encode(into: &output) }
    }
}

extension OutputSpan where Element == UInt8 {
    /// Appends an unsigned integer, least significant octet first.
    @inlinable
    public mutating func append<Value: FixedWidthInteger & UnsignedInteger>(
        littleEndian value: Value
    ) {
        append(littleEndian: value, octets: Value.bitWidth / 8)
    }

    /// Appends the `octets` least significant octets of an unsigned integer, least significant first.
    @inlinable
    public mutating func append<Value: FixedWidthInteger & UnsignedInteger>(
        littleEndian value: Value, octets: Int
    ) {
        for index in 0..<octets {
            append(UInt8(truncatingIfNeeded: value >> Value(truncatingIfNeeded: 8 * index)))
        }
    }

    /// Appends octets as they are.
    @inlinable
    public mutating func append(octets: Span<UInt8>) {
        for index in octets.indices { append(octets[index]) }
    }

    /// Appends octets as they are.
    @inlinable
    public mutating func append(octets: [UInt8]) {
        append(octets: octets.span)
    }
}
