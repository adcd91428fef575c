internal import Octets

/// A command in flight, and who waits for it.
struct ControlPointTransaction: Sendable {
    var command: ControlPointCommand
    var requests: [RequestID]
    var deadline: MonotonicInstant

    /// The answer on the Data Source; `nil` for an action, which has none (R42).
    var expectation: DataSourceStream.Expectation? {
        switch command {
        case .getNotificationAttributes(let command):
            DataSourceStream.Expectation(
                identity: .notification(command.notificationUID),
                requested: AttributeIDSet(command))
        case .getAppAttributes(let command):
            DataSourceStream.Expectation(
                identity: .app(command.appIdentifier), requested: AttributeIDSet(command))
        case .performNotificationAction:
            nil
        }
    }

    /// Whether the request could be added, for it wants the same.
    mutating func join(_ other: ControlPointCommand, _ request: RequestID, limit: Int) -> Bool {
        guard command == other, requests.count < limit else { return false }
        requests.append(request)
        return true
    }

    func isFetch(of uid: NotificationUID) -> Bool {
        expectation?.identity == .notification(uid)
    }
}
