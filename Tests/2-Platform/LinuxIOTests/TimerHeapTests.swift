import Octets
import Testing

@testable import LinuxIO

@Suite struct TimerHeapTests {
    private let loop: EventLoop

    init() throws { loop = try EventLoop(clock: .virtual) }

    private func timer(_ body: @escaping @Sendable () -> Void = {}) -> LoopTimer {
        LoopTimer(on: loop, handler: body)
    }

    private func instant(_ nanoseconds: Int) -> MonotonicInstant {
        MonotonicInstant(nanoseconds: Int64(nanoseconds))
    }

    @Test("timers come in the order of their deadlines, equal ones as they were set")
    func order() {
        var heap = TimerHeap()
        let timers = (0..<6).map { _ in timer() }
        for (timer, deadline) in zip(timers, [30, 10, 20, 10, 30, 10]) {
            heap.set(timer, to: instant(deadline))
        }
        func due(at now: Int) -> [Int] {
            var numbers: [Int] = []
            while let due = heap.popDue(at: instant(now)) {
                numbers += timers.indices.filter { timers[$0] === due }
            }
            return numbers
        }
        #expect(heap.earliest == instant(10))
        #expect(due(at: 9) == [])
        #expect(due(at: 29) == [1, 3, 5, 2])
        #expect(due(at: 30) == [0, 4])
        #expect(heap.count == 0 && heap.earliest == nil)
        loop.shutdown()
    }

    @Test("a random history gives the same as a sorted list", arguments: 0..<20 as Range<UInt64>)
    func model(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var heap = TimerHeap()
        let timers = (0..<60).map { _ in timer() }
        // Which timers are set, in the order in which they go off.
        var model: [(deadline: MonotonicInstant, timer: Int)] = []
        for _ in 0..<2_000 {
            let number = Int.random(in: timers.indices, using: &generator)
            switch UInt8.random(in: 0..<10, using: &generator) {
            case 0..<5:
                let deadline = instant(Int.random(in: 0..<500, using: &generator))
                if heap.deadline(of: timers[number]) != deadline {
                    model.removeAll { $0.timer == number }
                    model.append((deadline, number))
                }
                heap.set(timers[number], to: deadline)
            case 5..<8:
                model.removeAll { $0.timer == number }
                heap.set(timers[number], to: nil)
            default:
                let now = instant(Int.random(in: 0..<100, using: &generator))
                while let due = heap.popDue(at: now) {
                    let first = model.enumerated().min {
                        ($0.element.deadline, $0.offset) < ($1.element.deadline, $1.offset)
                    }
                    guard let first else { break }
                    #expect(timers[first.element.timer] === due, "seed \(seed)")
                    #expect(due.place == nil, "seed \(seed)")
                    model.remove(at: first.offset)
                }
                #expect(model.allSatisfy { $0.deadline > now }, "seed \(seed)")
            }
            #expect(heap.count == model.count, "seed \(seed)")
            #expect(heap.earliest == model.map(\.deadline).min(), "seed \(seed)")
            #expect(
                model.allSatisfy { heap.deadline(of: timers[$0.timer]) == $0.deadline },
                "seed \(seed)")
        }
        loop.shutdown()
    }

    @Test("a timeout that is restarted for ever takes no more room")
    func bounded() {
        var heap = TimerHeap()
        let restarted = timer()
        for instant in 1..<10_000 { heap.set(restarted, to: self.instant(instant)) }
        #expect(heap.count == 1)
        #expect(heap.earliest == instant(9_999))
        loop.shutdown()
    }

    @Test("the heap does not keep a timer that was removed")
    func release() {
        var heap = TimerHeap()
        weak var held: LoopTimer?
        do {
            let timer = timer()
            held = timer
            heap.set(timer, to: instant(1))
            heap.set(timer, to: nil)
        }
        #expect(held == nil)
        loop.shutdown()
    }

    @Test("a timer can be set again after its heap was given up")
    func forgotten() {
        var heap = TimerHeap()
        let timer = timer()
        heap.set(timer, to: instant(1))
        heap.forget()
        heap = TimerHeap()
        heap.set(timer, to: instant(2))
        #expect(heap.earliest == instant(2))
        loop.shutdown()
    }
}
