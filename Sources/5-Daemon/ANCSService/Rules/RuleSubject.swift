package import ANCS

/// A record as the rules see it, as far as it is known. Its texts come from the phone and are untrusted.
package struct RuleSubject: Equatable, Sendable {
    /// The texts of a notification; empty if the phone has none.
    package struct Texts: Equatable, Sendable {
        package var title = ""
        package var subtitle = ""
        package var message = ""
    }

    // MARK: Known at once

    package var phone: PhoneName
    package var category: CategoryID
    /// As received.
    package var flags: EventFlags = []
    package var event = EventID.added
    /// Whether it existed before the session, even if its flags do not say so.
    package var isPreExisting = false
    package var time: LocalTime
    /// The numbers of recent records of the phone, including this one.
    package var recent = RecentRecords()

    // MARK: Known later; nil is not known yet

    package var app: String?
    package var appName: String?
    /// Once these are known, everything is: a property that is still `nil` does not exist.
    package var texts: Texts?
    /// The one-time code in the texts.
    package var code: String?
    package var wasSeen: Bool?

    /// The flags, with *pre-existing* added if the phone omitted it.
    var allFlags: EventFlags { isPreExisting ? flags.union(.preExisting) : flags }
    /// Its title, if that is a telephone number.
    var number: DialedNumber? { texts.flatMap { DialedNumber($0.title) } }
    var isCall: Bool { CategoryID.calls.contains(category) }
}

/// How many records of a phone arrived within the time windows of the rules.
package struct RecentRecords: Equatable, Sendable {
    private var counts: [Duration: Int]

    package init(_ counts: [Duration: Int] = [:]) { self.counts = counts }

    /// The number within a window; 0 if it is not counted.
    package subscript(window: Duration) -> Int { counts[window] ?? 0 }
}
