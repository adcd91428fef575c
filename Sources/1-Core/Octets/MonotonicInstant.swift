/// A point on a clock that never goes back, in nanoseconds since an origin that the owner of the
/// clock chooses. Machines receive it as an argument and never read a clock themselves.
public struct MonotonicInstant: Hashable, Comparable, Sendable {
    /// Nanoseconds since the origin.
    public var nanoseconds: Int64

    /// The instant `nanoseconds` after the origin.
    @inlinable public init(nanoseconds: Int64) {
        self.nanoseconds = nanoseconds
    }

    /// The origin of the clock.
    public static let zero = MonotonicInstant(nanoseconds: 0)

    /// The instant `duration` later. It stops at the clock's last instant, 292 years after the origin, so
    /// that any long duration means "never".
    public static func + (instant: Self, duration: Duration) -> Self {
        if let distance = nanoseconds(of: duration) {
            let (sum, isBeyond) = instant.nanoseconds.addingReportingOverflow(distance)
            if !isBeyond { return Self(nanoseconds: sum) }
        }
        return Self(nanoseconds: duration < .zero ? .min : .max)
    }

    /// The whole nanoseconds of a duration, rounded towards zero; `nil` if it is longer than the clock.
    ///
    /// Written by hand, because a 128-bit division takes a kilobyte of a microcontroller's flash.
    private static func nanoseconds(of duration: Duration) -> Int64? {
        let attoseconds = duration.attoseconds
        let magnitude = attoseconds.magnitude
        let high = UInt64(truncatingIfNeeded: magnitude >> 64)
        let low = UInt64(truncatingIfNeeded: magnitude)
        // 2^63 nanoseconds are 500,000,000 times 2^64 attoseconds.
        guard high < 500_000_000 else { return nil }
        let upper = high << 32 | low >> 32
        let remainder = upper % 1_000_000_000
        let lower = (remainder << 32 | low & 0xFFFF_FFFF) / 1_000_000_000
        let nanoseconds = Int64((upper / 1_000_000_000) << 32 | lower)
        return attoseconds < 0 ? -nanoseconds : nanoseconds
    }

    /// How much later `later` is than `earlier`. Never overflows, however far apart they are.
    public static func - (later: Self, earlier: Self) -> Duration {
        let nanoseconds = Int128(later.nanoseconds) - Int128(earlier.nanoseconds)
        return Duration(attoseconds: nanoseconds &* 1_000_000_000)
    }

    /// Whether `left` is earlier than `right`.
    @inlinable public static func < (left: Self, right: Self) -> Bool {
        left.nanoseconds < right.nanoseconds
    }

    /// The earlier of two deadlines; `nil` means never.
    @inlinable public static func earliest(_ first: Self?, _ second: Self?) -> Self? {
        guard let first else { return second }
        guard let second else { return first }
        return min(first, second)
    }
}
