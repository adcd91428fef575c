internal import Octets

/// When the history is written and cleaned. No I/O.
///
/// What comes waits for a moment, so that a burst is one transaction; each step takes a few milliseconds, and the
/// rest of the loop has its turn in between.
struct HistorySchedule: ~Copyable, Sendable {
    enum Output: Hashable, Sendable {
        /// Write some of what waits.
        case write
        /// Remove some of what is too old or to be forgotten, or clean up.
        case clean
    }

    /// For how long what came waits for more.
    static let gathering = Duration.milliseconds(500)
    /// After a failure, such as a full disk.
    static let pauseAfterFailure = Duration.seconds(30)
    /// While another process is in the way.
    static let pauseWhileBusy = Duration.milliseconds(250)

    private var writing: MonotonicInstant?
    private var cleaning: MonotonicInstant?
    private var outputs = Queue<Output>()
    /// Nothing is done before, because something failed.
    private var pause: MonotonicInstant?

    /// Something waits to be written.
    mutating func receiveEntry(at now: MonotonicInstant) {
        if writing == nil { writing = now + Self.gathering }
    }

    /// A step of writing has left something, or nothing.
    mutating func receiveWritten(isComplete: Bool, at now: MonotonicInstant) {
        pause = nil
        writing = isComplete ? nil : now
    }

    /// There is something to remove or to clean, after a while.
    mutating func receiveCleaning(in delay: Duration, at now: MonotonicInstant) {
        cleaning = now + delay
    }

    /// A step failed: it and what else there is to do is tried again.
    mutating func receiveFailure(isBusy: Bool, at now: MonotonicInstant) {
        pause = now + (isBusy ? Self.pauseWhileBusy : Self.pauseAfterFailure)
    }

    /// Nothing is left to do.
    mutating func stop() {
        writing = nil
        cleaning = nil
        pause = nil
    }

    mutating func handleTimeout(at now: MonotonicInstant) {
        if let pause, now < pause { return }
        if let due = writing, due <= now {
            // Until the step has said how it went.
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
