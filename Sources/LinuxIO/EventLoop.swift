internal import CLinux
internal import Glibc
public import Octets
internal import Synchronization

/// One thread with one epoll set: the executor of everything that talks to a controller.
///
/// Actors that name the loop as their `unownedExecutor` run on its thread, and so do tasks that
/// prefer it as task executor; between them nothing waits for another thread. Descriptors, timers
/// and signals call back on the same thread outside of any task, so that an actor enters itself with
/// `assumeIsolated`, synchronously.
///
///     actor Link {
///         let loop: EventLoop
///         nonisolated var unownedExecutor: UnownedSerialExecutor {
///             loop.asUnownedSerialExecutor()
///         }
///     }
///
/// A loop lives until ``shutdown()``.
public final class EventLoop: SerialExecutor, TaskExecutor, @unchecked Sendable {
    // Unchecked: `confined` and what the extensions keep in it are touched only by the loop's
    // thread, which every entry point checks; everything else is behind `shared` or atomic.

    enum Work {
        case job(UnownedJob)
        case body(@Sendable () -> Void)
    }

    /// What other threads reach.
    struct Shared {
        var work: [Work] = []
        /// A thread runs jobs; after the end of the loop one is started for each late job.
        var isRunning = true
        /// The wake-up descriptor was written since the thread last looked.
        var isWoken = false
        var shouldStop = false
        var isJoined = false
        /// -1 once the loop has ended.
        var wakeDescriptor: CInt
    }

    /// What only the loop's thread reaches.
    struct Confined {
        var work: [Work] = []
        var afterwards: [@Sendable () -> Void] = []
        var descriptors: [UInt64: DescriptorHandler] = [:]
        var nextDescriptorKey: UInt64 = firstDescriptorKey
        var timers = TimerHeap()
        /// What the timer descriptor is set to.
        var armedDeadline: MonotonicInstant?
    }

    private static let roundsOfTurn = 16
    static let wakeKey: UInt64 = 0
    static let timerKey: UInt64 = 1
    static let firstDescriptorKey: UInt64 = 2

    /// -1 once the loop has ended, as is the next one: both are touched on the loop only.
    private(set) var epollDescriptor: CInt
    private(set) var timerDescriptor: CInt
    let shared: Lock<Shared>
    var confined = Confined()
    private let threadIdentity = Atomic<UInt>(0)
    private let iterationCount = Atomic<UInt64>(0)
    private let outsideWorkCount = Atomic<UInt64>(0)
    /// Nanoseconds since the start, where time is virtual; the loop's thread moves it.
    private let virtualNow = Atomic<Int64>(0)
    private let thread = Lock<pthread_t?>(nil)

    let clock: LoopClock

    /// Starts a loop; its thread bears `name`, cut to the 15 octets that Linux shows.
    public init(name: String = "ancs-io", clock: LoopClock = .monotonic) throws(IOError) {
        self.clock = clock
        let epoll = epoll_create1(CInt(EPOLL_CLOEXEC))
        let wake = eventfd(0, CInt(EFD_CLOEXEC) | CInt(EFD_NONBLOCK))
        let timer = timerfd_create(CLOCK_MONOTONIC, CInt(TFD_CLOEXEC) | CInt(TFD_NONBLOCK))
        epollDescriptor = epoll
        timerDescriptor = timer
        shared = Lock(Shared(wakeDescriptor: wake))
        guard epoll >= 0, wake >= 0, timer >= 0 else {
            let reason = errno
            for descriptor in [epoll, wake, timer] where descriptor >= 0 { close(descriptor) }
            throw IOError("cannot create an event loop", errno: reason)
        }
        // Edge-triggered: each write to the eventfd is one event, nobody has to read it back.
        watch(wake, events: EPOLLIN.rawValue | EPOLLET.rawValue, key: Self.wakeKey)
        watch(timer, events: EPOLLIN.rawValue, key: Self.timerKey)
        do throws(IOError) {
            let started = try startThread(named: name) { [self] in run() }
            thread.withLock { $0 = started }
        } catch {
            for descriptor in [epoll, wake, timer] { close(descriptor) }
            throw error
        }
    }

    // MARK: Time

    /// The time of the loop's clock. `CLOCK_MONOTONIC` does not count while the machine is suspended.
    public var now: MonotonicInstant {
        switch clock.kind {
        case .monotonic: Self.monotonicNow
        case .virtual: MonotonicInstant(nanoseconds: virtualNow.load(ordering: .relaxed))
        }
    }

