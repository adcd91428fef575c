import LinuxIO
import Testing

@testable import ANCSEvents
@testable import ANCSKit
@testable import ANCSReceiver

/// Numbers as events of an actor; missed ones are negative, by how many were missed.
@Suite struct EventSequenceTests {
    private struct Failure: Error {}

    /// A source of numbers, which tells when it goes away.
    private actor Source {
        nonisolated let channel: EventChannel<Int, Failure>
        private let hasGone: Lock<Bool>

        init(limit: Int = 8, hasGone: Lock<Bool> = Lock(false)) {
            channel = EventChannel(limit: limit) { -$0 }
            self.hasGone = hasGone
        }

        nonisolated var events: EventSequence<Int, Failure> { channel.events(of: self) }

        nonisolated func send(_ numbers: ClosedRange<Int>) {
            for number in numbers { channel.send(number) }
        }

        deinit { hasGone.withLock { $0 = true } }
    }

    /// Everything that a loop reads, and why it ended.
    private static func rest(
        of events: EventSequence<Int, Failure>
    ) async -> (numbers: [Int], failure: Failure?) {
        var numbers: [Int] = []
        do throws(Failure) {
            for try await number in events { numbers.append(number) }
        } catch { return (numbers, error) }
        return (numbers, nil)
    }

    @Test(
        "a loop reads the waiting events, the number of missed ones once, and then throws the error of the source"
    )
    func failure() async {
        let source = Source(limit: 2)
        source.send(1...5)
        source.channel.finish(throwing: Failure())
        let first = await Self.rest(of: source.events)
        #expect(first.numbers == [1, 2, -3] && first.failure != nil)
        let second = await Self.rest(of: source.events)
        #expect(second.numbers.isEmpty && second.failure == nil)
    }

    @Test("a loop that breaks loses nothing: the next one continues")
    func leavingOff() async throws {
        let source = Source()
        source.send(1...4)
        for try await number in source.events where number == 2 { break }
        source.channel.finish()
        #expect(await Self.rest(of: source.events).numbers == [3, 4])
    }

    @Test("a cancelled loop ends, and the next one reads everything, including the error")
    func cancelled() async {
        let source = Source()
        let cancelled = Task.immediate { await Self.rest(of: source.events) }
        let other = Task.immediate { await Self.rest(of: source.events) }
        cancelled.cancel()
        let ending = await cancelled.value
        #expect(ending.numbers.isEmpty && ending.failure == nil)
        source.send(1...3)
        source.channel.finish(throwing: Failure())
        let rest = await other.value
        #expect(rest.numbers == [1, 2, 3] && rest.failure != nil)
    }

    @Test("two loops share the events: each event goes to one of them, and the error too")
    func sharing() async {
        let source = Source()
        let loops = (0..<2).map { _ in Task.immediate { await Self.rest(of: source.events) } }
        source.send(1...6)
        source.channel.finish(throwing: Failure())
        var numbers: [Int] = []
        var failures = 0
        for loop in loops {
            let rest = await loop.value
            #expect(rest.numbers == rest.numbers.sorted())
            numbers += rest.numbers
            failures += rest.failure == nil ? 0 : 1
        }
        #expect(numbers.sorted() == Array(1...6))
        #expect(failures == 1)
    }

    @Test("a source is retained by the loop that reads it, and no longer")
    func keeping() async {
        let hasGone = Lock(false)
        var source: Source? = Source(hasGone: hasGone)
        let channel = source?.channel
        let loop = Task.immediate { [events = source?.events] in
            guard let events else { return [Int]() }
            return await Self.rest(of: events).numbers
        }
        source = nil
        #expect(!hasGone.withLock { $0 })
        channel?.send(1)
        channel?.finish()
        #expect(await loop.value == [1])
        #expect(hasGone.withLock { $0 })
    }

    /// An actor on a loop, which reads there.
    private actor Reader {
        nonisolated let loop: EventLoop
        private(set) var numbers: [Int] = []

        nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

        init(on loop: EventLoop) { self.loop = loop }

        func read(_ events: EventSequence<Int, Failure>) async throws(Failure) {
            for try await number in events {
                loop.preconditionIsolated()
                numbers.append(number)
            }
        }
    }

    @Test("a reader stays on its executor, whether events are waiting or arrive later")
    func executor() async throws {
        let loop = try EventLoop(clock: .virtual)
        defer { loop.shutdown() }
        let source = Source()
        let reader = Reader(on: loop)
        source.send(1...2)
        let reading = Task { try await reader.read(source.events) }
        while await reader.numbers.count < 2 { await Task.yield() }
        source.send(3...4)
        source.channel.finish()
        try await reading.value
        #expect(await reader.numbers == [1, 2, 3, 4])
    }

    @Test("managers never fail, so that a loop over their events needs no 'try'")
    func neverFailing() async throws {
        try await Air.run { air in
            let adapter = try await air.adapter(at: air.port())
            let manager = CentralManager(adapter)
            try await air.pass(.milliseconds(10))
            await adapter.stop()
            var events: [CentralManagerEvent] = []
            for await event in manager.events { events.append(event) }
            #expect(events == [.stateUpdated(.poweredOn), .stateUpdated(.poweredOff)])
            for await event in manager.events { Issue.record("\(event) came after the end") }
        }
    }
}
