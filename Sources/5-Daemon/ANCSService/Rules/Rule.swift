internal import Printing
package import ANCS

/// A rule of the configuration: conditions and effects.
package struct Rule: Equatable, Sendable {
    /// Its name in records, messages and `ancs rules test`.
    package var name: String
    /// Its place in the file.
    package var place: TextPlace = TextPlace(line: 1, column: 1)
    /// The conditions, all of which have to hold.
    package var conditions: [RuleCondition] = []
    /// The effects.
    package var effects: RuleEffects = RuleEffects()
    /// Whether evaluation continues with later rules.
    package var continues = false

    /// Whether its own conditions restrict it to incoming calls, so that it may decline them.
    package var isForCallsOnly: Bool { conditions.contains(.category([.incomingCall])) }
}

/// A condition of a rule. Lists are alternatives.
package indirect enum RuleCondition: Equatable, Sendable {
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
    /// A pattern is found in this text.
    case search(SearchedText, [Pattern])
    /// The title is one of these telephone numbers.
    case number([DialedNumber])
    /// Whether an earlier session has delivered the notification.
    case seen(Bool)
    /// Whether the text has a one-time code.
    case code(Bool)
    /// Not all of these conditions hold.
    case not([RuleCondition])
}

/// A text of a record that patterns are searched in: a key of `match`.
package enum SearchedText: String, Equatable, Sendable {
    case title, subtitle, message
    /// The title, the subtitle or the message.
    case text
    /// The title of a call, which is the caller.
    case caller

    typealias Part = KeyPath<RuleSubject.Texts, String>

    /// What is searched.
    var parts: [Part] {
        switch self {
        case .title, .caller: [\.title]
        case .subtitle: [\.subtitle]
        case .message: [\.message]
        case .text: [\.title, \.subtitle, \.message]
        }
    }

    /// Whether what is found in the other one is found in this one too.
    func covers(_ other: Self) -> Bool {
        self == other || self == .text || (self, other) == (.title, .caller)
    }
}

/// More than `count` records of one phone within a time window: `5/10s`.
package struct Burst: Equatable, Sendable, CustomStringConvertible {
    /// The maximum count and window.
    package static let maximumCount = 1000
    package static let maximumWindow = Duration.seconds(3600)

    package var count: Int
    package var window: Duration

    package init(count: Int, window: Duration) {
        self.count = count
        self.window = window
    }

    /// Parses `5/10s`; `nil` for any other text.
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

/// The effects of a rule.
package struct RuleEffects: Equatable, Sendable {
    /// Nothing is shown and no program runs, whatever later rules say.
    package var mutes = false
    /// Changes of the popup; `nil` leaves a property unchanged.
    package var popup = PopupChange()
    package var programs: [RuleVerdict.Program] = []
    /// The history does not store it.
    package var forgets = false
    /// How much of it a broker receives; `nil` leaves that unchanged.
    package var publication: RuleVerdict.Publication?
    /// The negative action is performed.
    package var performsNegative = false

    /// How a rule changes the popup.
    package struct PopupChange: Equatable, Sendable {
        package var isShown: Bool?
        package var urgency: RuleVerdict.Popup.Urgency?
        package var expiry: Duration?
        package var icon: String?
        package var sound: String?
    }
}
