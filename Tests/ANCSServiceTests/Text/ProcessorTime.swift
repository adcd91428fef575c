import Glibc

/// How long something takes, however busy the machine is with other things.
enum ProcessorTime {
    /// The time that this thread was on a processor.
    static func measure(_ work: () -> Void) -> Duration {
        let start = now
        work()
        return now - start
    }

    private static var now: Duration {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}
