internal import CLinux
internal import Glibc
public import Octets

/// A callback at an instant that can still be moved: what a machine's `nextDeadline` is given to.
///
///     timer.deadline = machine.nextDeadline    // after each drain
///
/// Used on the loop's thread only. It does not hold its loop's thread up: set `deadline` to `nil` to
/// let go of the handler's captures.
public final class LoopTimer: @unchecked Sendable {
    // Unchecked: everything mutable is touched on the loop's thread only, which is checked.

    private let loop: EventLoop
    private let handler: @Sendable () -> Void
    private var key: TimerHeap.Key?

    /// A timer that is not set; `handler` will be called on the loop's thread.
    public init(on loop: EventLoop, handler: @escaping @Sendable () -> Void) {
        self.loop = loop
        self.handler = handler
    }

    /// When the handler is called, on the loop's clock: at once if that has passed, never if `nil`.
    /// It is `nil` again when the handler runs. On the loop only.
    public var deadline: MonotonicInstant? {
        get {
            loop.checkIsolated()
            return key?.deadline
        }
        set {
            loop.checkIsolated()
            guard newValue != key?.deadline else { return }
            if let key = exchange(&key, with: nil) { loop.confined.timers.remove(key) }
            guard let newValue else { return }
            key = loop.confined.timers.insert(at: newValue) { [self] in
                key = nil
                handler()
            }
        }
    }
}

extension EventLoop {
    /// Calls the handlers of the timers that are due now, in the order of their deadlines.
    func fireTimers() {
        guard !confined.timers.isEmpty else { return }
        let now = self.now
        while let body = confined.timers.popDue(at: now) { body() }
    }

    /// Sees to it that the thread wakes up in time.
    ///
    /// Deadlines move back far more often than forth (each answer restarts a timeout), so a timer
    /// descriptor that goes off too early is left alone: one idle wake-up is cheaper than a system
    /// call for each answer.
    func armTimer() {
        guard let deadline = confined.timers.earliest else { return }
        if let armed = confined.armedDeadline, armed <= deadline { return }
        armTimer(at: deadline)
    }

    /// Wakes the thread up at an instant of the machine's clock.
    func armTimer(at instant: MonotonicInstant) {
        // All zeros would disarm it; an instant in the past goes off at once.
        let nanoseconds = max(instant.nanoseconds, 1)
        var setting = itimerspec()
        setting.it_value.tv_sec = Int(nanoseconds / 1_000_000_000)
        setting.it_value.tv_nsec = Int(nanoseconds % 1_000_000_000)
        timerfd_settime(timerDescriptor, CInt(TFD_TIMER_ABSTIME), &setting, nil)
        confined.armedDeadline = instant
    }
}

extension EventLoop {
    /// Waits on the loop's clock. A task that is cancelled waits no longer and throws.
    public func sleep(for duration: Duration) async throws(CancellationError) {
        let sleeper = Sleeper()
        let isOver = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                execute { [self] in sleeper.start(continuation, until: now + duration, on: self) }
            }
        } onCancel: {
            execute { sleeper.end(isOver: false) }
        }
        guard isOver else { throw CancellationError() }
    }

    /// One sleep; touched on the loop's thread only.
    private final class Sleeper: @unchecked Sendable {
        // Unchecked: see the type's comment.

        private var continuation: CheckedContinuation<Bool, Never>?
        private var timer: LoopTimer?
        private var hasEnded = false

        func start(
            _ continuation: CheckedContinuation<Bool, Never>, until deadline: MonotonicInstant,
            on loop: EventLoop
        ) {
            // The cancellation may have come first.
            guard !hasEnded else { return continuation.resume(returning: false) }
            self.continuation = continuation
            let timer = LoopTimer(on: loop) { [weak self] in self?.end(isOver: true) }
            timer.deadline = deadline
            self.timer = timer
        }

        func end(isOver: Bool) {
            hasEnded = true
            timer?.deadline = nil
            timer = nil
            exchange(&continuation, with: nil)?.resume(returning: isOver)
        }
    }
}
