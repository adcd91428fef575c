/// Octets that a client writes into the value of an attribute. Core Vol 3, Part F, 3.4.5 and 3.4.6.
public struct AttributeWrite: Hashable, Sendable {
    /// The attribute.
    public var handle: AttributeHandle
    /// Where in the value the octets go; what a Write Request or a Write Command carries begins at 0
    /// and is the whole value.
    public var offset: Int
    /// The octets.
    public var value: [UInt8]

    /// A write.
    public init(handle: AttributeHandle, offset: Int = 0, value: [UInt8]) {
        self.handle = handle
        self.offset = offset
        self.value = value
    }

    /// The offset after the last octet.
    public var end: Int { offset + value.count }

    /// Takes in a later write to the same attribute that begins within this one or right after it;
    /// whether it did.
    mutating func absorb(_ later: AttributeWrite) -> Bool {
        guard later.handle == handle, (offset...end).contains(later.offset) else { return false }
        let start = later.offset - offset
        let end = min(value.count, start + later.value.count)
        value.replaceSubrange(start..<end, with: later.value)
        return true
    }
}
