internal import Printing
package import ANCSReceiver
package import LinuxIO

/// A notification as the daemon stores it and passes it on: the data from the phone and the result of the
/// rules.
///
/// Its texts come from the phone and are untrusted.
package struct Record: Equatable, Sendable {
    /// Its identifier, which does not change when the notification does.
    package let id: RecordID
    /// The record of an earlier session for the same notification; known only once the content has arrived,
    /// which identifies it.
    package var sameAs: RecordID?
    /// The phone.
    package var phone: PhoneName
    /// The notification, as far as it was fetched.
    package var notification: ReceivedNotification
    /// The time of its announcement or its latest change, in UTC.
    package var time: CaptureTime
    /// The one-time code in its text, if there is one.
    package var code: String?
    /// The result of the rules.
    package var verdict: RuleVerdict = RuleVerdict()
    /// How its call ended; `nil` if it is not over, or no call.
    package var outcome: CallOutcome?

    /// Whether it is a ringing call.
    package var isRinging: Bool { notification.category == .incomingCall }
}

/// Identifies a phone.
package struct PhoneName: Equatable, Sendable {
    /// The digest that identifies it in logs and records: 16 hexadecimal digits, see
    /// ``PeerDescription/digest``.
    package var digest: String
    /// Its name, if it is known. Untrusted.
    package var name: String?

    package init(digest: String, name: String? = nil) {
        self.digest = digest
        self.name = name
    }

    /// Whether a text has the form of a digest.
    package static func isDigest(_ text: String) -> Bool {
        text.utf8.count == 16
            && text.utf8.allSatisfy {
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
                    || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0)
            }
    }
}

/// The result of the rules for a record.
package struct RuleVerdict: Equatable, Sendable {
    /// The name of the rule that decided; `nil` if none did.
    package var rule: String?
    /// Whether it is hidden from the user: nothing is shown and no program runs. If this is known early
    /// enough, its text is not fetched.
    package var isMuted = false
    /// How it is shown; `nil` if it is not.
    package var popup: Popup? = Popup()
    /// The programs to run.
    package var programs: [Program] = []
    /// Whether the history may store it.
    package var isRemembered = true
    /// How much of it a broker receives; `nil` for the configured amount.
    package var publication: Publication?
    /// The action to perform at once. Never the positive one.
    package var action: ActionID?

    /// How much of a record a broker receives.
    package enum Publication: Equatable, Sendable {
        /// Nothing.
        case none
        /// This much, instead of the configured amount.
        case content(RecordContent)
    }

    /// How a record is shown on the desktop.
    package struct Popup: Equatable, Sendable {
        /// The urgency of a popup.
        package enum Urgency: UInt8, Equatable, Sendable { case low, normal, critical }

        /// `nil` for the default of the record.
        package var urgency: Urgency?
        /// When it disappears, zero for never; `nil` for the default of the desktop.
        package var expiry: Duration?
        /// The name or path of an icon; `nil` for that of the category.
        package var icon: String?
        /// The name of a sound in the desktop's theme, empty for none; `nil` for the default of the desktop.
        package var sound: String?
    }

    /// A program that a rule runs, without a shell.
    package struct Program: Equatable, Sendable {
        /// The program and its arguments.
        package var arguments: [String]
        /// The time limit.
        package var timeout: Duration = .seconds(5)
        /// The name of the rule that runs it, which need not be the one that decided; `nil` outside of rules.
        package var rule: String?
    }
}

extension CategoryID {
    /// The categories of calls, whose title is the caller.
    static let calls: [CategoryID] = [.incomingCall, .activeCall, .missedCall]
}

extension ReceivedNotification.App {
    /// Its name as ``MatchingFold`` has it, for programs that compare it.
    var plainName: String? { displayName.map(MatchingFold.text) }
}
