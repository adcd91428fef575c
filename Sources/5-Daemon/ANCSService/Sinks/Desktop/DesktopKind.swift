internal import ANCS

/// The appearance of a category on the desktop.
struct DesktopKind: Sendable {
    /// A name from the Desktop Notifications Specification, *Categories*, or our own.
    let category: String
    /// A name from the Icon Naming Specification.
    let icon: String
    /// The text to show if the notification has none, or if its text must not be shown.
    let words: String
    /// The labels of the buttons before the phone's labels have arrived.
    let positive: String
    let negative: String

    private init(
        _ category: String, icon: String, _ words: String, positive: String = "Accept",
        negative: String = "Clear"
    ) {
        (self.category, self.icon, self.words, self.positive) = (category, icon, words, positive)
        self.negative = negative
    }

    init(_ id: CategoryID) {
        let name = "x-ancs.\(id)"
        self =
            switch id {
            case .incomingCall:
                Self(
                    "call.incoming", icon: "call-start", "Incoming call", positive: "Answer",
                    negative: "Decline")
            case .activeCall:
                Self("call", icon: "call-start", "Call", positive: "Answer", negative: "Hang up")
            case .missedCall:
                Self("call.unanswered", icon: "call-stop", "Missed call", positive: "Call back")
            case .voicemail: Self(name, icon: "phone", "Voicemail")
            case .social: Self("im.received", icon: "mail-message-new", "Message")
            case .schedule: Self(name, icon: "appointment-new", "Reminder")
            case .email: Self("email.arrived", icon: "mail-unread", "Mail")
            case .news: Self(name, icon: "phone", "News")
            case .healthAndFitness: Self(name, icon: "phone", "Health and fitness")
            case .businessAndFinance: Self(name, icon: "phone", "Business and finance")
            case .location: Self(name, icon: "phone", "Location")
            case .entertainment: Self(name, icon: "phone", "Entertainment")
            // CategoryID is open: apps of later versions may have others.
            case _: Self(name, icon: "phone", "Notification")
            }
    }
}
