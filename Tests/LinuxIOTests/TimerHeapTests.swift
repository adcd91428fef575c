import Octets
import Testing

@testable import LinuxIO

@Suite struct TimerHeapTests {
    @Test("timers come in the order of their deadlines, equal ones as they were set")
    func order() {
        var heap = TimerHeap()
        var fired: [Int] = []
        for (number, deadline) in [30, 10, 20, 10, 30, 10].enumerated() {
            _ = heap.insert(at: MonotonicInstant(nanoseconds: Int64(deadline))) {
                fired.append(number)
            }
        }
        #expect(heap.earliest == MonotonicInstant(nanoseconds: 10))
        #expect(heap.popDue(at: MonotonicInstant(nanoseconds: 9)) == nil)
        while let body = heap.popDue(at: MonotonicInstant(nanoseconds: 29)) { body() }
        #expect(fired == [1, 3, 5, 2])
        while let body = heap.popDue(at: MonotonicInstant(nanoseconds: 30)) { body() }
        #expect(fired == [1, 3, 5, 2, 0, 4])
        #expect(heap.isEmpty && heap.earliest == nil)
    }

    @Test("a random history is what a sorted list would do", arguments: 0..<20 as Range<UInt64>)
    func model(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var heap = TimerHeap()
        var model: [TimerHeap.Key] = []
        for _ in 0..<2_000 {
            switch UInt8.random(in: 0..<10, using: &generator) {
            case 0..<5:
                let deadline = Int64.random(in: 0..<500, using: &generator)
                model.append(heap.insert(at: MonotonicInstant(nanoseconds: deadline)) {})
            case 5..<8:
                guard let index = model.indices.randomElement(using: &generator) else { break }
                heap.remove(model.remove(at: index))
            default:
                model.sort()
                let now = MonotonicInstant(
                    nanoseconds: Int64.random(in: 0..<100, using: &generator))
                while heap.popDue(at: now) != nil { model.removeFirst() }
                #expect(model.allSatisfy { $0.deadline > now }, "seed \(seed)")
            }
            #expect(heap.earliest == model.min()?.deadline, "seed \(seed)")
        }
    }

    @Test("a timeout that is restarted for ever takes no more room")
    func bounded() {
        var heap = TimerHeap()
        var key = heap.insert(at: .zero) {}
        for instant in 1..<10_000 {
            heap.remove(key)
            key = heap.insert(at: MonotonicInstant(nanoseconds: Int64(instant))) {}
        }
        #expect(heap.storedCount <= 20)
    }
}
