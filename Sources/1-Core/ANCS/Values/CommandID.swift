/// The first octet of a Control Point command and of its answer (R23). Values without a name here are kept.
@frozen public struct CommandID: RawRepresentable, Hashable, Sendable {
    /// The octet on the wire.
    public var rawValue: UInt8

    /// The identifier with this value on the wire.
    @inlinable public init(rawValue: UInt8) { self.rawValue = rawValue }

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

/// An action of a notification: a notification has at most two (R41). Values without a name here are kept.
@frozen public struct ActionID: RawRepresentable, Hashable, Sendable {
    /// The octet on the wire.
    public var rawValue: UInt8

    /// The action with this value on the wire.
    @inlinable public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// `ActionIDPositive`
    public static let positive = ActionID(rawValue: 0)
    /// `ActionIDNegative`
    public static let negative = ActionID(rawValue: 1)

    /// The flag of notifications that have this action (R43); `nil` for a reserved action.
    @inlinable public var flag: EventFlags? {
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
