/// What a loop takes for time.
public struct LoopClock: Hashable, Sendable {
    enum Kind: Hashable, Sendable {
        case monotonic
        /// How many seconds pass in one of the machine's while the loop waits.
        case virtual(speed: Double)
    }

    let kind: Kind

    /// When virtual time begins, where a date is wanted: 2026-01-01 by UTC, in seconds since 1970.
    package static let virtualEpoch: Int64 = 1_767_225_600

    /// The machine's monotonic clock.
    public static let monotonic = LoopClock(kind: .monotonic)

    /// A clock that starts at zero and stands still while there is anything to do; when nothing is
    /// left it jumps to the next timer. Hours pass in milliseconds, and the same work always happens
    /// at the same time. Only what lives on the loop may take part: somebody on another thread, or
    /// behind a descriptor, is not waited for.
    public static let virtual = LoopClock(kind: .virtual(speed: .infinity))

    /// A clock as ``virtual`` that does not jump: a person can watch, and all that lives on the loop
    /// still happens at the same time and in the same order as at any other speed. What comes from
    /// outside, such as a signal, comes at the time that has passed by then.
    ///
    /// `speed` says how many seconds pass in one of the machine's; above zero.
    public static func virtual(speed: Double) -> LoopClock {
        precondition(speed > 0, "time goes forward")
        return LoopClock(kind: .virtual(speed: speed))
    }
}
