import CLinux
import Glibc
import LinuxIO
import Octets
import Synchronization
import Testing

/// An actor on a loop that adds numbers.
private actor Counter: LoopActor {
    nonisolated let loop: EventLoop
    private(set) var sum = 0

    init(on loop: EventLoop) { self.loop = loop }

    func add(_ number: Int) { sum += number }
}

/// An actor on a loop that collects what its callbacks tell it.
private actor Recorder {
    nonisolated let loop: EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    private var notes: [Int] = []
    private var waiter: (count: Int, continuation: CheckedContinuation<[Int], Never>)?
    private var timers: [LoopTimer] = []

    init(on loop: EventLoop) { self.loop = loop }

    func note(_ number: Int) {
        notes.append(number)
        guard let waiter, notes.count >= waiter.count else { return }
        self.waiter = nil
        waiter.continuation.resume(returning: notes)
    }

    func notes(_ count: Int) async -> [Int] {
        if notes.count >= count { return notes }
        return await withCheckedContinuation { continuation in
            if notes.count >= count {
                continuation.resume(returning: notes)
            } else {
                waiter = (count, continuation)
            }
        }
    }

    func runsOnTheLoop() -> Bool { loop.isCurrent }

    func onTheLoopAfterSuspension() async -> Bool {
        await Task.yield()
        return loop.isCurrent
    }

    /// Notes each number at its offset from the same instant.
    func set(_ offsets: [(Int, Duration)]) {
        let start = loop.now
        for (number, offset) in offsets {
            let timer = LoopTimer(on: loop) { [self] in assumeIsolated { $0.note(number) } }
            timer.deadline = start + offset
            timers.append(timer)
        }
    }

    func move(timer index: Int, by offset: Duration?) {
        timers[index].deadline = offset.map { loop.now + $0 }
    }

    func deadline(of index: Int) -> MonotonicInstant? { timers[index].deadline }

    /// Watches one end and notes the readiness each time.
    func watch(_ descriptor: CInt, readsOctets: Bool) throws -> DescriptorRegistration {
        try loop.register(descriptor, for: .readable) { [self] readiness in
            if readsOctets {
                var octet: UInt8 = 0
                _ = read(descriptor, &octet, 1)
            }
            assumeIsolated { $0.note(Int(readiness.rawValue)) }
        }
    }

    /// Two descriptors that become ready together; whichever comes first ends the other.
    func watchRivals(_ first: CInt, _ second: CInt) throws {
        let registrations = Lock<[DescriptorRegistration]>([])
        let shared = Shared(registrations)
        for (index, descriptor) in [first, second].enumerated() {
            let registration = try loop.register(descriptor, for: .readable) { [self] _ in
                shared.value.withLock { all in
                    for other in all { loop.unregister(other) }
                }
                assumeIsolated { $0.note(index) }
            }
            shared.value.withLock { $0.append(registration) }
        }
    }
}

private final class Shared<Value: ~Copyable & Sendable>: Sendable {
    let value: Value
    init(_ value: consuming Value) { self.value = value }
}

private func pair() -> (CInt, CInt) {
    var ends: [CInt] = [-1, -1]
    let kind = CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
    _ = socketpair(AF_UNIX, kind, 0, &ends)
    return (ends[0], ends[1])
}

private func threadIdentity() -> UInt { UInt(pthread_self()) }

@concurrent
private func elsewhere() async {}

@Suite struct EventLoopTests {
    let loop: EventLoop

    init() throws { loop = try EventLoop() }

    // MARK: Executor

    @Test("an actor that names the loop runs on its thread, also after a suspension")
    func actorRunsOnLoop() async {
        defer { loop.shutdown() }
        let recorder = Recorder(on: loop)
        #expect(await recorder.runsOnTheLoop())
        #expect(await recorder.onTheLoopAfterSuspension())
        #expect(!loop.isCurrent)
        #expect(loop.isIsolatingCurrentContext() == false)
    }

    @Test("a task that prefers the loop runs on its thread")
    func taskExecutor() async {
        defer { loop.shutdown() }
        let loop = loop
        let task = Task(executorPreference: loop) { loop.isCurrent }
        #expect(await task.value)
        await withTaskExecutorPreference(loop) {
            async let child = loop.isCurrent
            #expect(await child)
        }
    }

