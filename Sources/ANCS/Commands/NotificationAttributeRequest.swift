/// An attribute that a *Get Notification Attributes* command asks for. Title, subtitle and message
/// carry a maximum length in octets, the others cannot (R25).
public struct NotificationAttributeRequest: Hashable, Sendable {
    /// The attribute.
    public let id: NotificationAttributeID
    /// The maximum length in octets: at least 1 in commands that are made here; commands that came
    /// over the air may hold 0 (S9). `nil` for attributes that take none.
    public let maxLength: UInt16?

    /// Asks for an attribute. Throws if title, subtitle or message come without a maximum or with 0,
    /// or if another attribute comes with one.
    public init(
        _ id: NotificationAttributeID, maxLength: UInt16? = nil
    ) throws(ControlPointCommand.UsageError) {
        guard (maxLength != nil) == id.takesMaximumLength, maxLength != 0 else {
            throw .invalidMaximumLength(id)
        }
        self.init(decoded: id, maxLength: maxLength)
    }

    /// What a command on the wire asks for, as it stands there.
    init(decoded id: NotificationAttributeID, maxLength: UInt16?) {
        self.id = id
        self.maxLength = maxLength
    }

    /// The identifier of the app.
    public static let appIdentifier = Self(decoded: .appIdentifier, maxLength: nil)
    /// The whole title.
    public static let title = Self(decoded: .title, maxLength: .max)
    /// The whole subtitle.
    public static let subtitle = Self(decoded: .subtitle, maxLength: .max)
    /// The whole message.
    public static let message = Self(decoded: .message, maxLength: .max)
    /// The size of the message.
    public static let messageSize = Self(decoded: .messageSize, maxLength: nil)
    /// The date.
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

    /// All eight attributes of the specification, texts whole.
    public static let all: [Self] = [
        .appIdentifier, .title, .subtitle, .message, .messageSize, .date, .positiveActionLabel,
        .negativeActionLabel,
    ]

    /// How many octets the request takes in a command.
    var encodedCount: Int { maxLength == nil ? 1 : 3 }
}
