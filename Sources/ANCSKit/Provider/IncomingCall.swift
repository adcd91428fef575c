public import ANCS

/// A call that comes in, as a phone shows it.
public struct IncomingCall: Hashable, Sendable {
    /// Who calls.
    public var caller: String
    /// Which of the caller's numbers it is, for example *mobile*.
    public var line: String
    /// The app that shows it.
    public var appIdentifier: AppIdentifier
    /// When it began, in the phone's local time; `nil` for the time at which it rings.
    public var date: NotificationDate?

    /// A call on the telephone, unless said otherwise.
    public init(
        caller: String, line: String = "", appIdentifier: AppIdentifier = .phone,
        date: NotificationDate? = nil
    ) {
        self.caller = caller
        self.line = line
        self.appIdentifier = appIdentifier
        self.date = date
    }

    /// What is shown while it rings (category 1).
    func ringing(at date: NotificationDate) -> ProviderNotification {
        var notification = notification(
            .incomingCall, message: "Incoming Call", positive: "Answer", negative: "Decline",
            at: date)
        notification.isImportant = true
        return notification
    }

    /// What is shown while it is held (category 12, S15).
    func active(at date: NotificationDate) -> ProviderNotification {
        notification(.activeCall, message: "Active Call", negative: "Hang Up", at: date)
    }

    /// What is shown once it was not answered (category 2).
    func missed(at date: NotificationDate) -> ProviderNotification {
        notification(
            .missedCall, message: "Missed Call", positive: "Dial", negative: "Clear", at: date)
    }

    private func notification(
        _ category: CategoryID, message: String, positive: String? = nil, negative: String,
        at date: NotificationDate
    ) -> ProviderNotification {
        ProviderNotification(
            appIdentifier: appIdentifier, categoryID: category, title: caller, subtitle: line,
            message: message, date: self.date ?? date, positiveActionLabel: positive,
            negativeActionLabel: negative)
    }
}

extension AppIdentifier {
    /// The telephone of an iPhone.
    public static var phone: AppIdentifier { known("com.apple.mobilephone") }

    /// An identifier that is known to be one.
    static func known(_ text: StaticString) -> AppIdentifier {
        guard let identifier = try? AppIdentifier("\(text)") else {
            preconditionFailure("not an app identifier: \(text)")
        }
        return identifier
    }
}
