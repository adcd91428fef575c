/// A point on a clock that never goes back, in nanoseconds since an origin that the owner of the
/// clock chooses. Machines receive it as an argument and never read a clock themselves.
public struct MonotonicInstant: Hashable, Comparable, Sendable {
    /// Nanoseconds since the origin.
    public var nanoseconds: Int64

    /// The instant `nanoseconds` after the origin.
    @inlinable
    public init(nanoseconds: Int64) {
        self.nanoseconds = nanoseconds
    }

    /// The origin of the clock.
    public static let zero = MonotonicInstant(nanoseconds: 0)

    /// The instant that lies `duration` later, or the last one of the clock, 292 years after its origin: who
    /// waits for ever may say so with any duration.
    @inlinable
    public static func + (instant: Self, duration: Duration) -> Self {
        let (seconds, attoseconds) = duration.components
        let (whole, isFar) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (distance, isFarther) = whole.addingReportingOverflow(attoseconds / 1_000_000_000)
        let (sum, isBeyond) = instant.nanoseconds.addingReportingOverflow(distance)
        guard !isFar, !isFarther, !isBeyond else {
            return Self(nanoseconds: seconds < 0 ? .min : .max)
        }
        return Self(nanoseconds: sum)
    }

    /// How much later `later` is than `earlier`, be they as far apart as instants can be.
    @inlinable
    public static func - (later: Self, earlier: Self) -> Duration {
        .nanoseconds(later.nanoseconds) - .nanoseconds(earlier.nanoseconds)
    }

    /// Whether `left` is earlier than `right`.
    @inlinable
    public static func < (left: Self, right: Self) -> Bool {
        left.nanoseconds < right.nanoseconds
    }

    /// The earlier of two deadlines, where `nil` means never.
    @inlinable
    public static func earliest(_ first: Self?, _ second: Self?) -> Self? {
        guard let first else { return second }
        guard let second else { return first }
        return min(first, second)
    }
}
