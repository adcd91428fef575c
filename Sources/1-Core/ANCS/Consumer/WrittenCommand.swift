/// A command as it is written to the Control Point. The octets hold both what it asks for and how its answer
/// starts, so a session keeps and compares nothing but octets.
struct WrittenCommand: Sendable {
    let octets: [UInt8]
    /// The length of the header in octets: the answer starts with the same ones (R27, R36).
    let headerCount: Int

    init(_ command: GetNotificationAttributes) {
        octets = command.octets
        headerCount = 5
    }

    init(_ command: GetAppAttributes) {
        octets = command.octets
        headerCount = 2 + command.appIdentifier.octets.count
    }

    init(_ command: PerformNotificationAction) {
        octets = command.octets
        headerCount = 5
    }

    var commandID: CommandID { CommandID(rawValue: octets[0]) }

    /// The notification that the command is about; `nil` for an app.
    var notificationUID: NotificationUID? {
        commandID == .getAppAttributes ? nil : NotificationUID(octets.span.extracting(1..<5))
    }

    /// The action that the command performs; `nil` for others.
    var actionID: ActionID? {
        commandID == .performNotificationAction ? ActionID(rawValue: octets[5]) : nil
    }

    /// The identity of the command and of its answer.
    var identity: ResponseIdentity {
        ResponseIdentity(header: octets.span.extracting(first: headerCount))
    }

    /// The attributes that complete the answer (R32).
    var requested: AttributeIDSet {
        var ids = AttributeIDSet()
        var index = headerCount
        while index < octets.count {
            ids.insert(octets[index])
            let hasMaximumLength =
                commandID == .getNotificationAttributes
                && NotificationAttributeID(rawValue: octets[index]).takesMaximumLength
            index += hasMaximumLength ? 3 : 1
        }
        return ids
    }

    /// Whether the answers to both commands start with the same octets.
    func isAbout(whatIsAskedBy other: Self) -> Bool {
        headerCount == other.headerCount
            && other.octets.span.extracting(first: headerCount).isStart(ofAnswerTo: self)
    }

    /// Whether both commands have the same answer.
    func asksTheSame(as other: Self) -> Bool {
        isAbout(whatIsAskedBy: other) && requested == other.requested
    }
}

extension Span where Element == UInt8 {
    /// Whether the octets match the start of the answer to a command, as far as they go.
    func isStart(ofAnswerTo command: WrittenCommand, after position: Int = 0) -> Bool {
        let compared = Swift.min(count, command.headerCount - position)
        guard compared > 0 else { return true }
        for index in 0..<compared where self[index] != command.octets[position + index] {
            return false
        }
        return true
    }
}

extension ResponseHeaderReader {
    /// Whether a complete header is that of the answer to a command.
    func isHeader(ofAnswerTo command: WrittenCommand) -> Bool {
        octets.count == command.headerCount && octets.span.isStart(ofAnswerTo: command)
    }
}
