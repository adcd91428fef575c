internal import LinuxIO

/// The clock of a ``TestBench``, for code that takes a `Clock`: it stands still while there is work to do,
/// and hours pass in milliseconds.
public struct VirtualClock: Clock {
    /// An instant of the clock.
    public struct Instant: InstantProtocol {
        /// The time since the start of the run.
        public let sinceStart: Duration

        /// The instant later by a duration, or earlier for a negative one.
        public func advanced(by duration: Duration) -> Instant {
            Instant(sinceStart: sinceStart + duration)
        }

        /// The duration from this instant to another one.
        public func duration(to other: Instant) -> Duration { other.sinceStart - sinceStart }

        /// Whether `left` is earlier than `right`.
        public static func < (left: Instant, right: Instant) -> Bool {
            left.sinceStart < right.sinceStart
        }
    }

    private let loop: EventLoop

    init(_ loop: EventLoop) { self.loop = loop }

    /// The current time.
    public var now: Instant { Instant(sinceStart: loop.now - .zero) }

    /// One nanosecond.
    public var minimumResolution: Duration { .nanoseconds(1) }

    /// Waits until an instant. Throws at once if the task is cancelled.
    public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
        try await loop.sleep(for: now.duration(to: deadline))
    }
}
