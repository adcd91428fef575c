package import ANCS
package import Kinds

extension NotificationSourceValue: JSONDescribed {
    /// Describes the announcement: `event`, and then the rest.
    package func describe(to object: inout some JSONMembers) {
        object.add("event", .string(eventID.description))
        describeNotification(to: &object)
    }

    /// Describes what the announcement says of the notification: `uid`, `flags`, `category`, `categoryID`,
    /// `categoryCount`.
    package func describeNotification(to object: inout some JSONMembers) {
        object.add("uid", .integer(Int(notificationUID.rawValue)))
        object.add("flags", texts: eventFlags.names)
        object.add("category", .string(categoryID.description))
        object.add("categoryID", .integer(Int(categoryID.rawValue)))
        object.add("categoryCount", .integer(Int(categoryCount)))
    }

    /// What the phone announced.
    package static let members: LineKind.Members = [
        "uid": .uid, "flags": .flags.described("an unknown one is `reserved` and its number"),
        "category": .text.described(
            "an unknown one is `reserved` and its number, or the name of what iOS is known to use it for"
        ),
        "categoryID": .octet,
        "categoryCount": .octet.described("how many notifications of the category the phone has"),
    ]
}

extension ControlPointCommand: JSONDescribed {
    /// Describes the command and its parameters, member by member.
    package func describe(to object: inout some JSONMembers) {
        describeSubject(to: &object)
        switch self {
        case .getNotificationAttributes(let command):
            object.add("attributes", objects: command.attributes) { attribute, member in
                member.add("id", .integer(Int(attribute.id.rawValue)))
                member.add("name", .string(attribute.id.description))
                if let maxLength = attribute.maxLength {
                    member.add("maxLength", .integer(Int(maxLength)))
                }
            }
        case .getAppAttributes(let command):
            object.add("attributes", objects: command.attributes) { id, member in
                member.add("id", .integer(Int(id.rawValue)))
                member.add("name", .string(id.description))
            }
        case .performNotificationAction: break
        }
    }

    /// Describes which command it is, without the attributes that it asks for.
    package func describeSubject(to object: inout some JSONMembers) {
        object.add("command", .string(commandID.description))
        switch self {
        case .getNotificationAttributes(let command):
            object.add("uid", .integer(Int(command.notificationUID.rawValue)))
        case .getAppAttributes(let command):
            object.add("appIdentifier", .string(command.appIdentifier.description))
        case .performNotificationAction(let command):
            object.add("uid", .integer(Int(command.notificationUID.rawValue)))
            object.add("action", .string(command.actionID.description))
            object.add("actionID", .integer(Int(command.actionID.rawValue)))
        }
    }
}

extension EventID {
    /// The sign for added, modified or removed.
    package var mark: String {
        switch self {
        case .added: "+"
        case .modified: "~"
        case .removed: "-"
        // EventID is open: a phone may announce what the specification does not know.
        default: "?"
        }
    }
}
