internal import ANCS

/// The machines of a connected phone: one struct, because Swift checks each access to a property of a class.
struct ProviderMachines: ~Copyable {
    var feed: NotificationFeed
    var clock: ProviderClock

    /// What is to be done next.
    enum Step {
        case feed(NotificationFeed.Output)
        case readClock
        /// Nothing before this instant; `nil` for never.
        case rest(until: MonotonicInstant?)
    }

    mutating func next(at now: MonotonicInstant) -> Step {
        if let output = feed.pollOutput() { return .feed(output) }
        let isBusy = feed.isFetching
        if clock.isDue(isBusy: isBusy, at: now) { return .readClock }
        return .rest(until: .earliest(feed.nextDeadline, clock.nextDeadline))
    }
}
