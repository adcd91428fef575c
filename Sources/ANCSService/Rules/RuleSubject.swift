package import ANCS

/// What rules look at, as far as it is known. Its texts came over the air and are untrusted.
package struct RuleSubject: Hashable, Sendable {
    /// The texts of a notification; empty where the phone has none.
    package struct Texts: Hashable, Sendable {
        package var title: String
        package var subtitle: String
        package var message: String

        package init(title: String = "", subtitle: String = "", message: String = "") {
            self.title = title
            self.subtitle = subtitle
            self.message = message
        }
    }

    // MARK: Known at once

    package var phone: PhoneName
    package var category: CategoryID
    /// As the phone sent them.
    package var flags: EventFlags
    package var event: EventID
    /// Whether it was there before the session, though its flags may not say so.
    package var isPreExisting: Bool
    package var time: LocalTime
    /// How many records of the phone came lately, this one included.
    package var recent: RecentRecords

    // MARK: Known later; nil is not known yet

    package var app: String?
    package var appName: String?
    /// With them everything is known: what is `nil` then will not come.
    package var texts: Texts?
    /// A one-time code in the texts.
    package var code: String?
    package var wasSeen: Bool?

    package init(
        phone: PhoneName, category: CategoryID, flags: EventFlags = [], event: EventID = .added,
        isPreExisting: Bool = false, time: LocalTime, recent: RecentRecords = RecentRecords()
    ) {
        self.phone = phone
        self.category = category
        self.flags = flags
        self.event = event
        self.isPreExisting = isPreExisting
        self.time = time
        self.recent = recent
    }

    /// The flags, with what the flags of the phone forgot.
    var allFlags: EventFlags { isPreExisting ? flags.union(.preExisting) : flags }
    var isCall: Bool { RuleCondition.calls.contains(category) }
}

/// How many records of a phone came within the windows that rules look at.
package struct RecentRecords: Hashable, Sendable {
    private var counts: [Duration: Int]

    package init(_ counts: [Duration: Int] = [:]) { self.counts = counts }

    /// How many came within a window; 0 where nothing counts them.
    package subscript(window: Duration) -> Int { counts[window] ?? 0 }
}
