public import Octets

/// Where the attributes of an answer lie, found without allocating: the answer's own octets stay the
/// only copy. For answers that are at hand in one piece; ``ResponseAssembler`` joins others.
public struct AttributeTable: Sendable {
    /// Where one attribute lies.
    @frozen
    public struct Entry: Hashable, Sendable {
        /// Offset of the first octet of the value.
        public var offset: UInt32
        /// How many octets the value has.
        public var length: UInt16
        /// The attribute's identifier.
        public var id: UInt8

        /// An entry.
        @inlinable
        public init(id: UInt8, offset: UInt32, length: UInt16) {
            self.id = id
            self.offset = offset
            self.length = length
        }

        /// The octets of the value in the answer.
        @inlinable
        public var range: Range<Int> { Int(offset)..<(Int(offset) + Int(length)) }
    }

    /// The most attributes of a table: twice as many as the specification knows.
    public static let capacity = 16

    /// How many attributes there are.
    public private(set) var count = 0
    /// Offset of the first octet after the last attribute in the table.
    public private(set) var end: Int
    private var entries: [16 of Entry]

    /// The whole attributes that lie in `value` from `offset` on, as many as the table holds. What
    /// follows ``end`` is an incomplete attribute, or further ones if the table is full.
    public init(attributesOf value: Span<UInt8>, from offset: Int) {
        entries = InlineArray(repeating: Entry(id: 0, offset: 0, length: 0))
        end = offset
        while count < Self.capacity, value.count - end >= 3 {
            let length = UInt16(value[end + 1]) | UInt16(value[end + 2]) << 8
            let next = end + 3 + Int(length)
            guard next <= value.count else { return }
            entries[count] = Entry(
                id: value[end], offset: UInt32(truncatingIfNeeded: end + 3), length: length)
            count += 1
            end = next
        }
    }

    /// The attributes of a whole answer to *Get Notification Attributes* (R27); throws if it is none,
    /// ends too early or has more than ``capacity`` attributes.
    public init(notificationAttributes response: Span<UInt8>) throws(DecodingError) {
        try response.require(5)
        guard response[0] == CommandID.getNotificationAttributes.rawValue else {
            throw .invalid(available: response.count - 1)
        }
        self.init(attributesOf: response, from: 5)
        try expectEnd(of: response)
    }

    /// The attributes of a whole answer to *Get App Attributes* (R36); throws if it is none, ends too
    /// early or has more than ``capacity`` attributes.
    public init(appAttributes response: Span<UInt8>) throws(DecodingError) {
        try response.require(2)
        guard response[0] == CommandID.getAppAttributes.rawValue else {
            throw .invalid(available: response.count - 1)
        }
        var offset = 1
        while offset < response.count, response[offset] != 0 { offset += 1 }
        guard offset < response.count else { throw .truncated(needed: 1, available: 0) }
        self.init(attributesOf: response, from: offset + 1)
        try expectEnd(of: response)
    }

    /// The attribute at a position from 0 to ``count`` - 1.
    public subscript(index: Int) -> Entry { entries[index] }

    private func expectEnd(of response: Span<UInt8>) throws(DecodingError) {
        guard end != response.count else { return }
        guard count < Self.capacity else { throw .excess(count: response.count - end) }
        var rest = response.extracting(droppingFirst: end)
        try rest.skip(1)
        try rest.skip(Int(try rest.takeUInt16()))
    }
}
