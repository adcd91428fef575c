internal import CLinux
internal import Glibc
public import Octets

/// Calls a handler at a deadline that can be changed, such as a machine's `nextDeadline`.
///
///     timer.deadline = machine.nextDeadline    // after each drain
///
/// On the loop's thread only. The handler is held while a deadline is set; set `deadline` to `nil` to release
/// it.
public final class LoopTimer: @unchecked Sendable {
    // Unchecked: everything mutable is touched on the loop's thread only, which is checked.

    private let loop: EventLoop
    package let handler: @Sendable () -> Void
    /// Its index in the loop's heap, while it is set.
    package var place: Int?

    /// A timer without a deadline; `handler` will be called on the loop's thread.
    public init(on loop: EventLoop, handler: @escaping @Sendable () -> Void) {
        self.loop = loop
        self.handler = handler
    }

    /// When the handler is called, on the loop's clock: at once if in the past, never if `nil`. It is reset
    /// to `nil` before the handler is called. On the loop only.
    public var deadline: MonotonicInstant? {
        get {
            loop.checkIsolated()
            return loop.timers.deadline(of: self)
        }
        set {
            loop.checkIsolated()
            // Most machines have no deadline most of the time.
            if newValue == nil, place == nil { return }
            loop.timers.set(self, to: newValue)
        }
    }
}

extension EventLoop {
    /// Calls the handlers of the timers that are due, in the order of their deadlines.
    func fireTimers() {
        guard let earliest = timers.earliest else { return }
        let now = self.now
        guard earliest <= now else { return }
        while let timer = timers.popDue(at: now) { timer.handler() }
    }

    /// Makes sure that the thread wakes up in time.
    ///
    /// Deadlines are postponed far more often than brought forward (each answer restarts a timeout), so a
    /// timer descriptor that is set too early is left alone: one idle wake-up is cheaper than a system call
    /// for each answer.
    func armTimer() {
        guard let deadline = timers.earliest else { return }
        if let armed = armedDeadline, armed <= deadline { return }
        armTimer(at: deadline)
    }

    /// Wakes the thread up at an instant of the machine's clock.
    func armTimer(at instant: MonotonicInstant) {
        // All zeros would disarm it; an instant in the past expires at once.
        let nanoseconds = max(instant.nanoseconds, 1)
        var setting = itimerspec()
        setting.it_value.tv_sec = Int(nanoseconds / 1_000_000_000)
        setting.it_value.tv_nsec = Int(nanoseconds % 1_000_000_000)
        timerfd_settime(timerDescriptor, CInt(TFD_TIMER_ABSTIME), &setting, nil)
        armedDeadline = instant
    }
}

extension EventLoop {
    /// Waits on the loop's clock. Throws if the task is cancelled.
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

    /// One sleep; used on the loop's thread only.
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
