internal import LinuxIO

extension CaptureTime {
    /// The microseconds from the start of the year 0 to 1970.
    private static let btsnoopOffset: Int64 = 0x00dc_ddb3_0f2f_8000

    /// The time of a btsnoop record: signed microseconds since the start of the year 0, clamped to 292,000
    /// years around 1970.
    public init(btsnoopStamp: UInt64) {
        let (time, isBeyond) = Int64(bitPattern: btsnoopStamp)
            .subtractingReportingOverflow(Self.btsnoopOffset)
        self.init(microsecondsSince1970: isBeyond ? .min : time)
    }

    /// The time in a btsnoop record.
    public var btsnoopStamp: UInt64 {
        let (stamp, isBeyond) = microsecondsSince1970.addingReportingOverflow(Self.btsnoopOffset)
        return UInt64(bitPattern: isBeyond ? .max : stamp)
    }
}

extension EventLoop {
    /// The current time for a capture: with a virtual clock, `LoopClock.virtualEpoch` plus the virtual time.
    var captureTime: CaptureTime {
        switch clock.kind {
        case .monotonic: .now
        case .virtual:
            CaptureTime(
                microsecondsSince1970: LoopClock.virtualEpoch * 1_000_000 + now.nanoseconds / 1_000)
        }
    }
}
