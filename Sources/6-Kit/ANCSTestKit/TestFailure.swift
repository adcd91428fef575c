/// Why a test on a ``TestBench`` failed, with everything that is needed to reproduce it.
public struct TestFailure: Error, CustomStringConvertible {
    /// What failed, in a sentence.
    public let message: String
    /// The line of the wait that timed out, as `PagerTests.swift:31`; `nil` for other failures.
    public let place: String?
    /// The error of the body, if that was the reason.
    public let cause: (any Error)?
    /// The seed of the run: the same seed fails in the same way.
    public let seed: UInt64
    /// When it failed, in virtual time since the start of the run.
    public let time: Duration
    /// The events until then.
    public let events: [TestEvent]

    init(
        _ message: String, at place: String? = nil, cause: (any Error)?, seed: UInt64,
        time: Duration = .zero, events: [TestEvent] = []
    ) {
        (self.message, self.place, self.cause, self.seed) = (message, place, cause, seed)
        (self.time, self.events) = (time, events)
    }

    /// What failed, the seed, the time and the last events.
    public var description: String {
        let line = place.map { ", at \($0)" } ?? ""
        let head = "\(message)\(line) (seed \(seed), at \(time.seconds))"
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