    @Test("a task runs on the calling thread, waits there, and comes back from other threads")
    func callingThread() throws {
        let caller = threadIdentity()
        let seen = try EventLoop.run { loop in
            var seen = [threadIdentity()]
            try? await loop.sleep(for: .milliseconds(1))
            seen.append(threadIdentity())
            await withTaskExecutorPreference(globalConcurrentExecutor) { await elsewhere() }
            seen.append(threadIdentity())
            return seen
        }
        #expect(seen == [caller, caller, caller])
    }

    @Test("all jobs from another thread run, in order")
    func crossThread() async {
        defer { loop.shutdown() }
        let recorder = Recorder(on: loop)
        let loop = loop
        await withTaskGroup(of: Void.self) { group in
            for producer in 0..<4 {
                group.addTask {
                    for number in 0..<500 {
                        loop.execute {
                            recorder.assumeIsolated { $0.note(producer * 1_000 + number) }
                        }
                    }
                }
            }
        }
        let notes = await recorder.notes(2_000)
        for producer in 0..<4 {
            let own = notes.filter { $0 / 1_000 == producer }
            #expect(own == (0..<500).map { producer * 1_000 + $0 })
        }
    }

    @Test("using the loop's state off its thread traps")
    func trapsOffThread() async {
        await #expect(processExitsWith: .failure) {
            let loop = try EventLoop()
            LoopTimer(on: loop) {}.deadline = .zero
        }
    }

    @Test("entering an actor of the loop off its thread traps")
    func trapsAssumeIsolated() async {
        await #expect(processExitsWith: .failure) {
            let recorder = Recorder(on: try EventLoop())
            func enter() { recorder.assumeIsolated { _ in } }
            enter()
        }
    }

    @Test("a function of an actor traps off its thread")
    func trapsFunctionOfAnActor() async {
        await #expect(processExitsWith: .failure) {
            let counter = Counter(on: try EventLoop())
            counter.onLoop { (_, _: Int) in }(1)
        }
    }

    @Test(
        "a function of an actor enters it on the loop, each time, and does nothing once it is gone")
    func functionOfAnActor() async throws {
        let loop = try EventLoop()
        defer { loop.shutdown() }
        var counter: Counter? = Counter(on: loop)
        weak let gone = counter
        let add = try #require(counter).onLoop { counter, number in counter.add(number) }
        loop.execute { add(2) }
        loop.execute { add(3) }
        #expect(await counter?.sum == 5)
        counter = nil
        #expect(gone == nil)
        await withCheckedContinuation { continuation in
            loop.execute {
                add(1)
                continuation.resume()
            }
        }
    }

    @Test("work that is added while work runs comes after it, in order, before the thread waits")
    func addedWork() async throws {
        let loop = try EventLoop()
        defer { loop.shutdown() }
        let notes = Lock<[Int]>([])
        await withCheckedContinuation { continuation in
            loop.execute {
                for number in 1...100 {
                    loop.execute {
                        notes.withLock { $0.append(number) }
                        loop.execute { notes.withLock { $0.append(100 + number) } }
                        guard number == 1 else { return }
                        loop.afterThisTurn { notes.withLock { $0.append(0) } }
                    }
                }
                loop.execute { loop.execute { loop.execute { continuation.resume() } } }
            }
        }
        #expect(notes.withLock { $0 } == Array(1...100) + [0] + Array(101...200))
    }

    // MARK: Timers

    @Test("timers fire in the order of their deadlines, those of the past at once")
    func timerOrder() async {
        defer { loop.shutdown() }
        let recorder = Recorder(on: loop)
        await recorder.set([
            (1, .milliseconds(9)), (2, .milliseconds(3)), (3, .seconds(-5)), (4, .milliseconds(6)),
            (5, .milliseconds(3)),
        ])
        #expect(await recorder.notes(5) == [3, 2, 5, 4, 1])
    }

    @Test("a timer fires at its deadline or later, never before, and is then not set")
    func timerInstant() async {
        defer { loop.shutdown() }
        let recorder = Recorder(on: loop)
        let start = loop.now
        await recorder.set([(1, .milliseconds(5))])
        _ = await recorder.notes(1)
        #expect(loop.now - start >= .milliseconds(5))
        #expect(await recorder.deadline(of: 0) == nil)
    }

    @Test("a timer that is moved back fires once, later; one that is not set any more does not")
    func timerMoves() async {
        defer { loop.shutdown() }
        let recorder = Recorder(on: loop)
        await recorder.set([
            (1, .seconds(3_600)), (2, .milliseconds(4)), (3, .seconds(3_600)),
        ])
        await recorder.move(timer: 0, by: .milliseconds(8))
        await recorder.move(timer: 2, by: nil)
        #expect(await recorder.notes(2) == [2, 1])
        #expect(await recorder.deadline(of: 2) == nil)
    }

    @Test("an idle loop sleeps")
    func idle() async {
        defer { loop.shutdown() }
        await loop.settle()
        #expect(await loop.iterationsWhileIdle() <= 4)
    }

    // MARK: Descriptors

    @Test("a descriptor calls back when it can be read")
    func readable() async throws {
        defer { loop.shutdown() }
        let (near, far) = pair()
        let recorder = Recorder(on: loop)
        let registration = try await recorder.watch(near, readsOctets: true)
        _ = write(far, [1, 2, 3] as [UInt8], 3)
        #expect(await recorder.notes(3) == [1, 1, 1])
        loop.execute { [loop] in
            loop.unregister(registration)
            close(near)
            close(far)
        }
        await loop.settle()
    }

    @Test("a descriptor that hung up is reported once and does not keep the loop awake")
    func hangUp() async throws {
        defer { loop.shutdown() }
        // The writing end of a pipe whose reader has gone has nothing to read, only the error.
        var ends: [CInt] = [-1, -1]
        try #require(clinux_pipe(&ends, 1) == 0)
        let writeEnd = ends[1]
        let recorder = Recorder(on: loop)
        let registration = try await recorder.watch(writeEnd, readsOctets: false)
        close(ends[0])
        #expect(await recorder.notes(1) == [Int(DescriptorReadiness.hangUp.rawValue)])
        #expect(await loop.iterationsWhileIdle() <= 4)
        #expect(await recorder.notes(1).count == 1)
        loop.execute { [loop] in
            loop.unregister(registration)
            close(writeEnd)
        }
        await loop.settle()
    }

    @Test("a handler that ends another's registration is not followed by that other")
    func rivals() async throws {
        defer { loop.shutdown() }
        let (firstNear, firstFar) = pair()
        let (secondNear, secondFar) = pair()
        defer { for end in [firstNear, firstFar, secondNear, secondFar] { close(end) } }
        // Both are ready before either is watched: one batch of events.
        _ = write(firstFar, [1] as [UInt8], 1)
        _ = write(secondFar, [1] as [UInt8], 1)
        let recorder = Recorder(on: loop)
        try await recorder.watchRivals(firstNear, secondNear)
        _ = await recorder.notes(1)
        #expect(await loop.iterationsWhileIdle() <= 4)
        #expect(await recorder.notes(1).count == 1)
    }

    @Test("a file that cannot be watched is an error")
    func unwatchable() async throws {
        defer { loop.shutdown() }
        let directory = try TemporaryDirectory()
        let file = open("\(directory.path)/file", O_RDWR | O_CREAT, 0o600)
        defer { close(file) }
        let recorder = Recorder(on: loop)
        let error = await #expect(throws: IOError.self) {
            try await recorder.watch(file, readsOctets: false)
        }
        #expect(error?.errno == EPERM)
    }

    // MARK: End

    @Test("work that waits at the shutdown is done, and a shutdown may come twice or from within")
    func shutdown() async throws {
        let count = Shared(Atomic(0))
        for _ in 0..<100 { loop.execute { count.value.add(1, ordering: .relaxed) } }
        loop.shutdown()
        #expect(count.value.load(ordering: .relaxed) == 100)
        loop.shutdown()
        let other = try EventLoop()
        await withCheckedContinuation { continuation in
            other.execute {
                other.shutdown()
                continuation.resume()
            }
        }
    }

    @Test("an actor that outlives its loop still answers")
    func lateJobs() async {
        let recorder = Recorder(on: loop)
        loop.shutdown()
        for number in 0..<20 { await recorder.note(number) }
        #expect(await recorder.notes(20) == Array(0..<20))
        #expect(await recorder.runsOnTheLoop())
    }

    @Test("loops, timers and signals leave no descriptor open")
    func descriptorsAreClosed() async {
        // In a process of its own, where no other test opens files.
        await #expect(processExitsWith: .success) {
            let before = SystemFile.names(in: "/proc/self/fd").count
            for _ in 0..<10 {
                let loop = try EventLoop()
                let recorder = Recorder(on: loop)
                await recorder.set([(1, .milliseconds(1))])
                _ = await recorder.notes(1)
                let signals = try SignalSource([SIGUSR1], on: loop) { _ in }
                signals.cancel()
                loop.shutdown()
            }
            // A leak shows ten times; Dispatch opens three descriptors of its own when it likes.
            #expect(SystemFile.names(in: "/proc/self/fd").count < before + 10)
        }
    }
}
