public import ANCS
internal import ANCSProvider

/// An incoming call, as a phone shows it.
public struct IncomingCall: Equatable, Sendable {
    /// The caller.
    public var caller: String
    /// The label of the caller's number, for example *mobile*.
    public var line: String
    /// The app that shows it.
    public var appIdentifier: AppIdentifier
    /// When it started, in the phone's local time; `nil` for the time at which it rings.
    public var date: NotificationDate?

    /// A call; by default one of the iPhone's telephone app.
    public init(
        caller: String, line: String = "", appIdentifier: AppIdentifier = .phone,
        date: NotificationDate? = nil
    ) {
        (self.caller, self.line, self.appIdentifier) = (caller, line, appIdentifier)
        self.date = date
    }

    /// The notification while it rings (category 1).
    func ringing(at date: NotificationDate) -> ProviderNotification {
        var notification = notification(
            .incomingCall, message: "Incoming Call", positive: "Answer", negative: "Decline",
            at: date)
        notification.isImportant = true
        return notification
    }

    /// The notification while it is active (category 12, S15).
    func active(at date: NotificationDate) -> ProviderNotification {
        notification(.activeCall, message: "Active Call", negative: "Hang Up", at: date)
    }

    /// The notification after it was not answered (category 2).
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
    /// The telephone app of an iPhone.
    public static var phone: AppIdentifier { known("com.apple.mobilephone") }

    /// An identifier that is known to be valid.
    static func known(_ text: StaticString) -> AppIdentifier {
        guard let identifier = try? AppIdentifier("\(text)") else {
            preconditionFailure("not an app identifier: \(text)")
        }
        return identifier
    }
}
