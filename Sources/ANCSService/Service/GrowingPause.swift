internal import Octets

/// How long something that failed is left alone: longer each time.
struct GrowingPause: Sendable {
    let first: Duration
    let longest: Duration
    private var next: Duration
    /// When it may be tried again; `nil` where nothing failed.
    private(set) var end: MonotonicInstant?

    init(first: Duration, longest: Duration) {
        self.first = first
        self.longest = longest
        next = first
    }

    /// It failed.
    mutating func begin(at now: MonotonicInstant) {
        end = now + next
        next = min(next * 2, longest)
    }

    /// It succeeded, or is another one.
    mutating func reset() {
        end = nil
        next = first
    }

    func isOn(at now: MonotonicInstant) -> Bool { end.map { now < $0 } ?? false }
}
