/// A value that knows its exact size on the wire, so that its storage can be allocated before it is encoded.
public protocol OctetEncodable {
    /// How many octets ``encode(into:)`` appends.
    var encodedCount: Int { get }
    /// Appends exactly ``encodedCount`` octets.
    func encode(into output: inout OutputSpan<UInt8>)
}

extension OctetEncodable {
    /// The encoded value, in one allocation of exactly the right size.
    @inlinable public var octets: [UInt8] {
        [UInt8](count: encodedCount) { output in encode(into: &output) }
    }
}

extension OutputSpan where Element == UInt8 {
    /// Appends an unsigned integer, least significant octet first.
    @inlinable public mutating func append<Value: FixedWidthInteger & UnsignedInteger>(
        littleEndian value: Value
    ) { append(littleEndian: value, octets: Value.bitWidth / 8) }

    /// Appends the `octets` least significant octets of an unsigned integer, least significant first.
    @inlinable public mutating func append<Value: FixedWidthInteger & UnsignedInteger>(
        littleEndian value: Value, octets: Int
    ) {
        var rest = value
        for _ in 0..<octets {
            append(UInt8(truncatingIfNeeded: rest))
            rest >>= 8
        }
    }

    /// Appends octets as they are.
    @inlinable public mutating func append(octets: Span<UInt8>) {
        let start = count
        append(repeating: 0, count: octets.count)
        var all = mutableSpan
        all.copy(octets, to: start)
    }

    /// Appends an array of octets as they are.
    @inlinable public mutating func append(octets: [UInt8]) {
        append(octets: octets.span)
    }
}

extension Array where Element == UInt8 {
    /// At most `count` octets, in one allocation.
    ///
    /// `init(capacity:initializingWith:)` is not used: with Swift 6.3.1 it looks up the metadata of the
    /// array's storage on every call, which doubles the instructions. Embedded Swift has no metadata, and
    /// there this way is the smaller code.
    @inlinable public init<Failure: Error>(
        count: Int, _ fill: (inout OutputSpan<UInt8>) throws(Failure) -> Void
    ) throws(Failure) {
        #if hasFeature(Embedded)
            try self.init(capacity: count, initializingWith: fill)
        #else
            self = []
            try append(addingCapacity: count, initializingWith: fill)
        #endif
    }
}
