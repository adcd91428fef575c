package import ANCS

/// A rule of the configuration: what it is about, and what is done with it.
package struct Rule: Hashable, Sendable {
    /// What names it in records, messages and `ancs rules test`.
    package var name: String
    /// Where it stands in its file.
    package var place: TextPlace
    /// What a record has to be; all of it.
    package var conditions: [RuleCondition]
    /// What is done.
    package var effects: RuleEffects
    /// Whether later rules are asked too.
    package var continues: Bool

    package init(
        name: String, place: TextPlace = TextPlace(line: 1, column: 1),
        conditions: [RuleCondition] = [], effects: RuleEffects = RuleEffects(),
        continues: Bool = false
    ) {
        self.name = name
        self.place = place
        self.conditions = conditions
        self.effects = effects
        self.continues = continues
    }

    /// Whether it is for ringing calls and nothing else, by its own words.
    package var isForCallsOnly: Bool {
        conditions.contains(.category([.incomingCall]))
    }
}

/// One thing that a rule looks at. Lists are alternatives.
package indirect enum RuleCondition: Hashable, Sendable {
    /// The phone's name or digest.
    case phone([Glob])
    case category([CategoryID])
    /// One of these flags is set.
    case flags([EventFlags])
    case event([EventID])
    case schedule(Schedule)
    case burst(Burst)
    /// The identifier of the app.
    case app([Glob])
    case appName([Glob])
    case title([Pattern])
    case subtitle([Pattern])
    case message([Pattern])
    /// The title, the subtitle or the message.
    case text([Pattern])
    /// The title of a call.
    case caller([Pattern])
    /// Whether an earlier session has delivered the same.
    case seen(Bool)
    /// Whether the text has a one-time code.
    case code(Bool)
    /// Not all of these hold.
    case not([RuleCondition])

    /// The categories that are calls, whose title is the caller.
    static let calls: [CategoryID] = [.incomingCall, .activeCall, .missedCall]
}

/// More records of one phone than so many within so long: `5/10s`.
package struct Burst: Hashable, Sendable, CustomStringConvertible {
    /// The largest number and the longest time that are counted.
    package static let maximumCount = 1000
    package static let maximumWindow = Duration.seconds(3600)

    package var count: Int
    package var window: Duration

    package init(count: Int, window: Duration) {
        self.count = count
        self.window = window
    }

    /// Reads `5/10s`; `nil` for another text.
    package init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, let count = DecimalText.number(parts[0]),
            (1...Self.maximumCount).contains(count), let window = DurationWord.duration(parts[1]),
            window > .zero, window <= Self.maximumWindow
        else { return nil }
        self.init(count: count, window: window)
    }

    package var description: String { "\(count)/\(DurationWord.text(window))" }
}

/// What a rule does.
package struct RuleEffects: Hashable, Sendable {
    /// Nothing is shown and nothing runs, whatever later rules say.
    package var mutes = false
    /// How it is shown; what is `nil` stays as it was.
    package var popup = PopupChange()
    package var programs: [Verdict.Program] = []
    /// The history does not keep it.
    package var forgets = false
    /// How much of it a broker gets; `nil` leaves that as it was.
    package var publication: Verdict.Publication?
    /// The negative action is performed.
    package var performsNegative = false

    package init() {}

    /// What a rule says of how a record is shown.
    package struct PopupChange: Hashable, Sendable {
        package var isShown: Bool?
        package var urgency: Verdict.Popup.Urgency?
        package var expiry: Duration?
        package var icon: String?
        package var sound: String?

        package init() {}
    }
}
