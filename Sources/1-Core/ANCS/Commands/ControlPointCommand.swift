public import Octets

/// A command, written to the Control Point characteristic with a response (R21). The initializers throw, so
/// every command that exists is well-formed.
public enum ControlPointCommand: Hashable, Sendable {
    /// Asks for attributes of a notification.
    case getNotificationAttributes(GetNotificationAttributes)
    /// Asks for attributes of an app.
    case getAppAttributes(GetAppAttributes)
    /// Performs an action of a notification.
    case performNotificationAction(PerformNotificationAction)

    /// Why a command cannot be made: the arguments are invalid.
    public enum UsageError: Error, Hashable, Sendable {
        /// Title, subtitle and message need a maximum of 1 to 65535 octets; other attributes take none (R25).
        case invalidMaximumLength(NotificationAttributeID)
        /// An app identifier is UTF-8 without NUL, and not empty (R2, R35).
        case invalidAppIdentifier
        /// The list of attributes is empty: a command asks for at least one (S8).
        case noAttributes
        /// The command would be `octets` octets long, more than an attribute value can hold
        /// (``maximumCount``).
        case tooLong(octets: Int)
    }

    /// The longest command, in octets: the longest attribute value (Core Vol 3, Part F, 3.2.9).
    public static let maximumCount = 512

    /// The command identifier, the first octet on the wire.
    public var commandID: CommandID {
        switch self {
        case .getNotificationAttributes: .getNotificationAttributes
        case .getAppAttributes: .getAppAttributes
        case .performNotificationAction: .performNotificationAction
        }
    }

    /// The attributes that it asks for, in order.
    package var requestedAttributes: [UInt8] {
        switch self {
        case .getNotificationAttributes(let command): command.attributes.map { $0.id.rawValue }
        case .getAppAttributes(let command): command.attributes.map { $0.rawValue }
        case .performNotificationAction: []
        }
    }
}

extension ControlPointCommand: OctetEncodable {
    /// The length of the command in octets; more than ATT_MTU - 3 needs a long write (S24).
    public var encodedCount: Int {
        switch self {
        case .getNotificationAttributes(let command): command.encodedCount
        case .getAppAttributes(let command): command.encodedCount
        case .performNotificationAction(let command): command.encodedCount
        }
    }

    /// Appends the command.
    public func encode(into output: inout OutputSpan<UInt8>) {
        switch self {
        case .getNotificationAttributes(let command): command.encode(into: &output)
        case .getAppAttributes(let command): command.encode(into: &output)
        case .performNotificationAction(let command): command.encode(into: &output)
        }
    }
}

/// Asks for attributes of a notification (R24).
///
///     octet  0     1...4            5...
///            0x00  NotificationUID  AttributeID [maximum length, 2 octets] ...
public struct GetNotificationAttributes: Hashable, Sendable, OctetEncodable {
    /// The notification.
    public let notificationUID: NotificationUID
    /// The attributes to fetch. Not empty in commands that are made here; a received command may ask for none
    /// (S8).
    public let attributes: [NotificationAttributeRequest]

    /// A command for these attributes. Throws if there are none, or if the command is longer than
    /// ``ControlPointCommand/maximumCount``.
    public init(
        notificationUID: NotificationUID, attributes: [NotificationAttributeRequest]
    ) throws(ControlPointCommand.UsageError) {
        guard !attributes.isEmpty else { throw .noAttributes }
        self.init(decoded: notificationUID, attributes: attributes)
        guard encodedCount <= ControlPointCommand.maximumCount else {
            throw .tooLong(octets: encodedCount)
        }
    }

    init(decoded notificationUID: NotificationUID, attributes: [NotificationAttributeRequest]) {
        self.notificationUID = notificationUID
        self.attributes = attributes
    }

    /// The length in octets: 5, and 1 or 3 for each attribute.
    public var encodedCount: Int {
        attributes.reduce(5) { count, attribute in count + attribute.encodedCount }
    }

    /// Appends the command.
    public func encode(into output: inout OutputSpan<UInt8>) {
        output.append(CommandID.getNotificationAttributes.rawValue)
        output.append(littleEndian: notificationUID.rawValue)
        for attribute in attributes {
            output.append(attribute.id.rawValue)
            if let maxLength = attribute.maxLength { output.append(littleEndian: maxLength) }
        }
    }
}

/// Asks for attributes of an app (R35).
///
///     octet  0     1...           n  n+1...
///            0x01  AppIdentifier  0  AttributeID ...
public struct GetAppAttributes: Hashable, Sendable, OctetEncodable {
    /// The app.
    public let appIdentifier: AppIdentifier
    /// The attributes to fetch. Not empty in commands that are made here; a received command may ask for none
    /// (S8).
    public let attributes: [AppAttributeID]

    /// Asks for the display name of an app.
    public init(displayNameOf appIdentifier: AppIdentifier) {
        self.init(decoded: appIdentifier, attributes: [.displayName])
    }

    /// A command for these attributes. Throws if there are none, or if the command is longer than
    /// ``ControlPointCommand/maximumCount``.
    public init(
        appIdentifier: AppIdentifier, attributes: [AppAttributeID]
    ) throws(ControlPointCommand.UsageError) {
        guard !attributes.isEmpty else { throw .noAttributes }
        self.init(decoded: appIdentifier, attributes: attributes)
        guard encodedCount <= ControlPointCommand.maximumCount else {
            throw .tooLong(octets: encodedCount)
        }
    }

    init(decoded appIdentifier: AppIdentifier, attributes: [AppAttributeID]) {
        self.appIdentifier = appIdentifier
        self.attributes = attributes
    }

    /// The length in octets: 2, the length of the identifier, and 1 for each attribute.
    public var encodedCount: Int { 2 + appIdentifier.octets.count + attributes.count }

    /// Appends the command.
    public func encode(into output: inout OutputSpan<UInt8>) {
        output.append(CommandID.getAppAttributes.rawValue)
        output.append(octets: appIdentifier.octets)
        output.append(0)
        for attribute in attributes { output.append(attribute.rawValue) }
    }
}

/// Performs an action of a notification (R40).
///
///     octet  0     1...4            5
///            0x02  NotificationUID  ActionID
public struct PerformNotificationAction: Hashable, Sendable, OctetEncodable {
    /// The notification.
    public let notificationUID: NotificationUID
    /// The action.
    public let actionID: ActionID

    /// A command that performs an action.
    public init(notificationUID: NotificationUID, actionID: ActionID) {
        self.notificationUID = notificationUID
        self.actionID = actionID
    }

    /// The length in octets: 6.
    public var encodedCount: Int { 6 }

    /// Appends the command.
    public func encode(into output: inout OutputSpan<UInt8>) {
        output.append(CommandID.performNotificationAction.rawValue)
        output.append(littleEndian: notificationUID.rawValue)
        output.append(actionID.rawValue)
    }
}
