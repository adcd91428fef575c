public import Octets

/// Where the attributes of an answer lie, found without allocating: the answer's own octets stay the
/// only copy. For answers that are at hand in one piece; ``ResponseAssembler`` joins others.
@frozen
public struct ResponseTable: Sendable {
    /// Where one attribute lies; in one word, so that a table is quick to fill.
    @frozen
    public struct Entry: Hashable, Sendable {
        // offset << 32 | length << 8 | id
        @usableFromInline let packed: UInt64

        @inlinable
        init(id: UInt8, offset: Int, length: UInt16) {
            packed =
                UInt64(truncatingIfNeeded: offset) << 32 | UInt64(length) << 8 | UInt64(id)
        }

        /// The attribute's identifier.
        @inlinable
        public var id: UInt8 { UInt8(truncatingIfNeeded: packed) }
        /// How many octets the value has.
        @inlinable
        public var length: UInt16 { UInt16(truncatingIfNeeded: packed >> 8) }
        /// Offset of the first octet of the value.
        @inlinable
        public var offset: Int { Int(packed >> 32) }
        /// The octets of the value in the answer.
        @inlinable
        public var range: Range<Int> { offset..<(offset + Int(length)) }
    }

    /// The most attributes of a table: twice as many as the specification knows.
    @inlinable public static var capacity: Int { 16 }

    /// How many attributes there are.
    public private(set) var count = 0
    /// Offset of the first octet after the last attribute in the table.
    public private(set) var end = 0
    /// The attributes; the first ``count`` are valid.
    public private(set) var entries: [16 of Entry]

    /// An empty table, to be filled as often as wanted.
    public init() {
        entries = InlineArray(repeating: Entry(id: 0, offset: 0, length: 0))
    }

    /// Fills the table with the whole attributes that lie in `value` from `offset` on, as many as it
    /// holds. What follows ``end`` is an incomplete attribute, or further ones if the table is full.
    @inline(__always)
    public mutating func fill(attributesOf value: Span<UInt8>, from offset: Int) {
        var rest = value.extracting(droppingFirst: offset)
        var position = offset
        var found = 0
        while found < Self.capacity, rest.count >= 3 {
            let length = UInt16(rest[1]) | UInt16(rest[2]) << 8
            let whole = 3 + Int(length)
            guard whole <= rest.count else { break }
            entries[found] = Entry(id: rest[0], offset: position + 3, length: length)
            rest = rest.extracting(droppingFirst: whole)
            found += 1
            position += whole
        }
        count = found
        end = position
    }

    /// Fills the table with the attributes of a whole answer to *Get Notification Attributes* (R27);
    /// throws if it is none, ends too early or has more than ``capacity`` attributes.
    public mutating func fill(notificationAttributes response: Span<UInt8>) throws(DecodingError) {
        try response.require(5)
        guard response[0] == 0 else {  // CommandIDGetNotificationAttributes
            throw .invalid(available: response.count - 1)
        }
        fill(attributesOf: response, from: 5)
        if end != response.count { throw incomplete(response) }
    }

    /// Fills the table with the attributes of a whole answer to *Get App Attributes* (R36); throws if
    /// it is none, ends too early or has more than ``capacity`` attributes.
    public mutating func fill(appAttributes response: Span<UInt8>) throws(DecodingError) {
        try response.require(2)
        guard response[0] == 1 else {  // CommandIDGetAppAttributes
            throw .invalid(available: response.count - 1)
        }
        var offset = 1
        while offset < response.count, response[offset] != 0 { offset += 1 }
        guard offset < response.count else { throw .truncated(needed: 1, available: 0) }
        fill(attributesOf: response, from: offset + 1)
        if end != response.count { throw incomplete(response) }
    }

    private func incomplete(_ response: Span<UInt8>) -> DecodingError {
        let rest = response.count - end
        guard count < Self.capacity else { return .excess(count: rest) }
        guard rest >= 3 else { return .truncated(needed: 3, available: rest) }
        let length = Int(response[end + 1]) | Int(response[end + 2]) << 8
        return .truncated(needed: 3 + length, available: rest)
    }
}
