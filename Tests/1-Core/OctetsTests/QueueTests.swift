import Testing

@testable import Octets

@Suite("A queue")
struct QueueTests {
    @Test("elements come out first in, first out, with pushes and pops interleaved")
    func order() {
        var queue = Queue<Int>()
        var next = 0
        var expected = 0
        for round in 1...300 {
            for _ in 0..<(round % 7) {
                queue.append(next)
                next += 1
            }
            for _ in 0..<(round % 5) where !queue.isEmpty {
                #expect(queue.first == expected)
                #expect(queue.popFirst() == expected)
                expected += 1
            }
            #expect(queue.count == next - expected)
        }
        while let element = queue.popFirst() {
            #expect(element == expected)
            expected += 1
        }
        #expect(expected == next)
        #expect(queue.popFirst() == nil)
        #expect(queue.first == nil)
    }

    /// An element may own a descriptor, which must not stay open with the storage.
    @Test(
        "keeps storage up to its limit, and nothing in it", arguments: [0, 32, 1_024] as [UInt32])
    func storage(keptOctets: UInt32) {
        final class Element {}
        var queue = Queue<Element>(keepingOctets: keptOctets)
        weak var last: Element?
        for count in [1, 2, 3, 8, 1_000, 1] {
            for _ in 0..<count {
                let element = Element()
                last = element
                queue.append(element)
            }
            #expect(last != nil)
            while queue.popFirst() != nil {}
            #expect(last == nil)
            let stride = MemoryLayout<Element>.stride
            #expect(queue.appended.capacity * stride <= Int(keptOctets))
            #expect(queue.turned.capacity * stride <= Int(keptOctets))
        }
        for _ in 0..<3 { queue.append(Element()) }
        queue.removeAll()
        queue.append(Element())
        _ = queue.popFirst()
        #expect(queue.keptOctets == keptOctets)
    }

    @Test("gives up chosen elements and keeps the order of the others")
    func removing() {
        var queue = Queue<Int>()
        for element in 0..<10 { queue.append(element) }
        #expect(queue.popFirst() == 0)
        #expect(queue.contains { $0 == 9 })
        #expect(!queue.contains { $0 == 0 })
        #expect(queue.removeAll { $0.isMultiple(of: 3) } == [3, 6, 9])
        #expect(queue.count == 6)
        #expect(queue.popFirst() == 1)
        queue.removeAll()
        #expect(queue.isEmpty)
    }

    @Test("changes the oldest element that is meant, wherever it waits")
    func changing() {
        var queue = Queue<Int>()
        for element in 0..<4 { queue.append(element) }
        #expect(queue.popFirst() == 0)
        for element in 4..<8 { queue.append(element) }
        #expect(queue.changeFirst(where: { $0 > 1 }) { $0 += 100 })
        #expect(queue.changeFirst(where: { $0 == 6 }) { $0 += 100 })
        #expect(!queue.changeFirst(where: { $0 == 6 }) { $0 += 100 })
        #expect(queue.removeAll { _ in true } == [1, 102, 3, 4, 5, 106, 7])
    }

    @Test("it has value semantics: copies are independent", arguments: [0, 1, 2, 3, 8, 13])
    func copies(_ count: Int) {
        var original = Queue<String>()
        for element in 0...count { original.append("\(element)") }
        #expect(original.popFirst() == "0")
        var appended = original
        var popped = original
        var changed = original
        appended.append("more")
        let first = popped.popFirst()
        #expect(changed.changeFirst(where: { $0 == "1" }) { $0 += "!" } == (count > 0))
        let expected = (0..<count).map { "\($0 + 1)" }
        #expect(first == expected.first)
        #expect(original.removeAll { _ in true } == expected)
        #expect(appended.removeAll { _ in true } == expected + ["more"])
        #expect(popped.removeAll { _ in true } == Array(expected.dropFirst()))
        #expect(changed.removeAll { _ in true } == expected.map { $0 == "1" ? "1!" : $0 })
    }

    @Test("gives the memory of a burst back, whenever others come", arguments: [1, 500, 999])
    func burst(_ count: Int) {
        var queue = Queue<Int>()
        for element in 0..<1_000 { queue.append(element) }
        for _ in 0..<count { _ = queue.popFirst() }
        queue.append(1_000)
        while queue.popFirst() != nil {}
        #expect(max(queue.turned.capacity, queue.appended.capacity) < 100)
    }

