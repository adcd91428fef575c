/// The clock of an event loop.
public struct LoopClock: Equatable, Sendable {
    package enum Kind: Equatable, Sendable {
        case monotonic
        /// How many seconds of virtual time pass per second of real time while the loop waits.
        case virtual(speed: Double)
    }

    package let kind: Kind

    /// The date at which virtual time starts: 2026-01-01 UTC, in seconds since 1970.
    package static let virtualEpoch: Int64 = 1_767_225_600

    /// The machine's monotonic clock.
    public static let monotonic = LoopClock(kind: .monotonic)

    /// A clock that starts at zero and stands still while there is work to do; when there is none, it jumps
    /// to the next timer. Hours pass in milliseconds, and the same work always happens at the same time. Only
    /// work on the loop counts: it does not wait for other threads or descriptors.
    public static let virtual = LoopClock(kind: .virtual(speed: .infinity))

    /// A clock like ``virtual`` that does not jump, so that a person can watch. All work on the loop happens
    /// at the same virtual times and in the same order at any speed. Events from outside, such as signals,
    /// arrive at the virtual time that has been reached.
    ///
    /// `speed` is how many seconds of virtual time pass per second of real time; must be positive.
    public static func virtual(speed: Double) -> LoopClock {
        precondition(speed > 0, "the speed of a clock must be positive")
        return LoopClock(kind: .virtual(speed: speed))
    }
}
