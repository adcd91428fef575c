internal import Octets

/// The pause after a failure; it grows each time.
struct GrowingPause: Sendable {
    let first: Duration
    let longest: Duration
    private var next: Duration
    /// When the pause ends; `nil` without a failure.
    private(set) var end: MonotonicInstant?

    init(first: Duration, longest: Duration) {
        self.first = first
        self.longest = longest
        next = first
    }

    /// Begins a pause after a failure, longer than the previous one.
    mutating func begin(at now: MonotonicInstant) {
        end = now + next
        next = min(next * 2, longest)
    }

    /// Ends the pause, after a success or when something else is tried; the next one is short again.
    mutating func reset() {
        end = nil
        next = first
    }

    func isOn(at now: MonotonicInstant) -> Bool { end.map { now < $0 } ?? false }
}
