package import ANCS

/// A notification with its name in the scenario.
package struct NamedNotification: Equatable, Sendable {
    /// The name in steps.
    package var name = ""
    /// Its content.
    package var content = NotificationContent()
}

/// A scenario's description of a notification; `nil` leaves a property unchanged.
package struct NotificationContent: Equatable, Sendable {
    package var app: String?
    package var category: CategoryID?
    package var title: String?
    package var subtitle: String?
    package var message: String?
    package var date: DateChoice?
    /// The label of the positive action; an empty one removes the action.
    package var positive: String?
    /// The label of the negative action; an empty one removes the action.
    package var negative: String?
    package var isSilent: Bool?
    package var isImportant: Bool?

    /// The date of a notification.
    package enum DateChoice: Equatable, Sendable {
        /// The time at which it is posted.
        case now
        /// No date (S12).
        case none
        /// This date, in the phone's time zone.
        case at(NotificationDate)
    }
}
