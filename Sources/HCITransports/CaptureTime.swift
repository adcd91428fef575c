internal import LinuxIO
internal import Glibc
internal import Octets

/// When a packet was captured. A file may contain any value, so no operation traps: a sum is clamped to the
/// representable times, and the difference of two times is a `Duration`, which has room for all.
public struct CaptureTime: Equatable, Comparable, Sendable {
    /// Microseconds since 1970, UTC.
    public var microsecondsSince1970: Int64

    /// The time this many microseconds after the start of 1970.
    public init(microsecondsSince1970: Int64) {
        self.microsecondsSince1970 = microsecondsSince1970
    }

    /// The microseconds from the start of the year 0 to 1970.
    private static let btsnoopOffset: Int64 = 0x00dc_ddb3_0f2f_8000

    /// The time of a btsnoop record: signed microseconds since the start of the year 0, clamped to 292,000
    /// years around 1970.
    public init(btsnoopStamp: UInt64) {
        let (time, isBeyond) = Int64(bitPattern: btsnoopStamp)
            .subtractingReportingOverflow(Self.btsnoopOffset)
        microsecondsSince1970 = isBeyond ? .min : time
    }

    /// The time in a btsnoop record.
    public var btsnoopStamp: UInt64 {
        let (stamp, isBeyond) = microsecondsSince1970.addingReportingOverflow(Self.btsnoopOffset)
        return UInt64(bitPattern: isBeyond ? .max : stamp)
    }

    /// The current time of the machine's clock.
    public static var now: CaptureTime {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return CaptureTime(
            microsecondsSince1970: Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000)
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

extension EventLoop {
    /// The current time for a capture: with a virtual clock, ``LoopClock/virtualEpoch`` plus the virtual time.
    var captureTime: CaptureTime {
        switch clock.kind {
        case .monotonic: .now
        case .virtual:
            CaptureTime(
                microsecondsSince1970: LoopClock.virtualEpoch * 1_000_000 + now.nanoseconds / 1_000)
        }
    }
}
