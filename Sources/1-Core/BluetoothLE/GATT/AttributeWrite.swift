/// A write of a client to an attribute. Core Vol 3, Part F, 3.4.5 and 3.4.6.
public struct AttributeWrite: Equatable, Sendable {
    /// The attribute.
    public var handle: AttributeHandle
    /// The offset within the value. A Write Request or a Write Command has offset 0 and the whole value.
    public var offset: Int
    /// The octets.
    public var value: [UInt8]

    /// A write of octets at an offset.
    public init(handle: AttributeHandle, offset: Int = 0, value: [UInt8]) {
        self.handle = handle
        self.offset = offset
        self.value = value
    }

    /// The offset after the last octet.
    public var end: Int { offset + value.count }

    /// Joins a later write to the same attribute that starts within this one or right after it; returns
    /// whether it did.
    mutating func absorb(_ later: AttributeWrite) -> Bool {
        guard later.handle == handle, (offset...end).contains(later.offset) else { return false }
        let start = later.offset - offset
        let end = min(value.count, start + later.value.count)
        value.replaceSubrange(start..<end, with: later.value)
        return true
    }
}
