internal import LinuxIO
internal import Octets

/// From the start of a consumer or a provider to its end: its events, why it failed, and who waits for
/// it to stop. Owned by the actor, in whose isolation everything happens but the waiting.
struct DeviceLife<Event: Sendable> {
    private enum State {
        case idle
        case running
        /// Links are being ended; nobody new is let in.
        case stopping
        case stopped
    }

    /// What stopping takes.
    enum Stop {
        /// Nothing has begun: finish.
        case finish
        /// End the links; finish when they are gone.
        case endLinks
        /// That is being done.
        case wait
        /// Nothing is left to do.
        case done
    }

    let events: EventChannel<Event>
    private var state = State.idle
    private var failure: DeviceError?
    private var timer: LoopTimer?
    private var waiters: [CheckedContinuation<Void, Never>] = []

    init(limit: Int, missed: @escaping @Sendable (Int) -> Event) {
        events = EventChannel(limit: limit, missed: missed)
    }

    /// Whether it has started, and nobody has stopped it.
    var isRunning: Bool {
        if case .running = state { true } else { false }
    }

    /// Whether links are being ended.
    var isStopping: Bool {
        if case .stopping = state { true } else { false }
    }

    /// Whether this was the first start.
    mutating func start() -> Bool {
        guard case .idle = state else { return false }
        state = .running
        return true
    }

    /// It failed. Who stops it does not care how the end comes.
    mutating func fail(_ error: DeviceError) {
        if case .running = state { failure = error }
    }

    /// What a reader got, `nil` where there is nothing. Throws why it failed, once, to a reader who learns
    /// of the end, which one who was cancelled does not.
    mutating func event(
        of reading: EventChannel<Event>.Reading
    ) throws(DeviceError) -> Event? {
        if case .finished = reading, let failure = exchange(&failure, with: nil) { throw failure }
        return reading.element
    }

    /// It is to stop; `timer` makes it finish where links take too long.
    mutating func stop(within timer: LoopTimer, by deadline: MonotonicInstant) -> Stop {
        switch state {
        case .idle: return .finish
        case .running:
            state = .stopping
            timer.deadline = deadline
            self.timer = timer
            return .endLinks
        case .stopping: return .wait
        case .stopped: return .done
        }
    }

    /// Resumes when it has stopped, which may have happened since the actor was left.
    mutating func waitForEnd(_ waiter: CheckedContinuation<Void, Never>) {
        if isStopping { waiters.append(waiter) } else { waiter.resume() }
    }

    /// Whether it has not finished before; what is left to tell is told before ``end()``.
    mutating func finish() -> Bool {
        if case .stopped = state { return false }
        state = .stopped
        timer?.deadline = nil
        timer = nil
        return true
    }

    /// Nothing more is told.
    mutating func end() {
        events.finish()
        for waiter in exchange(&waiters, with: []) { waiter.resume() }
    }
}
