/// Identifies a notification within one session (R18, R51). Every number is valid, including 0 (S18).
@frozen public struct NotificationUID: RawRepresentable, Hashable, Sendable {
    /// The number, four octets on the wire.
    public var rawValue: UInt32

    /// The identifier with this number.
    @inlinable public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// A number that no Notification Provider assigns. A command about it shows whether the Control Point
    /// answers, without reading content (S8, S18).
    public static let probe = NotificationUID(rawValue: .max)
}

extension NotificationUID: CustomStringConvertible {
    /// The number, in decimal.
    public var description: String { "\(rawValue)" }
}
