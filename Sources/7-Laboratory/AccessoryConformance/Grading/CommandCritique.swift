internal import Printing
internal import ANCS

/// A fault in the octets of a command, with the requirement that it breaks.
struct CommandCritique: Equatable, Sendable {
    package var requirement: Requirement
    /// The fault, without the number of the requirement.
    package var fault: String

    /// The fault and the number of the requirement that it breaks.
    var sentence: String { "\(fault): \(requirement.number)" }

    /// All faults of a value written to the Control Point, as far as the value alone shows them.
    static func critiques(of octets: [UInt8]) -> [CommandCritique] {
        do throws(ControlPointCommand.Rejection) {
            return critiques(of: try ControlPointCommand(decoding: octets.span))
        } catch { return [critique(of: error, in: octets)] }
    }

    /// The requirements that apply to a value, whether it follows them or not.
    package static func requirements(of octets: [UInt8]) -> [Requirement] {
        guard let first = octets.first else { return [.usesKnownCommands] }
        return switch CommandID(rawValue: first) {
        case .getNotificationAttributes:
            [
                .usesKnownCommands, .sendsWholeNotificationCommands, .givesMaximaWhereNeeded,
                .asksForKnownAttributes, .asksForAttributes, .asksForOctets,
            ]
        case .getAppAttributes:
            [.usesKnownCommands, .sendsWholeAppCommands, .asksForKnownAppAttributes]
        case .performNotificationAction:
            [.usesKnownCommands, .sendsWholeActions, .performsKnownActions]
        // CommandID is open: any octet can be written.
        case _: [.usesKnownCommands]
        }
    }

    // MARK: Values that are no command

    private static func critique(
        of rejection: ControlPointCommand.Rejection, in octets: [UInt8]
    ) -> CommandCritique {
        let isAction = octets.first == CommandID.performNotificationAction.rawValue
        return switch rejection.reason {
        case .empty:
            CommandCritique(
                requirement: .usesKnownCommands,
                fault: "an empty value was written, which is not a command")
        case .unknownCommand(let id):
            CommandCritique(
                requirement: .usesKnownCommands,
                fault: "the command \(id.rawValue) is reserved; the commands are 0, 1 and 2")
        case .truncated where isAction:
            CommandCritique(
                requirement: .sendsWholeActions,
                fault:
                    "PerformNotificationAction has \(counted(octets.count, "octet")) instead of 6")
        case .truncated:
            CommandCritique(
                requirement: .sendsWholeNotificationCommands,
                fault: "GetNotificationAttributes ends within the UID, after "
                    + counted(octets.count, "octet"))
        case .unterminatedAppIdentifier:
            CommandCritique(
                requirement: .sendsWholeAppCommands, fault: "no NUL ends the app identifier")
        case .invalidAppIdentifier:
            CommandCritique(
                requirement: .sendsWholeAppCommands, fault: "the app identifier is not UTF-8")
        case .missingMaximumLength(let id):
            CommandCritique(
                requirement: .givesMaximaWhereNeeded, fault: "requested \(id) without a maximum")
        case .excess(let count):
            CommandCritique(
                requirement: .sendsWholeActions,
                fault: "PerformNotificationAction has 6 octets, and \(count) more followed")
        }
    }

    // MARK: Commands that should not be sent

    private static func critiques(of command: ControlPointCommand) -> [CommandCritique] {
        switch command {
        case .getNotificationAttributes(let command): critiques(of: command)
        case .getAppAttributes(let command): critiques(of: command)
        case .performNotificationAction(let command):
            command.actionID.flag != nil
                ? []
                : [
                    CommandCritique(
                        requirement: .performsKnownActions,
                        fault: "the action \(command.actionID.rawValue) is reserved")
                ]
        }
    }

    private static func critiques(of command: GetNotificationAttributes) -> [CommandCritique] {
        let attributes = command.attributes
        var critiques: [CommandCritique] = []
        // A command without attributes about the last UID is a known probe (S8).
        if attributes.isEmpty, command.notificationUID != .probe {
            critiques.append(
                CommandCritique(requirement: .asksForAttributes, fault: "requested no attribute"))
        }
        for attribute in attributes where attribute.maxLength == 0 {
            critiques.append(
                CommandCritique(
                    requirement: .asksForOctets,
                    fault: "requested at most 0 octets of \(attribute.id)"))
        }
        if let bare = AttributeReading.textWithoutMaximum(in: command) {
            critiques.append(
                CommandCritique(
                    requirement: .givesMaximaWhereNeeded,
                    fault: "requested \(bare) without a maximum: what follows it was read as one, "
                        + attributes.map(\.text).joined(separator: ", ")))
        } else if let swapped = SwappedMaxima(attributes), swapped.isCertain {
            critiques.append(
                CommandCritique(requirement: .keepsOctetOrder, fault: swapped.sentence))
        } else if let stray = strayMaximum(in: attributes.map(\.id)) {
            critiques.append(
                CommandCritique(
                    requirement: .givesMaximaWhereNeeded,
                    fault: "\(stray) is followed by what looks like a maximum, but takes none"))
        } else if let reserved = attributes.first(where: { $0.id.rawValue > 7 }) {
            critiques.append(
                CommandCritique(
                    requirement: .asksForKnownAttributes,
                    fault: "the attribute \(reserved.id.rawValue) is reserved"))
        }
        return critiques
    }

    /// An attribute that takes no maximum, followed by what can only be a maximum: a reserved identifier and
    /// another octet, as in `00 40 00`.
    private static func strayMaximum(
        in ids: [NotificationAttributeID]
    ) -> NotificationAttributeID? {
        for index in ids.indices.dropLast(2)
        where ids[index].rawValue <= 7 && !ids[index].takesMaximumLength {
            if ids[index + 1].rawValue > 7 { return ids[index] }
        }
        return nil
    }

    private static func critiques(of command: GetAppAttributes) -> [CommandCritique] {
        var critiques: [CommandCritique] = []
        if command.attributes.isEmpty {
            critiques.append(
                CommandCritique(
                    requirement: .asksForAttributes, fault: "requested no attribute of an app"))
        }
        if let reserved = command.attributes.first(where: { $0.rawValue > 0 }) {
            critiques.append(
                CommandCritique(
                    requirement: .asksForKnownAppAttributes,
                    fault: "the app attribute \(reserved.rawValue) is reserved"))
        }
        return critiques
    }
}
