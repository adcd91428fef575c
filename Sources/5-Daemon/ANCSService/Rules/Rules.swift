package import LinuxIO

/// The state of the rules: the configured rules, the muted apps, and the recent records of each phone.
///
/// It uses no clock and no file: time is an argument, and the owner stores ``mutes``. Mutes depend on the
/// local time, bursts on the monotonic clock.
package struct Rules: ~Copyable, Sendable {
    /// A message for the owner.
    package enum Output: Equatable, Sendable {
        /// A pattern of this rule reached its limits on a text, which therefore does not match. Reported once
        /// for each rule and configuration.
        case patternExhausted(rule: String)

        /// The output as a message for the log.
        var message: String {
            switch self {
            case .patternExhausted(let rule):
                "a pattern of the rule '\(rule)' took too long on a text, which counts as no match: "
                    + "simplify it"
            }
        }
    }

    /// Why a call was refused.
    package enum UsageError: Error, Equatable, Sendable {
        /// ``MuteList/maximumCount`` apps are already muted.
        case tooManyMutes
    }

    /// The configured rules.
    package private(set) var set: RuleSet
    /// The muted apps.
    package private(set) var mutes: MuteList
    /// How often a pattern has reached its limits.
    package private(set) var exhaustions = 0
    private var counter: BurstCounter
    private var outputs: [Output] = []
    private var reported: Set<String> = []

    package init(_ set: RuleSet = RuleSet(), mutes: MuteList = MuteList()) {
        self.set = set
        self.mutes = mutes
        counter = BurstCounter(set.bursts)
    }

    /// Replaces the rules, after the configuration was reloaded.
    package mutating func reconfigure(_ set: RuleSet) {
        self.set = set
        counter.reconfigure(set.bursts)
        reported = []
    }

    // MARK: Records

    /// The header of a record arrived; returns the numbers of its phone's recent records, including this one,
    /// for ``RuleSubject/recent``.
    package mutating func receiveRecord(
        from phone: PhoneName, at now: MonotonicInstant
    ) -> RecentRecords { counter.count(phone.digest, at: now) }

    /// Evaluates the rules for a record.
    package mutating func evaluate(_ subject: RuleSubject, at time: CaptureTime) -> Evaluation {
        // A closure that captures the machine would borrow all of it.
        let mutes = self.mutes
        var exhausted: [String] = []
        let evaluation = set.evaluate(
            subject, isAppMuted: mutes.isEmpty(at: time) ? nil : { mutes.contains($0, at: time) },
            exhausted: { exhausted.append($0.name) })
        for rule in exhausted {
            exhaustions += 1
            if reported.insert(rule).inserted { outputs.append(.patternExhausted(rule: rule)) }
        }
        return evaluation
    }

    /// A phone was removed, by its digest: what it sent is not counted any more when it pairs again.
    package mutating func forget(_ phone: String) { counter.forget(phone) }

    // MARK: Muting by hand

    /// Mutes an app until a time, or without an end for `nil`.
    package mutating func mute(
        app: String, until end: CaptureTime?, at time: CaptureTime
    ) throws(UsageError) {
        guard mutes.insert(Mute(app: app, until: end), at: time) else { throw .tooManyMutes }
    }

    /// Unmutes an app. Returns whether it was muted.
    package mutating func unmute(app: String, at time: CaptureTime) -> Bool {
        mutes.remove(app, at: time)
    }

    /// Takes the next message.
    package mutating func pollOutput() -> Output? { outputs.isEmpty ? nil : outputs.removeFirst() }
}

/// Counts the records of each phone within the time windows of the rules.
private struct BurstCounter: Sendable {
    /// The maximum number of phones; beyond it, the phone that has been silent longest is dropped.
    private static let maximumPhones = 64

    private var windows: [Duration] = []
    private var longest = Duration.zero
    /// How many arrivals of a phone are kept: one more than the largest limit of a rule.
    private var maximumCount = 0
    private var arrivals: [String: [MonotonicInstant]] = [:]

    init(_ bursts: [Burst]) { reconfigure(bursts) }

    mutating func reconfigure(_ bursts: [Burst]) {
        windows = Array(Set(bursts.map(\.window)))
        longest = windows.max() ?? .zero
        maximumCount = (bursts.map(\.count).max() ?? 0) + 1
        if windows.isEmpty { arrivals = [:] }
    }

    mutating func count(_ phone: String, at now: MonotonicInstant) -> RecentRecords {
        guard !windows.isEmpty else { return RecentRecords() }
        var times = arrivals.removeValue(forKey: phone) ?? []
        times.append(now)
        let longest = longest
        let stale = times.firstIndex { now - $0 < longest } ?? times.count
        times.removeFirst(max(stale, times.count - maximumCount))
        if arrivals.count >= Self.maximumPhones { dropSilentOne() }
        arrivals[phone] = times
        return RecentRecords(
            Dictionary(
                uniqueKeysWithValues: windows.map { window in
                    (window, times.reversed().prefix { now - $0 < window }.count)
                }))
    }

    mutating func forget(_ phone: String) { arrivals[phone] = nil }

    private mutating func dropSilentOne() {
        let silent = arrivals.min { left, right in
            (left.value.last ?? .zero) < (right.value.last ?? .zero)
        }
        if let silent { arrivals[silent.key] = nil }
    }
}

extension RuleSet {
    /// The bursts in the conditions.
    fileprivate var bursts: [Burst] { rules.flatMap { $0.conditions.bursts } }
}

extension [RuleCondition] {
    fileprivate var bursts: [Burst] {
        flatMap { condition in
            if case .burst(let burst) = condition { return [burst] }
            if case .not(let inner) = condition { return inner.bursts }
            return [Burst]()
        }
    }
}
