/// Identifies a connection within a controller: 0x0000 to 0x0EFF. Core Vol 4, Part E, 5.3.1.
public struct ConnectionHandle: RawRepresentable, Hashable, Sendable {
    /// The handle, 12 bits.
    public var rawValue: UInt16
    /// A handle; only the 12 least significant bits count.
    public init(rawValue: UInt16) { self.rawValue = rawValue & 0x0FFF }
}

/// Identifies an attribute of a server: 0x0001 to 0xFFFF. Core Vol 3, Part F, 3.2.2.
public struct AttributeHandle: RawRepresentable, Hashable, Comparable, Sendable {
    /// The handle; 0x0000 is reserved.
    public var rawValue: UInt16
    /// A handle.
    public init(rawValue: UInt16) { self.rawValue = rawValue }
    /// A handle.
    public init(_ rawValue: UInt16) { self.rawValue = rawValue }

    /// The first valid handle.
    public static let first = AttributeHandle(0x0001)
    /// The last valid handle.
    public static let last = AttributeHandle(0xFFFF)

    /// Whether `left` comes before `right` in the attribute table.
    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// A handle and the value of its attribute.
public struct HandleValue: Equatable, Sendable {
    /// The handle.
    public var handle: AttributeHandle
    /// The attribute value, or its beginning.
    public var value: [UInt8]
    /// A handle and its value.
    public init(handle: AttributeHandle, value: [UInt8]) {
        self.handle = handle
        self.value = value
    }
}
