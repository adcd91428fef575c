internal import LinuxIO
internal import Octets

/// From the start of a consumer, a provider or an adapter to its end: why it failed, and who waits for it
/// to stop. Owned by the actor, in whose isolation everything happens.
struct DeviceLife {
    private enum State {
        case idle
        case running
        /// Links are being ended; nobody new is let in.
        case stopping
        /// The last events are on their way.
        case finishing
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

    private var state = State.idle
    private var failure: DeviceError?
    private var timer: LoopTimer?
    private var waiters: [CheckedContinuation<Void, Never>] = []

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

    /// It is to stop; `timer` makes it finish where links take too long.
    mutating func stop(within timer: LoopTimer, by deadline: MonotonicInstant) -> Stop {
        switch state {
        case .idle: return .finish
        case .running:
            state = .stopping
            timer.deadline = deadline
            self.timer = timer
            return .endLinks
        case .stopping, .finishing: return .wait
        case .stopped: return .done
        }
    }

    /// Resumes when it has stopped, which may have happened since the actor was left.
    mutating func waitForEnd(_ waiter: CheckedContinuation<Void, Never>) {
        switch state {
        case .idle, .running, .stopping, .finishing: waiters.append(waiter)
        case .stopped: waiter.resume()
        }
    }

    /// Whether it has not finished before; the last events are sent before ``end(_:)``.
    mutating func finish() -> Bool {
        switch state {
        case .finishing, .stopped: return false
        case .idle, .running, .stopping: break
        }
        state = .finishing
        timer?.deadline = nil
        timer = nil
        return true
    }

    /// The events end, with the reason if it failed, and with them the waiting for it to stop.
    mutating func end<Event>(_ events: EventChannel<Event, DeviceError>) {
        state = .stopped
        events.finish(throwing: failure)
        for waiter in exchange(&waiters, with: []) { waiter.resume() }
    }
}
