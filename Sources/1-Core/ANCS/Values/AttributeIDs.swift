/// The identifier of a notification attribute (R26). Values without a name here are kept.
@frozen public struct NotificationAttributeID: RawRepresentable, Hashable, Sendable {
    /// The octet on the wire.
    public var rawValue: UInt8

    /// The identifier with this value on the wire.
    @inlinable public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// `NotificationAttributeIDAppIdentifier`
    public static let appIdentifier = NotificationAttributeID(rawValue: 0)
    /// `NotificationAttributeIDTitle`
    public static let title = NotificationAttributeID(rawValue: 1)
    /// `NotificationAttributeIDSubtitle`
    public static let subtitle = NotificationAttributeID(rawValue: 2)
    /// `NotificationAttributeIDMessage`
    public static let message = NotificationAttributeID(rawValue: 3)
    /// `NotificationAttributeIDMessageSize`: decimal digits (R33), whose unit differs between systems (S11).
    public static let messageSize = NotificationAttributeID(rawValue: 4)
    /// `NotificationAttributeIDDate`: see ``NotificationDate``.
    public static let date = NotificationAttributeID(rawValue: 5)
    /// `NotificationAttributeIDPositiveActionLabel`
    public static let positiveActionLabel = NotificationAttributeID(rawValue: 6)
    /// `NotificationAttributeIDNegativeActionLabel`
    public static let negativeActionLabel = NotificationAttributeID(rawValue: 7)

    /// Whether a maximum length follows this attribute in a command: it does for title, subtitle and message
    /// (R25).
    @inlinable public var takesMaximumLength: Bool { (1...3).contains(rawValue) }
}

extension NotificationAttributeID: CustomStringConvertible {
    /// The name, or `reserved8` and so on.
    public var description: String {
        switch rawValue {
        case 0: "appIdentifier"
        case 1: "title"
        case 2: "subtitle"
        case 3: "message"
        case 4: "messageSize"
        case 5: "date"
        case 6: "positiveActionLabel"
        case 7: "negativeActionLabel"
        default: "reserved\(rawValue)"
        }
    }
}

/// The identifier of an app attribute (R39). Values without a name here are kept.
@frozen public struct AppAttributeID: RawRepresentable, Hashable, Sendable {
    /// The octet on the wire.
    public var rawValue: UInt8

    /// The identifier with this value on the wire.
    @inlinable public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// `AppAttributeIDDisplayName`
    public static let displayName = AppAttributeID(rawValue: 0)
}

extension AppAttributeID: CustomStringConvertible {
    /// The name, or `reserved1` and so on.
    public var description: String { rawValue == 0 ? "displayName" : "reserved\(rawValue)" }
}
