internal import LinuxIO

/// The life of a consumer, a provider or an adapter from start to end: why it failed, and the tasks that wait
/// for its end. Owned by the actor, whose isolation protects it.
package struct DeviceLife {
    private enum State {
        case idle
        case running
        /// Links are being ended, and no new ones are accepted.
        case stopping
        /// The last events are being sent.
        case finishing
        case stopped
    }

    /// What a call to stop has to do.
    fileprivate enum Stop {
        /// Nothing has started: finish.
        case finish
        /// End the links, and finish when they have ended.
        case endLinks
        /// Wait: the links are being ended.
        case wait
        /// Nothing.
        case done
    }

    private var state = State.idle
    private var failure: DeviceError?
    private var timer: LoopTimer?
    private var waiters: [CheckedContinuation<Void, Never>] = []

    package init() {}

    /// Whether it has started and was not stopped.
    package var isRunning: Bool { if case .running = state { true } else { false } }

    /// Whether links are being ended.
    package var isStopping: Bool { if case .stopping = state { true } else { false } }

    /// Starts it; returns whether this was the first time.
    package mutating func start() -> Bool {
        guard case .idle = state else { return false }
        state = .running
        return true
    }

    /// It failed. If it is being stopped, the reason is ignored.
    package mutating func fail(_ error: DeviceError) {
        if case .running = state { failure = error }
    }

    /// Begins to stop it; `timer` finishes it at the deadline if links take too long.
    fileprivate mutating func stop(within timer: LoopTimer, by deadline: MonotonicInstant) -> Stop {
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

    /// Resumes the waiter when it has ended, or at once if it already has.
    fileprivate mutating func waitForEnd(_ waiter: CheckedContinuation<Void, Never>) {
        switch state {
        case .idle, .running, .stopping, .finishing: waiters.append(waiter)
        case .stopped: waiter.resume()
        }
    }

    /// Returns whether this is the first call; the last events are sent before ``end(_:)``.
    package mutating func finish() -> Bool {
        switch state {
        case .finishing, .stopped: return false
        case .idle, .running, .stopping: break
        }
        state = .finishing
        timer?.deadline = nil
        timer = nil
        return true
    }

    /// Ends the events, with the error if it failed, and resumes the tasks that wait for the end.
    package mutating func end<Event>(_ events: EventChannel<Event, DeviceError>) {
        state = .stopped
        events.finish(throwing: failure)
        for waiter in exchange(&waiters, with: []) { waiter.resume() }
    }
}

/// An actor with a life: a consumer, a provider or an adapter.
package protocol LivingDevice: LoopActor {
    var life: DeviceLife { get set }
    /// Begins to end the links, and finishes when there are none.
    func endLinks()
    /// Ends what is left.
    func finish()
}

extension LivingDevice {
    /// Ends the links, and then the rest; returns when that is done, or after two seconds with links.
    package func end() async {
        let timer = LoopTimer(on: loop) { [weak self] in
            self?.assumeOnLoop { device in device.finish() }
        }
        switch life.stop(within: timer, by: loop.now + .seconds(2)) {
        case .done: return
        case .finish: finish()
        case .endLinks: endLinks()
        case .wait: break
        }
        await withCheckedContinuation { life.waitForEnd($0) }
    }
}
