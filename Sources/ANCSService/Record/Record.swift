package import ANCS
package import ANCSKit
package import LinuxIO

/// A notification as the daemon keeps it, passes it on and stores it: what the phone said, and what was made
/// of it.
///
/// Its texts came over the air and are untrusted.
package struct Record: Hashable, Sendable {
    /// What names it; a change of the notification keeps it.
    package let id: RecordID
    /// The record of an earlier session that this is the same as; its content says so, so that it is known only
    /// when that has come.
    package var sameAs: RecordID?
    /// The phone.
    package var phone: PhoneName
    /// What the phone said, as far as it was fetched.
    package var notification: ReceivedNotification
    /// When this came, by UTC: its announcement, or its latest change.
    package var time: CaptureTime
    /// A one-time code in its text.
    package var code: String?
    /// What the rules say.
    package var verdict: Verdict

    package init(
        id: RecordID, phone: PhoneName, notification: ReceivedNotification, time: CaptureTime,
        verdict: Verdict = Verdict()
    ) {
        self.id = id
        self.phone = phone
        self.notification = notification
        self.time = time
        self.verdict = verdict
    }

    /// Whether a call rings.
    package var isRinging: Bool { notification.category == .incomingCall }
}

/// Who a phone is.
package struct PhoneName: Hashable, Sendable {
    /// What names it in logs and records: 16 hexadecimal digits, see ``ProviderDescription/digest``.
    package var digest: String
    /// What its user calls it, where that is known. Untrusted text.
    package var name: String?

    package init(digest: String, name: String? = nil) {
        self.digest = digest
        self.name = name
    }

    /// Whether a text can be a digest.
    package static func isDigest(_ text: String) -> Bool {
        text.utf8.count == 16
            && text.utf8.allSatisfy {
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
                    || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0)
            }
    }
}

/// What the rules say of a record.
package struct Verdict: Hashable, Sendable {
    /// The name of the rule that decided; `nil` where none did.
    package var rule: String?
    /// Whether it is kept from the user: nothing is shown and no program runs. Its text is not fetched, where
    /// that was known in time.
    package var isMuted = false
    /// How it is shown; `nil` for not at all.
    package var popup: Popup? = Popup()
    /// What runs.
    package var programs: [Program] = []
    /// Whether the history may keep it.
    package var isRemembered = true
    /// How much of it a broker gets; `nil` for what the configuration says.
    package var publication: Publication?
    /// What is done on the phone at once. Never the positive action.
    package var action: ActionID?

    package init() {}

    /// How much of a record a broker gets.
    package enum Publication: Hashable, Sendable {
        /// Nothing at all.
        case none
        /// This much, where the configuration would have it otherwise.
        case content(ServiceConfiguration.Content)
    }

    /// How a record is shown on the desktop.
    package struct Popup: Hashable, Sendable {
        /// How much it wants to be seen.
        package enum Urgency: UInt8, Hashable, Sendable { case low, normal, critical }

        /// `nil` for what suits the record.
        package var urgency: Urgency?
        /// After which time it goes by itself, zero for never; `nil` for what the desktop does.
        package var expiry: Duration?
        /// The name of an icon or the path of one; `nil` for that of the category.
        package var icon: String?
        /// The name of a sound of the desktop's theme, empty for none; `nil` for what the desktop does.
        package var sound: String?

        package init() {}
    }

    /// A program that a rule runs. No shell is involved.
    package struct Program: Hashable, Sendable {
        /// The program and its arguments.
        package var arguments: [String]
        /// How long it may take.
        package var timeout: Duration

        package init(arguments: [String], timeout: Duration = .seconds(5)) {
            self.arguments = arguments
            self.timeout = timeout
        }
    }
}
