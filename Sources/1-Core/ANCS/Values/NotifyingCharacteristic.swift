/// The characteristics of ANCS that send notifications (R6).
public enum NotifyingCharacteristic: Hashable, Sendable {
    /// Notification Source.
    case notificationSource
    /// Data Source.
    case dataSource
}
