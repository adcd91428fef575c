internal import CLinux
internal import Glibc
public import Octets
internal import Synchronization

/// A thread with an epoll set: the executor of everything that talks to a controller.
///
/// Actors that return the loop as their `unownedExecutor` run on its thread, and so do tasks that have it as
/// task executor preference, so that nothing between them waits for another thread. Descriptors, timers and
/// signals call their handlers on the same thread, outside of any task; an actor enters its isolation there
/// with `assumeIsolated`, synchronously.
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
    // Unchecked: the variables are touched only by the loop's thread, which every entry point checks;
    // everything else is behind `shared` or atomic.

    enum Work {
        case job(UnownedJob)
        case body(@Sendable () -> Void)
    }

    /// State shared with other threads.
    struct Shared {
        var work: [Work] = []
        /// Whether a thread runs jobs; after the end of the loop, one is started for each late job.
        var isRunning = true
        /// Whether the wake-up descriptor was written since the thread last checked.
        var isWoken = false
        var shouldStop = false
        var isJoined = false
        /// -1 after the end of the loop.
        var wakeDescriptor: CInt
    }

    private static let roundsOfTurn = 16
    static let wakeKey: UInt64 = 0
    static let timerKey: UInt64 = 1
    static let firstDescriptorKey: UInt64 = 2

    /// This and the next are -1 after the end of the loop. Used on the loop only.
    private(set) var epollDescriptor: CInt
    private(set) var timerDescriptor: CInt
    let shared: Lock<Shared>
    // State of the loop's thread.
    private var work = Queue<Work>(keepingOctets: 1_024)
    /// What is to be done at the end of the present round.
    var afterwards = Queue<@Sendable () -> Void>(keepingOctets: 1_024)
    private var shouldStop = false
    var descriptors: [UInt64: DescriptorHandler] = [:]
    var nextDescriptorKey = firstDescriptorKey
    var timers = TimerHeap()
    /// The instant that the timer descriptor is set to.
    var armedDeadline: MonotonicInstant?
    /// The value of ``newsCount`` when the thread last read ``shared``.
    private var knownNews: UInt64 = 0
    /// Whether all tasks of a program run on it: see ``run(_:)``.
    private let runsProgram: Bool
    private let threadIdentity = Atomic<UInt>(0)
    private let iterationCount = Atomic<UInt64>(0)
    private let outsideWorkCount = Atomic<UInt64>(0)
    /// How often another thread has changed ``shared``; increased before the loop is woken.
    private let newsCount = Atomic<UInt64>(0)
    /// Virtual time since the start, in nanoseconds; only the loop's thread changes it.
    private let virtualNow = Atomic<Int64>(0)
    private let thread = Lock<pthread_t?>(nil)

    package let clock: LoopClock

    /// Starts a loop; its thread has the name `name`, cut to the 15 octets of Linux.
    public convenience init(
        name: String = "ancs-io", clock: LoopClock = .monotonic
    ) throws(IOError) {
        try self.init(clock: clock, runsProgram: false)
        do throws(IOError) {
            let started = try startThread(named: name) { [self] in run() }
            thread.withLock { $0 = started }
        } catch {
            finish()
            throw error
        }
    }

    /// A loop that needs a thread to run it.
    private init(clock: LoopClock, runsProgram: Bool) throws(IOError) {
        (self.clock, self.runsProgram) = (clock, runsProgram)
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
        // Edge-triggered: each write to the eventfd is one event, and it need not be read.
        watch(wake, events: EPOLLIN.rawValue | EPOLLET.rawValue, key: Self.wakeKey)
        watch(timer, events: EPOLLIN.rawValue, key: Self.timerKey)
    }

    /// Runs `body` as a task on a loop whose thread is the caller's, and returns its result. Blocks the caller
    /// meanwhile. `body` must not shut the loop down.
    ///
    /// For the `main` of a program: as long as all its tasks prefer this loop, Swift never starts its thread
    /// pool, whose supervisor wakes up every second.
    package static func run<Result: Sendable>(
        _ body: @escaping @Sendable (EventLoop) async -> Result
    ) throws(IOError) -> Result {
        let loop = try EventLoop(clock: .monotonic, runsProgram: true)
        let result = Lock<Result?>(nil)
        Task(executorPreference: loop) {
            let value = await body(loop)
            result.withLock { $0 = value }
            loop.shutdown()
        }
        loop.run()
        guard let value = result.withLock({ $0 }) else {
            preconditionFailure("the loop of the calling thread was shut down by its user")
        }
        return value
    }

    // MARK: Time

    /// The time of the loop's clock. `CLOCK_MONOTONIC` stops while the machine is suspended.
    public var now: MonotonicInstant {
        switch clock.kind {
        case .monotonic: Self.monotonicNow
        case .virtual: MonotonicInstant(nanoseconds: virtualNow.load(ordering: .relaxed))
        }
    }

    /// How long the machine was suspended since it was started, which is not part of ``now``. Zero with a
    /// virtual clock.
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
    public func enqueue(_ job: consuming ExecutorJob) { add(.job(UnownedJob(job))) }

    /// Runs `body` on the loop's thread, after the work that is already queued. From any thread.
    public func execute(_ body: @escaping @Sendable () -> Void) { add(.body(body)) }

    /// The loop as the `unownedExecutor` of an actor.
    public func asUnownedSerialExecutor() -> UnownedSerialExecutor {
        UnownedSerialExecutor(ordinary: self)
    }

    /// The loop as a task executor preference.
    public func asUnownedTaskExecutor() -> UnownedTaskExecutor {
        UnownedTaskExecutor(ordinary: self)
    }

    /// Whether the caller is on the loop's thread.
    public var isCurrent: Bool { threadIdentity.load(ordering: .acquiring) == UInt(pthread_self()) }

    /// Whether the caller is on the loop's thread; the runtime calls this in `assumeIsolated`.
    public func isIsolatingCurrentContext() -> Bool? { isCurrent }

    /// Traps unless the caller is on the loop's thread.
    public func checkIsolated() {
        precondition(isCurrent, "called off the thread of its event loop")
    }

    /// How often the thread has woken up; does not increase while the loop is idle.
    public var iterations: UInt64 { iterationCount.load(ordering: .relaxed) }

    /// How often another thread has queued work.
    package var outsideWork: UInt64 { outsideWorkCount.load(ordering: .relaxed) }

    // MARK: End

    /// Ends the thread after the queued work has run, and waits for that unless called on the loop itself.
    /// Timers and descriptors are no longer served; close their owners first. Later jobs of actors that still
    /// exist run on short-lived threads. Further calls do nothing.
    public func shutdown() {
        let mayJoin = shared.withLock { shared in
            shared.shouldStop = true
            wake(&shared)
            defer { shared.isJoined = true }
            return !shared.isJoined
        }
        guard mayJoin, let thread = thread.withLock({ $0 }) else { return }
        if isCurrent { pthread_detach(thread) } else { pthread_join(thread, nil) }
    }

    // MARK: Internals

    private func add(_ work: Work) {
        if isCurrent {
            self.work.append(work)
            return
        }
        outsideWorkCount.wrappingAdd(1, ordering: .relaxed)
        let mustStartThread = shared.withLock { shared in
            shared.work.append(work)
            wake(&shared)
            defer { shared.isRunning = true }
            return !shared.isRunning
        }
        guard mustStartThread else { return }
        do throws(IOError) {
            pthread_detach(try startThread(named: "ancs-late") { [self] in runLateWork() })
        } catch { fatalError("a job can neither run nor be refused: \(error.message)") }
    }

    private func wake(_ shared: inout Shared) {
        newsCount.wrappingAdd(1, ordering: .releasing)
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
            runTurn()
            let isIdle = work.isEmpty
            if shouldStop && isIdle { break }
            let count = waitForEvents(&events, blocking: isIdle)
            for event in events.prefix(count) { dispatch(event) }
        }
        finish()
    }

    /// Runs the queued work and, for some rounds, the work that it adds. A chain of continuations thus needs
    /// no system call for each, but descriptors and timers are never delayed for long.
    private func runTurn() {
        var rounds = 0
        repeat {
            runWork()
            rounds += 1
        } while rounds < Self.roundsOfTurn && !work.isEmpty
    }

    /// Runs the work queued now, but not what it adds.
    private func runWork() {
        let count = work.count
        let others = takeOutsideWork()
        for _ in 0..<count { if let next = work.popFirst() { run(next) } }
        if let others { for work in others { run(work) } }
        while let body = afterwards.popFirst() { body() }
    }

    /// The work that other threads have added, or `nil` if they have added none.
    private func takeOutsideWork() -> [Work]? {
        let news = newsCount.load(ordering: .acquiring)
        guard news != knownNews else { return nil }
        knownNews = news
        return shared.withLock { shared in
            shared.isWoken = false
            shouldStop = shared.shouldStop
            return exchange(&shared.work, with: [])
        }
    }

    private func run(_ work: Work) {
        switch work {
        case .job(let job):
            // The runtime queues a task again, whenever it enters the actor that it is already on, if it prefers
            // the loop and the loop runs as serial executor alone, or the other way round. The tasks of a program
            // that the loop runs prefer it, those of others seldom. So a check belongs into the body of
            // withCheckedContinuation, not before it: other callbacks may run in between.
            guard runsProgram else { return job.runSynchronously(on: asUnownedSerialExecutor()) }
            job.runSynchronously(
                isolatedTo: asUnownedSerialExecutor(), taskExecutor: asUnownedTaskExecutor())
        case .body(let body): body()
        }
    }

    private func waitForEvents(_ events: inout [epoll_event], blocking: Bool) -> Int {
        switch clock.kind {
        case .virtual(let speed):
            guard blocking, let deadline = timers.earliest else { break }
            return waitVirtually(&events, until: deadline, speed: speed)
        case .monotonic: if blocking { armTimer() }
        }
        return poll(&events, blocking: blocking)
    }

    /// Advances virtual time to `deadline`, because there is nothing to do before it: at once, or, if a person
    /// watches, after the corresponding real time. Work from outside that arrives meanwhile is done first.
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
            // If there was nothing to wait for, work from outside has been done first.
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
        // EINTR is a signal; any other error means that the epoll set is broken.
        precondition(errno == EINTR, "epoll_wait: \(IOError.text(of: errno))")
        return 0
    }

    private func dispatch(_ event: epoll_event) {
        switch event.data.u64 {
        case Self.wakeKey: break
        case Self.timerKey:
            var expirations: UInt64 = 0
            read(timerDescriptor, &expirations, MemoryLayout<UInt64>.size)
            armedDeadline = nil
        default: descriptorIsReady(event)
        }
    }

    private func finish() {
        shared.withLock { shared in
            close(shared.wakeDescriptor)
            shared.wakeDescriptor = -1
        }
        close(exchange(&timerDescriptor, with: -1))
        close(exchange(&epollDescriptor, with: -1))
        // Handlers are released here, which may enqueue jobs once more.
        exchange(&timers, with: TimerHeap()).forget()
        _ = exchange(&descriptors, with: [:])
        _ = exchange(&work, with: Queue())
        _ = exchange(&afterwards, with: Queue())
        runLateWork()
    }

    /// Runs work until there is none, then gives up the role of the loop's thread.
    private func runLateWork() {
        becomeCurrent()
        while true {
            runWork()
            guard work.isEmpty else { continue }
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
