/// Identifies a phone while it is connected.
public struct PhoneID: Hashable, Comparable, Sendable {
    /// The number of the connection, counted from 1 for each consumer.
    public let rawValue: UInt64

    package init(rawValue: UInt64) { self.rawValue = rawValue }

    /// Whether `left` connected before `right`.
    public static func < (left: PhoneID, right: PhoneID) -> Bool { left.rawValue < right.rawValue }
}
