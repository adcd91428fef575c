/// Why a test on a ``TestBench`` did not succeed, with all that is needed to see it again.
public struct TestFailure: Error, CustomStringConvertible {
    /// What failed, a sentence.
    public let message: String
    /// What the body of the test threw, where that was the reason.
    public let cause: (any Error)?
    /// From what everything random followed: the same seed fails in the same way.
    public let seed: UInt64
    /// When it failed, after the beginning of the run, in virtual time.
    public let time: Duration
    /// What had happened until then.
    public let events: [TestEvent]

    init(
        _ message: String, cause: (any Error)?, seed: UInt64, time: Duration = .zero,
        events: [TestEvent] = []
    ) {
        self.message = message
        self.cause = cause
        self.seed = seed
        self.time = time
        self.events = events
    }

    /// What failed, the seed, the time and what happened last.
    public var description: String {
        let head = "\(message) (seed \(seed), at \(time.seconds))"
        guard !events.isEmpty else { return head + "; nothing had happened" }
        let last = events.suffix(20)
        let title = last.count < events.count ? "the last of \(events.count) events" : "the events"
        return ([head + "; \(title):"] + last.map { "    \($0)" }).joined(separator: "\n")
    }
}

extension Duration {
    /// The duration in seconds, as `72.310 s`.
    var seconds: String {
        let milliseconds = Int64((self / .milliseconds(1)).rounded())
        let digits = String(milliseconds.magnitude % 1000)
        let fraction = String(repeating: "0", count: 3 - digits.count) + digits
        return "\(milliseconds < 0 ? "-" : "")\(milliseconds.magnitude / 1000).\(fraction) s"
    }
}
