/// A command that is queued or in flight, and the requests that it answers.
struct ControlPointTransaction: Sendable {
    let command: WrittenCommand
    var requests: [RequestID]

    var isAction: Bool { command.commandID == .performNotificationAction }

    func isFetch(of uid: NotificationUID) -> Bool {
        command.commandID == .getNotificationAttributes && command.notificationUID == uid
    }
}
