/// The span is the cursor: each `take` reads a little-endian field from the front and shrinks the span (Core
/// Vol 1, Part E, 2.9; ANCS R1).
///
/// A `take` throws ``DecodingError/truncated(needed:available:)`` if too few octets are left; the span is
/// then unchanged.
extension Span where Element == UInt8 {
    /// Throws ``DecodingError/truncated(needed:available:)`` unless at least `needed` octets are left.
    @inlinable public func require(_ needed: Int) throws(DecodingError) {
        guard count >= needed else { throw .truncated(needed: needed, available: count) }
    }

    /// Throws ``DecodingError/excess(count:)`` unless every octet has been taken.
    @inlinable public func expectEnd() throws(DecodingError) {
        guard isEmpty else { throw .excess(count: count) }
    }

    /// Drops `octets` octets from the front.
    @inlinable public mutating func skip(_ octets: Int) throws(DecodingError) {
        try require(octets)
        self = extracting(droppingFirst: octets)
    }

    /// Takes one octet.
    @inlinable public mutating func takeUInt8() throws(DecodingError) -> UInt8 {
        try require(1)
        let value = self[0]
        self = extracting(droppingFirst: 1)
        return value
    }

    /// Takes two octets.
    @inlinable public mutating func takeUInt16() throws(DecodingError) -> UInt16 {
        try take(UInt16.self, octets: 2)
    }

    /// Takes three octets, as HCI uses for periodic intervals and classes of device.
    @inlinable public mutating func takeUInt24() throws(DecodingError) -> UInt32 {
        try take(UInt32.self, octets: 3)
    }

    /// Takes four octets.
    @inlinable public mutating func takeUInt32() throws(DecodingError) -> UInt32 {
        try take(UInt32.self, octets: 4)
    }

    /// Takes six octets, the size of a device address.
    @inlinable public mutating func takeUInt48() throws(DecodingError) -> UInt64 {
        try take(UInt64.self, octets: 6)
    }

    /// Takes eight octets.
    @inlinable public mutating func takeUInt64() throws(DecodingError) -> UInt64 {
        try take(UInt64.self, octets: 8)
    }

    /// Takes sixteen octets, the size of a UUID or a key.
    @inlinable public mutating func takeUInt128() throws(DecodingError) -> UInt128 {
        try take(UInt128.self, octets: 16)
    }

    /// Takes `octets` octets as they are.
    @inlinable public mutating func takeOctets(_ octets: Int) throws(DecodingError) -> [UInt8] {
        try require(octets)
        let value = Array(extracting(first: octets))
        self = extracting(droppingFirst: octets)
        return value
    }

    /// Takes all remaining octets.
    @inlinable public mutating func takeRest() -> [UInt8] {
        let value = Array(self)
        self = extracting(droppingFirst: count)
        return value
    }

    @inlinable mutating func take<Value: FixedWidthInteger & UnsignedInteger>(
        _ type: Value.Type, octets: Int
    ) throws(DecodingError) -> Value {
        try require(octets)
        var value: Value = 0
        for index in 0..<octets {
            value |= Value(truncatingIfNeeded: self[index]) << Value(truncatingIfNeeded: 8 * index)
        }
        self = extracting(droppingFirst: octets)
        return value
    }
}

extension MutableSpan where Element == UInt8 {
    /// Copies octets to a place where there is room for them. A loop that no check can leave copies many at a time, which
    /// appending one by one does not.
    @inlinable mutating func copy(_ octets: Span<UInt8>, to start: Int) {
        let end = Swift.min(octets.count, count - start)
        var index = 0
        while index < end {
            self[start &+ index] = octets[index]
            index &+= 1
        }
    }
}

extension Array where Element == UInt8 {
    /// Copies the octets of a span.
    @inlinable public init(_ span: Span<UInt8>) {
        self.init(count: span.count) { output in output.append(octets: span) }
    }
}
