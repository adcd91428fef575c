internal import LinuxIO
internal import Octets

/// The clock of a ``TestBench``, for code that takes a `Clock`: it stands still while there is anything to
/// do, and hours pass in milliseconds.
public struct VirtualClock: Clock {
    /// A time of the clock.
    public struct Instant: InstantProtocol {
        /// How long after the beginning of the run it is.
        public let sinceStart: Duration

        /// The instant that is later by a duration, or earlier by a negative one.
        public func advanced(by duration: Duration) -> Instant {
            Instant(sinceStart: sinceStart + duration)
        }

        /// How long it is from here to another instant.
        public func duration(to other: Instant) -> Duration { other.sinceStart - sinceStart }

        /// Whether one comes before the other.
        public static func < (left: Instant, right: Instant) -> Bool {
            left.sinceStart < right.sinceStart
        }
    }

    private let loop: EventLoop

    init(_ loop: EventLoop) { self.loop = loop }

    /// The time.
    public var now: Instant { Instant(sinceStart: loop.now - .zero) }

    /// It knows every nanosecond.
    public var minimumResolution: Duration { .nanoseconds(1) }

    /// Waits until an instant; throws at once when the task is cancelled.
    public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
        try await loop.sleep(for: now.duration(to: deadline))
    }
}