    /// How long the machine was suspended since it was started, which ``now`` does not count. A machine
    /// whose clock is virtual never is.
    public var suspendedTime: Duration {
        switch clock.kind {
        case .monotonic: Self.now(of: CLOCK_BOOTTIME) - Self.monotonicNow
        case .virtual: .zero
        }
    }

    private static var monotonicNow: MonotonicInstant { now(of: CLOCK_MONOTONIC) }

    private static func now(of clock: clockid_t) -> MonotonicInstant {
        var time = timespec()
        clock_gettime(clock, &time)
        return MonotonicInstant(
            nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
    }

    // MARK: Executor

    /// Runs a job of Swift's concurrency runtime on the loop's thread.
    public func enqueue(_ job: consuming ExecutorJob) {
        add(.job(UnownedJob(job)))
    }

    /// Runs `body` on the loop's thread, after what is already waiting there. From any thread.
    public func execute(_ body: @escaping @Sendable () -> Void) {
        add(.body(body))
    }

    /// What an actor returns as its `unownedExecutor`.
    public func asUnownedSerialExecutor() -> UnownedSerialExecutor {
        UnownedSerialExecutor(ordinary: self)
    }

    /// The loop as a preference of tasks.
    public func asUnownedTaskExecutor() -> UnownedTaskExecutor {
        UnownedTaskExecutor(ordinary: self)
    }

    /// Whether the caller is on the loop's thread.
    public var isCurrent: Bool {
        threadIdentity.load(ordering: .acquiring) == UInt(pthread_self())
    }

    /// Whether the caller is on the loop's thread; what the runtime asks in `assumeIsolated`.
    public func isIsolatingCurrentContext() -> Bool? { isCurrent }

    /// Traps unless the caller is on the loop's thread.
    public func checkIsolated() {
        precondition(isCurrent, "called off the thread of its event loop")
    }

    /// How often the thread has woken up: an idle loop does not count on.
    public var iterations: UInt64 { iterationCount.load(ordering: .relaxed) }

    /// How often another thread has given the loop something to do.
    package var outsideWork: UInt64 { outsideWorkCount.load(ordering: .relaxed) }

    // MARK: End

    /// Ends the thread after the work that waits has run, and waits for that unless called on the
    /// loop itself. Timers do not fire any more, descriptors are no longer watched; close what owns
    /// them before. Later jobs of actors that still live are run, each on a thread that comes and
    /// goes. Calling it again does nothing.
    public func shutdown() {
        let mayJoin = shared.withLock { shared in
            shared.shouldStop = true
            Self.wake(&shared)
            defer { shared.isJoined = true }
            return !shared.isJoined
        }
        guard mayJoin, let thread = thread.withLock({ $0 }) else { return }
        if isCurrent { pthread_detach(thread) } else { pthread_join(thread, nil) }
    }

    // MARK: Internals

    private func add(_ work: Work) {
        if isCurrent {
            confined.work.append(work)
            return
        }
        outsideWorkCount.wrappingAdd(1, ordering: .relaxed)
        let mustStartThread = shared.withLock { shared in
            shared.work.append(work)
            Self.wake(&shared)
            defer { shared.isRunning = true }
            return !shared.isRunning
        }
        guard mustStartThread else { return }
        do throws(IOError) {
            pthread_detach(try startThread(named: "ancs-late") { [self] in runLateWork() })
        } catch {
            fatalError("a job can neither run nor be refused: \(error.message)")
        }
    }

    private static func wake(_ shared: inout Shared) {
        guard !shared.isWoken, shared.wakeDescriptor >= 0 else { return }
        shared.isWoken = true
        // Cannot fail: the counter of an eventfd overflows after 2^64 - 2 of these.
        eventfd_write(shared.wakeDescriptor, 1)
    }

    private func becomeCurrent() {
        threadIdentity.store(UInt(pthread_self()), ordering: .releasing)
    }

    private func run() {
        becomeCurrent()
        var events = [epoll_event](repeating: epoll_event(), count: 64)
        while true {
            iterationCount.wrappingAdd(1, ordering: .relaxed)
            fireTimers()
            let shouldStop = runTurn()
            let isIdle = confined.work.isEmpty && confined.afterwards.isEmpty
            if shouldStop && isIdle { break }
            let count = waitForEvents(&events, blocking: isIdle)
            for event in events.prefix(count) { dispatch(event) }
        }
        finish()
    }

    /// Runs what waits and, for some rounds, what that adds: a chain of continuations is one turn and
    /// not a system call for each, but descriptors and timers are never kept waiting for long.
    /// Returns whether the loop shall end.
    private func runTurn() -> Bool {
        var shouldStop = runWork()
        var rounds = 1
        while rounds < Self.roundsOfTurn, !confined.work.isEmpty {
            shouldStop = runWork()
            rounds += 1
        }
        return shouldStop
    }

    /// Runs what waits now, not what it adds. Returns whether the loop shall end.
    private func runWork() -> Bool {
        let local = exchange(&confined.work, with: [])
        let (others, shouldStop) = shared.withLock { shared in
            shared.isWoken = false
            return (exchange(&shared.work, with: []), shared.shouldStop)
        }
        for work in local { run(work) }
        for work in others { run(work) }
        while !confined.afterwards.isEmpty {
            for body in exchange(&confined.afterwards, with: []) { body() }
        }
        return shouldStop
    }

    private func run(_ work: Work) {
        switch work {
        case .job(let job):
            // Not as task executor too: the runtime would then send a task without that preference
            // through the queue again whenever it enters the actor it is already on, and other
            // callbacks would come between a check and the continuation that relies on it.
            job.runSynchronously(on: asUnownedSerialExecutor())
        case .body(let body): body()
        }
    }

    private func waitForEvents(_ events: inout [epoll_event], blocking: Bool) -> Int {
        switch clock.kind {
        case .virtual(let speed):
            guard blocking, let deadline = confined.timers.earliest else { break }
            return waitVirtually(&events, until: deadline, speed: speed)
        case .monotonic: if blocking { armTimer() }
        }
        return poll(&events, blocking: blocking)
    }

    /// Nothing is left to do before `deadline`: it comes at once, or after what its distance is to a
    /// person who watches. Whatever comes in between from outside is dealt with first.
    private func waitVirtually(
        _ events: inout [epoll_event], until deadline: MonotonicInstant, speed: Double
    ) -> Int {
        let distance = (deadline - now) / .nanoseconds(1)
        let wait = Int64(max(0, min(distance / speed, 1e18)))
        let start = Self.monotonicNow
        if wait > 0 { armTimer(at: start + .nanoseconds(wait)) }
        let count = poll(&events, blocking: wait > 0)
        let waited = Self.monotonicNow.nanoseconds - start.nanoseconds
        if waited >= wait {
            // What is outside of the loop has gone first where nothing had to be waited for.
            if wait > 0 || count == 0 { moveVirtualTime(to: deadline) }
        } else {
            moveVirtualTime(to: now + .nanoseconds(Int64(Double(waited) * speed)))
        }
        return count
    }

    private func moveVirtualTime(to instant: MonotonicInstant) {
        guard instant > now else { return }
        virtualNow.store(instant.nanoseconds, ordering: .relaxed)
    }

    private func poll(_ events: inout [epoll_event], blocking: Bool) -> Int {
        let count = epoll_wait(epollDescriptor, &events, CInt(events.count), blocking ? -1 : 0)
        guard count < 0 else { return Int(count) }
        // EINTR is a signal; anything else means that the set itself is broken.
        precondition(errno == EINTR, "epoll_wait: \(IOError.text(of: errno))")
        return 0
    }

    private func dispatch(_ event: epoll_event) {
        switch event.data.u64 {
        case Self.wakeKey: break
        case Self.timerKey:
            var expirations: UInt64 = 0
            read(timerDescriptor, &expirations, MemoryLayout<UInt64>.size)
            confined.armedDeadline = nil
        default: descriptorIsReady(event)
        }
    }

    private func finish() {
        let dropped = exchange(&confined, with: Confined())
        shared.withLock { shared in
            close(shared.wakeDescriptor)
            shared.wakeDescriptor = -1
        }
        close(exchange(&timerDescriptor, with: -1))
        close(exchange(&epollDescriptor, with: -1))
        // What the handlers hold ends here; that may enqueue jobs once more.
        _ = consume dropped
        runLateWork()
    }

    /// Runs work until there is none and lets go of the role of the loop's thread.
    private func runLateWork() {
        becomeCurrent()
        while true {
            _ = runWork()
            guard confined.work.isEmpty else { continue }
            let isDone = shared.withLock { shared in
                guard shared.work.isEmpty else { return false }
                shared.isRunning = false
                threadIdentity.store(0, ordering: .releasing)
                return true
            }
            if isDone { return }
        }
    }
}
