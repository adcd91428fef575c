/// Names one notification for the time of one session (R18, R51). Every number is legal, 0 included
/// (S18).
@frozen
public struct NotificationUID: RawRepresentable, Hashable, Sendable {
    /// The number, four octets on the wire.
    public var rawValue: UInt32

    /// The identifier with a number.
    @inlinable
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// A number that no Notification Provider gives out, so that a command about it shows whether the
    /// Control Point answers without asking for anybody's content (S8, S18).
    public static let probe = NotificationUID(rawValue: .max)
}

extension NotificationUID: CustomStringConvertible {
    /// The number in decimal.
    public var description: String { "\(rawValue)" }
}
