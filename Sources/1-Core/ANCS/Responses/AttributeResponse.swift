public import Octets

/// What an answer on the Data Source is about; nothing else ties it to its command (S4).
public enum ResponseIdentity: Hashable, Sendable {
    /// Attributes of a notification (R27).
    case notification(NotificationUID)
    /// Attributes of an app (R36).
    case app(AppIdentifier)

    /// The identity of the answer to a command; `nil` for an action, which has none (R42).
    public init?(answering command: ControlPointCommand) {
        switch command {
        case .getNotificationAttributes(let command): self = .notification(command.notificationUID)
        case .getAppAttributes(let command): self = .app(command.appIdentifier)
        case .performNotificationAction: return nil
        }
    }

    /// The command identifier, the first octet of the answer.
    public var commandID: CommandID {
        switch self {
        case .notification: .getNotificationAttributes
        case .app: .getAppAttributes
        }
    }

    /// The octets of an answer before its first attribute.
    package var header: [UInt8] { AttributeResponse(identity: self, attributes: []).octets }

    /// The identity in a complete header.
    init(header: Span<UInt8>) {
        if header[0] == CommandID.getAppAttributes.rawValue {
            self = .app(AppIdentifier(received: Array(header.extracting(1..<(header.count - 1)))))
        } else {
            self = .notification(NotificationUID(header.extracting(droppingFirst: 1)))
        }
    }
}

extension NotificationUID {
    /// The notification identifier in four octets.
    init(_ octets: Span<UInt8>) {
        self.init(
            rawValue: UInt32(octets[0]) | UInt32(octets[1]) << 8 | UInt32(octets[2]) << 16
                | UInt32(octets[3]) << 24)
    }
}

/// An answer to *Get Notification Attributes* or *Get App Attributes* (R27, R36).
///
///     0x00  NotificationUID   AttributeID  length, 2 octets  value  ...
///     0x01  AppIdentifier  0  AttributeID  length, 2 octets  value  ...
public struct AttributeResponse: Hashable, Sendable {
    /// The notification or app.
    public var identity: ResponseIdentity
    /// The attributes, in the order of the answer.
    public var attributes: [AttributeValue]

    /// An answer with these attributes.
    public init(identity: ResponseIdentity, attributes: [AttributeValue]) {
        self.identity = identity
        self.attributes = attributes
    }

    /// The attribute of a notification; `nil` if the answer does not have it.
    public subscript(id: NotificationAttributeID) -> AttributeValue? {
        guard case .notification = identity else { return nil }
        return attributes.first { $0.id == id.rawValue }
    }

    /// The attribute of an app; `nil` if the answer does not have it.
    public subscript(id: AppAttributeID) -> AttributeValue? {
        guard case .app = identity else { return nil }
        return attributes.first { $0.id == id.rawValue }
    }

    /// Whether both answers have the same identity and the same attributes, in any order (S5).
    func saysTheSame(as other: Self) -> Bool {
        identity == other.identity && attributes.count == other.attributes.count
            && attributes.allSatisfy { other.attributes.contains($0) }
    }
}

extension AttributeResponse: OctetEncodable {
    /// The length of the whole answer in octets; the Notification Provider cuts it into values (R30).
    public var encodedCount: Int {
        let header =
            switch identity {
            case .notification: 5
            case .app(let identifier): identifier.octets.count + 2
            }
        return attributes.reduce(header) { count, attribute in count + 3 + attribute.octets.count }
    }

    /// Appends the whole answer.
    public func encode(into output: inout OutputSpan<UInt8>) {
        output.append(identity.commandID.rawValue)
        switch identity {
        case .notification(let uid): output.append(littleEndian: uid.rawValue)
        case .app(let identifier):
            output.append(octets: identifier.octets)
            output.append(0)
        }
        for attribute in attributes {
            output.append(attribute.id)
            output.append(littleEndian: UInt16(attribute.octets.count))
            output.append(octets: attribute.octets)
        }
    }
}
