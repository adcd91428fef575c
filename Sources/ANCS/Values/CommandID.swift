/// The first octet of a Control Point command and of the answer to it (R23). Open.
@frozen
public struct CommandID: RawRepresentable, Hashable, Sendable {
    /// The octet on the wire.
    public var rawValue: UInt8

    /// The value of an octet.
    @inlinable
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// `CommandIDGetNotificationAttributes`
    public static let getNotificationAttributes = CommandID(rawValue: 0)
    /// `CommandIDGetAppAttributes`
    public static let getAppAttributes = CommandID(rawValue: 1)
    /// `CommandIDPerformNotificationAction`
    public static let performNotificationAction = CommandID(rawValue: 2)
}

extension CommandID: CustomStringConvertible {
    /// The name, or `reserved3` and so on.
    public var description: String {
        switch rawValue {
        case 0: "getNotificationAttributes"
        case 1: "getAppAttributes"
        case 2: "performNotificationAction"
        default: "reserved\(rawValue)"
        }
    }
}

/// One of the two actions of a notification (R41). Open.
@frozen
public struct ActionID: RawRepresentable, Hashable, Sendable {
    /// The octet on the wire.
    public var rawValue: UInt8

    /// The value of an octet.
    @inlinable
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// `ActionIDPositive`
    public static let positive = ActionID(rawValue: 0)
    /// `ActionIDNegative`
    public static let negative = ActionID(rawValue: 1)

    /// The flag that tells that a notification has this action (R43); `nil` for a reserved action.
    @inlinable
    public var flag: EventFlags? {
        switch rawValue {
        case 0: .positiveAction
        case 1: .negativeAction
        default: nil
        }
    }
}

extension ActionID: CustomStringConvertible {
    /// The name, or `reserved2` and so on.
    public var description: String {
        switch rawValue {
        case 0: "positive"
        case 1: "negative"
        default: "reserved\(rawValue)"
        }
    }
}
