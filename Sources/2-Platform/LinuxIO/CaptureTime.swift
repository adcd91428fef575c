internal import Glibc

/// When a packet was captured. A file may contain any value, so no operation traps: a sum is clamped to the
/// representable times, and the difference of two times is a `Duration`, which has room for all.
public struct CaptureTime: Equatable, Comparable, Sendable {
    /// Microseconds since 1970, UTC.
    public var microsecondsSince1970: Int64

    /// The time this many microseconds after the start of 1970.
    public init(microsecondsSince1970: Int64) { self.microsecondsSince1970 = microsecondsSince1970 }

    /// The current time of the machine's clock.
    public static var now: CaptureTime {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return CaptureTime(
            microsecondsSince1970: Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000)
    }

    /// Whether systemd-timesyncd has set the machine's clock since its start. The kernel knows it of every such program,
    /// but adjtimex(2) is a call that the units' filters forbid.
    package static var isSynchronized: Bool {
        access("/run/systemd/timesync/synchronized", F_OK) == 0
    }

    /// The time later by `duration`.
    public static func + (time: Self, duration: Duration) -> Self {
        let (seconds, attoseconds) = duration.components
        let microseconds =
            Int128(time.microsecondsSince1970) + Int128(seconds) * 1_000_000
            + Int128(attoseconds / 1_000_000_000_000)
        return CaptureTime(microsecondsSince1970: Int64(clamping: microseconds))
    }

    /// How much later `later` is than `earlier`.
    public static func - (later: Self, earlier: Self) -> Duration {
        .microseconds(later.microsecondsSince1970) - .microseconds(earlier.microsecondsSince1970)
    }

    /// Whether `left` is earlier than `right`.
    public static func < (left: Self, right: Self) -> Bool {
        left.microsecondsSince1970 < right.microsecondsSince1970
    }
}
