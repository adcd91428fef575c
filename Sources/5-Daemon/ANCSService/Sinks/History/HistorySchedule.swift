internal import Octets

/// Schedules writing and cleaning. No I/O.
///
/// New entries are collected briefly, so that a burst is one transaction. Each step takes a few milliseconds,
/// and the rest of the loop runs between steps.
struct HistorySchedule: ~Copyable, Sendable {
    enum Output: Equatable, Sendable {
        /// Write some of the queued entries.
        case write
        /// Remove some entries that have expired or were removed, or clean up.
        case clean
    }

    /// How long entries are collected.
    static let gathering = Duration.milliseconds(500)
    /// The pause after a failure, such as a full disk.
    static let pauseAfterFailure = Duration.seconds(30)
    /// The pause while another process uses the file.
    static let pauseWhileBusy = Duration.milliseconds(250)

    private var writing: MonotonicInstant?
    private var cleaning: MonotonicInstant?
    private var outputs = Queue<Output>()
    /// Nothing is done before this time, because of a failure.
    private var pause: MonotonicInstant?

    /// An entry was queued.
    mutating func receiveEntry(at now: MonotonicInstant) {
        if writing == nil { writing = now + Self.gathering }
    }

    /// A writing step has ended.
    mutating func receiveWritten(isComplete: Bool, at now: MonotonicInstant) {
        pause = nil
        writing = isComplete ? nil : now
    }

    /// There is something to remove or clean up, after a delay.
    mutating func receiveCleaning(in delay: Duration, at now: MonotonicInstant) {
        cleaning = now + delay
    }

    /// A step failed: it is tried again.
    mutating func receiveFailure(isBusy: Bool, at now: MonotonicInstant) {
        pause = now + (isBusy ? Self.pauseWhileBusy : Self.pauseAfterFailure)
    }

    /// Nothing remains to be done.
    mutating func stop() {
        writing = nil
        cleaning = nil
        pause = nil
    }

    mutating func handleTimeout(at now: MonotonicInstant) {
        if let pause, now < pause { return }
        if let due = writing, due <= now {
            // The next write, unless the step reports its result before.
            writing = now + Self.gathering
            outputs.append(.write)
        }
        if let due = cleaning, due <= now {
            cleaning = nil
            outputs.append(.clean)
        }
    }

    mutating func pollOutput() -> Output? { outputs.popFirst() }

    var nextDeadline: MonotonicInstant? {
        guard let next = MonotonicInstant.earliest(writing, cleaning) else { return nil }
        return pause.map { max($0, next) } ?? next
    }
}
