public import Octets

/// The positions of the attributes in an answer, found without allocating or copying. For answers that lie in
/// one piece; ``ResponseAssembler`` joins others.
@frozen public struct ResponseTable: Sendable {
    /// The position of one attribute, in one word so that a table is quick to fill.
    @frozen public struct Entry: Hashable, Sendable {
        // offset << 32 | length << 8 | id
        @usableFromInline let packed: UInt64

        @inlinable init(id: UInt8, offset: Int, length: UInt16) {
            packed = UInt64(truncatingIfNeeded: offset) << 32 | UInt64(length) << 8 | UInt64(id)
        }

        /// The attribute's identifier.
        @inlinable public var id: UInt8 { UInt8(truncatingIfNeeded: packed) }
        /// The length of the value in octets.
        @inlinable public var length: UInt16 { UInt16(truncatingIfNeeded: packed >> 8) }
        /// The offset of the value's first octet.
        @inlinable public var offset: Int { Int(packed >> 32) }
        /// The octets of the value, from the answer.
        @inlinable public var range: Range<Int> { offset..<(offset + Int(length)) }
    }

    /// The most attributes that a table holds: twice as many as the specification defines.
    @inlinable public static var capacity: Int { 16 }

    @usableFromInline var found = 0
    @usableFromInline var position = 0
    @usableFromInline var places: [16 of Entry]

    /// The number of attributes.
    @inlinable public var count: Int { found }
    /// The offset of the first octet after the last attribute in the table.
    @inlinable public var end: Int { position }
    /// The attributes; only the first ``count`` are valid.
    @inlinable public var entries: [16 of Entry] { places }

    /// An empty table, which can be filled any number of times.
    public init() { places = InlineArray(repeating: Entry(id: 0, offset: 0, length: 0)) }

    /// Fills the table with the complete attributes that lie in `value` from `offset` on, as many as fit.
    /// What follows ``end`` is an incomplete attribute, or more attributes if the table is full.
    @inlinable @inline(__always)
    public mutating func fill(attributesOf value: Span<UInt8>, from offset: Int) {
        var found = 0
        var position = offset
        // No sum overflows: each is at most three more than an offset in the value. The comparison has the
        // form of the span's own check, which the compiler can then drop.
        while found < Self.capacity {
            let start = position &+ 3
            guard UInt(bitPattern: start) <= UInt(bitPattern: value.count) else { break }
            // A span of its own, so that bounds are checked once for three octets.
            let header = value.extracting(position..<start)
            let length = UInt16(header[1]) | UInt16(header[2]) << 8
            guard Int(length) <= value.count &- start else { break }
            places[found] = Entry(id: header[0], offset: start, length: length)
            found &+= 1
            position = start &+ Int(length)
        }
        self.found = found
        self.position = position
    }

    /// Fills the table with the attributes of a complete answer to *Get Notification Attributes* (R27).
    /// Throws if it is another answer, ends early or has more than ``capacity`` attributes.
    @inlinable @inline(__always)
    public mutating func fill(notificationAttributes response: Span<UInt8>) throws(DecodingError) {
        try response.require(5)
        guard response[0] == 0 else {  // CommandIDGetNotificationAttributes
            throw .invalid(available: response.count - 1)
        }
        fill(attributesOf: response, from: 5)
        if end != response.count { throw Self.incomplete(response, after: end, count) }
    }

    /// Fills the table with the attributes of a complete answer to *Get App Attributes* (R36). Throws if it
    /// is another answer, ends early or has more than ``capacity`` attributes.
    public mutating func fill(appAttributes response: Span<UInt8>) throws(DecodingError) {
        try response.require(2)
        guard response[0] == 1 else {  // CommandIDGetAppAttributes
            throw .invalid(available: response.count - 1)
        }
        var offset = 1
        while offset < response.count, response[offset] != 0 { offset += 1 }
        guard offset < response.count else { throw .truncated(needed: 1, available: 0) }
        fill(attributesOf: response, from: offset + 1)
        if end != response.count { throw Self.incomplete(response, after: end, count) }
    }

    /// The error for an answer that does not end after its attributes.
    @usableFromInline static func incomplete(
        _ response: Span<UInt8>, after end: Int, _ count: Int
    ) -> DecodingError {
        let rest = response.count - end
        guard count < capacity else { return .excess(count: rest) }
        guard rest >= 3 else { return .truncated(needed: 3, available: rest) }
        let length = Int(response[end + 1]) | Int(response[end + 2]) << 8
        return .truncated(needed: 3 + length, available: rest)
    }
}
