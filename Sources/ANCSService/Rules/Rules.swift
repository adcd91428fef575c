package import LinuxIO
package import Octets

/// The rules at work: the configured ones, the apps that are muted by hand, and how much came lately.
///
/// No clock and no file: time is an argument, and the owner keeps ``mutes`` where it likes. What muted apps
/// depend on is the time on the wall, what bursts depend on is the clock that never goes back.
package struct Rules: ~Copyable, Sendable {
    /// What the owner has to say.
    package enum Output: Hashable, Sendable {
        /// A pattern of this rule hit its limits on some text, which therefore does not match. Said once for
        /// each rule and configuration.
        case patternExhausted(rule: String)
    }

    /// What a caller has asked for cannot be done.
    package enum UsageError: Error, Hashable, Sendable {
        /// ``MuteList/maximumCount`` apps are muted.
        case tooManyMutes
    }

    /// The configured rules.
    package private(set) var set: RuleSet
    /// The apps that are muted by hand.
    package private(set) var mutes: MuteList
    /// How often a pattern has hit its limits.
    package private(set) var exhaustions = 0
    private var counter: BurstCounter
    private var outputs: [Output] = []
    private var reported: Set<String> = []

    package init(_ set: RuleSet = RuleSet(), mutes: MuteList = MuteList()) {
        self.set = set
        self.mutes = mutes
        counter = BurstCounter(set.bursts)
    }

    /// The configuration was read again.
    package mutating func reconfigure(_ set: RuleSet) {
        self.set = set
        counter.reconfigure(set.bursts)
        reported = []
    }

    // MARK: Records

    /// The header of a record came: how many of its phone came lately, this one included. For
    /// ``RuleSubject/recent``.
    package mutating func receiveRecord(
        from phone: PhoneName, at now: MonotonicInstant
    ) -> RecentRecords {
        counter.count(phone.digest, at: now)
    }

    /// What is done with a record.
    package mutating func evaluate(_ subject: RuleSubject, at time: CaptureTime) -> Evaluation {
        // A closure that captures this machine itself would borrow it as a whole.
        let mutes = self.mutes
        var exhausted: [String] = []
        let evaluation = set.evaluate(
            subject,
            isAppMuted: mutes.isEmpty(at: time) ? nil : { mutes.contains($0, at: time) },
            exhausted: { exhausted.append($0.name) })
        for rule in exhausted {
            exhaustions += 1
            if reported.insert(rule).inserted { outputs.append(.patternExhausted(rule: rule)) }
        }
        return evaluation
    }

    /// A phone was forgotten.
    package mutating func forget(_ phone: PhoneName) { counter.forget(phone.digest) }

    // MARK: Muting by hand

    /// Mutes an app until a time, `nil` for good.
    package mutating func mute(
        app: String, until end: CaptureTime?, at time: CaptureTime
    ) throws(UsageError) {
        guard mutes.insert(Mute(app: app, until: end), at: time) else { throw .tooManyMutes }
    }

    /// Unmutes an app. Returns whether it was muted.
    package mutating func unmute(app: String, at time: CaptureTime) -> Bool {
        mutes.remove(app, at: time)
    }

    /// What is to be said next.
    package mutating func pollOutput() -> Output? {
        outputs.isEmpty ? nil : outputs.removeFirst()
    }
}

/// Counts the records of each phone within the windows that rules look at.
private struct BurstCounter: Sendable {
    /// More phones at a time are not connected; the one that was silent longest is dropped.
    private static let maximumPhones = 64

    private var windows: [Duration] = []
    private var longest = Duration.zero
    /// So many arrivals of a phone are kept: with one more than a rule allows it holds.
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
    /// The bursts that rules look at.
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