    @Test("keeps one small storage when it is empty, and no large one", arguments: [1, 2, 3, 5, 9])
    func storage(_ count: Int) {
        let kept = count <= 4 ? count...4 : 0...0
        var queue = Queue<Int>()
        for _ in 0..<3 {
            for element in 0..<count { queue.append(element) }
            while queue.popFirst() != nil {}
            #expect(queue.turned.capacity == 0)
            #expect(kept.contains(queue.appended.capacity))
        }
    }

    private final class Token {}

    @Test("it keeps waiting elements alive, and no others", arguments: [1, 2, 5, 9, 40])
    func lifetimes(_ count: Int) {
        func waiting(_ tokens: [() -> Token?]) -> Int { tokens.count { $0() != nil } }
        var queue = Queue<Token>()
        var tokens: [() -> Token?] = []
        for _ in 0..<count {
            let token = Token()
            tokens.append { [weak token] in token }
            queue.append(token)
        }
        #expect(waiting(tokens) == count)
        _ = queue.popFirst()
        #expect(waiting(tokens) == count - 1)
        var copy = queue
        while copy.popFirst() != nil {}
        #expect(waiting(tokens) == count - 1)
        queue.removeAll()
        #expect(waiting(tokens) == 0)
    }
}

@Suite("A monotonic instant")
struct MonotonicInstantTests {
    @Test("moves by durations to the nanosecond")
    func arithmetic() {
        let start = MonotonicInstant(nanoseconds: 5)
        let later = start + .seconds(30)
        #expect(later.nanoseconds == 30_000_000_005)
        #expect(later - start == .seconds(30))
        #expect(start < later)
        #expect((start + .nanoseconds(1)).nanoseconds == 6)
    }

    @Test(
        "instants beyond the clock's range become its end",
        arguments: [.seconds(Int64.max), .seconds(9_223_372_036), .nanoseconds(Int64.max)]
            as [Duration])
    func endOfTheClock(_ long: Duration) {
        let now = MonotonicInstant(nanoseconds: 1_000_000_000)
        #expect((now + long).nanoseconds == .max)
        let before = MonotonicInstant(nanoseconds: -1_000_000_000)
        #expect((before + (.zero - long)).nanoseconds == .min)
    }

    @Test("a duration is added as whole nanoseconds, towards zero")
    func wholeNanoseconds() {
        var generator = SeededGenerator(seed: 3)
        for _ in 0..<1000 {
            // Some are longer than the clock, which ends after 2^63 nanoseconds.
            let size = Int128(generator.next() >> 1) << Int128(generator.next() % 40)
            for attoseconds in [size, -size, size / 1_000_000_000 * 1_000_000_000] {
                let expected = Int64(clamping: attoseconds / 1_000_000_000)
                let sum = MonotonicInstant.zero + Duration(attoseconds: attoseconds)
                #expect(sum.nanoseconds == expected)
            }
        }
    }

    @Test("any two instants have a distance")
    func distance() {
        let first = MonotonicInstant(nanoseconds: .min)
        let last = MonotonicInstant(nanoseconds: .max)
        #expect(last - first == .nanoseconds(Int64.max) + .nanoseconds(Int64.max) + .nanoseconds(1))
        #expect(first - last == .zero - (last - first))
        #expect(last - last == .zero)
    }

    @Test("a random duration stays below any limit")
    func randomDuration() {
        var generator = SeededGenerator(seed: 1)
        for limit in [.zero, .nanoseconds(1), .seconds(1), .seconds(Int64.max)] as [Duration] {
            let duration = generator.duration(below: limit)
            #expect(duration >= .zero && (duration < limit || limit < .microseconds(1)))
        }
        #expect(generator.duration(below: .seconds(Int64.min)) == .zero)
    }

    @Test("the earliest of two deadlines is the one that exists")
    func earliest() {
        let early = MonotonicInstant(nanoseconds: 1)
        let late = MonotonicInstant(nanoseconds: 2)
        #expect(MonotonicInstant.earliest(early, late) == early)
        #expect(MonotonicInstant.earliest(late, early) == early)
        #expect(MonotonicInstant.earliest(nil, late) == late)
        #expect(MonotonicInstant.earliest(late, nil) == late)
        #expect(MonotonicInstant.earliest(nil, nil) == nil)
    }
}
