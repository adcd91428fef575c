/// What happened to a notification (R13). Values without a name here are kept; consumers ignore such events
/// (S16).
@frozen public struct EventID: RawRepresentable, Hashable, Sendable {
    /// The octet on the wire.
    public var rawValue: UInt8

    /// The event with this value on the wire.
    @inlinable public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// `EventIDNotificationAdded`
    public static let added = EventID(rawValue: 0)
    /// `EventIDNotificationModified`
    public static let modified = EventID(rawValue: 1)
    /// `EventIDNotificationRemoved`
    public static let removed = EventID(rawValue: 2)
}

extension EventID: CustomStringConvertible {
    /// `added`, `modified`, `removed`, or `reserved3` and so on.
    public var description: String {
        switch rawValue {
        case 0: "added"
        case 1: "modified"
        case 2: "removed"
        default: "reserved\(rawValue)"
        }
    }
}
