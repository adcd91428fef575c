/// An attribute that a *Get Notification Attributes* command asks for. Title, subtitle and message carry a
/// maximum length in octets, the other attributes must not (R25).
public struct NotificationAttributeRequest: Hashable, Sendable {
    /// The attribute.
    public let id: NotificationAttributeID
    /// The maximum length in octets; `nil` for attributes that take none. At least 1 in requests that are made
    /// here; a received command may ask for 0 (S9).
    public let maxLength: UInt16?

    /// A request for an attribute. Throws if title, subtitle or message have no maximum or one of 0, or if
    /// another attribute has one.
    public init(
        _ id: NotificationAttributeID, maxLength: UInt16? = nil
    ) throws(ControlPointCommand.UsageError) {
        guard (maxLength != nil) == id.takesMaximumLength, maxLength != 0 else {
            throw .invalidMaximumLength(id)
        }
        self.init(decoded: id, maxLength: maxLength)
    }

    /// A request as it stands in a received command.
    init(decoded id: NotificationAttributeID, maxLength: UInt16?) {
        self.id = id
        self.maxLength = maxLength
    }

    /// The identifier of the app that posted the notification.
    public static let appIdentifier = Self(decoded: .appIdentifier, maxLength: nil)
    /// The title, up to 65535 octets.
    public static let title = Self(decoded: .title, maxLength: .max)
    /// The subtitle, up to 65535 octets.
    public static let subtitle = Self(decoded: .subtitle, maxLength: .max)
    /// The message, up to 65535 octets.
    public static let message = Self(decoded: .message, maxLength: .max)
    /// The size of the whole message; its unit differs between systems (S11).
    public static let messageSize = Self(decoded: .messageSize, maxLength: nil)
    /// The date of the notification.
    public static let date = Self(decoded: .date, maxLength: nil)
    /// The label of the positive action.
    public static let positiveActionLabel = Self(decoded: .positiveActionLabel, maxLength: nil)
    /// The label of the negative action.
    public static let negativeActionLabel = Self(decoded: .negativeActionLabel, maxLength: nil)

    /// The title, cut after `maxLength` octets; throws for 0.
    public static func title(maxLength: UInt16) throws(ControlPointCommand.UsageError) -> Self {
        try Self(.title, maxLength: maxLength)
    }

    /// The subtitle, cut after `maxLength` octets; throws for 0.
    public static func subtitle(maxLength: UInt16) throws(ControlPointCommand.UsageError) -> Self {
        try Self(.subtitle, maxLength: maxLength)
    }

    /// The message, cut after `maxLength` octets; throws for 0.
    public static func message(maxLength: UInt16) throws(ControlPointCommand.UsageError) -> Self {
        try Self(.message, maxLength: maxLength)
    }

    /// All eight attributes of the specification, texts with the longest maximum.
    public static let all: [Self] = [
        .appIdentifier, .title, .subtitle, .message, .messageSize, .date, .positiveActionLabel,
        .negativeActionLabel,
    ]

    /// The length of the request within a command, in octets.
    var encodedCount: Int { maxLength == nil ? 1 : 3 }
}
