/// What a loop takes for time.
public struct LoopClock: Hashable, Sendable {
    enum Kind: Hashable, Sendable {
        case monotonic
        case virtual
    }

    let kind: Kind

    /// The machine's monotonic clock.
    public static let monotonic = LoopClock(kind: .monotonic)

    /// A clock that starts at zero and stands still while there is anything to do; when nothing is
    /// left it jumps to the next timer. Hours pass in milliseconds, and the same work always happens
    /// at the same time. Only what lives on the loop may take part: somebody on another thread, or
    /// behind a descriptor, is not waited for.
    public static let virtual = LoopClock(kind: .virtual)
}
