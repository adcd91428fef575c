internal import Octets

/// Timers in the order of their deadlines; those with the same deadline in the order of insertion.
///
/// A binary heap of keys beside a dictionary of bodies: a timer is removed by forgetting its body,
/// its key goes when it comes to the top or when forgotten keys outnumber the living.
struct TimerHeap {
    struct Key: Hashable, Comparable {
        let deadline: MonotonicInstant
        let serial: UInt64

        static func < (left: Self, right: Self) -> Bool {
            (left.deadline, left.serial) < (right.deadline, right.serial)
        }
    }

    private var heap: [Key] = []
    private var bodies: [UInt64: () -> Void] = [:]
    private var nextSerial: UInt64 = 0

    var isEmpty: Bool { bodies.isEmpty }

    /// How many keys are stored, living and forgotten.
    var storedCount: Int { heap.count }

    /// The deadline of the timer that comes first.
    var earliest: MonotonicInstant? {
        mutating get {
            dropForgotten()
            return heap.first?.deadline
        }
    }

    mutating func insert(at deadline: MonotonicInstant, _ body: @escaping () -> Void) -> Key {
        let key = Key(deadline: deadline, serial: nextSerial)
        nextSerial += 1
        bodies[key.serial] = body
        heap.append(key)
        siftUp(from: heap.count - 1)
        return key
    }

    mutating func remove(_ key: Key) {
        guard bodies.removeValue(forKey: key.serial) != nil else { return }
        if heap.count > 2 * bodies.count + 16 { rebuild() }
    }

    /// Takes the first timer out if it is due.
    mutating func popDue(at now: MonotonicInstant) -> (() -> Void)? {
        dropForgotten()
        guard let first = heap.first, first.deadline <= now else { return nil }
        removeFirst()
        return bodies.removeValue(forKey: first.serial)
    }

    private mutating func dropForgotten() {
        while let first = heap.first, bodies[first.serial] == nil { removeFirst() }
    }

    /// A sorted array is a heap.
    private mutating func rebuild() {
        heap.removeAll { bodies[$0.serial] == nil }
        heap.sort()
    }

    private mutating func removeFirst() {
        heap.swapAt(0, heap.count - 1)
        heap.removeLast()
        siftDown()
    }

    private mutating func siftUp(from start: Int) {
        var child = start
        while child > 0 {
            let parent = (child - 1) / 2
            guard heap[child] < heap[parent] else { return }
            heap.swapAt(child, parent)
            child = parent
        }
    }

    private mutating func siftDown() {
        var parent = 0
        while true {
            let children = (2 * parent + 1)..<min(2 * parent + 3, max(heap.count, 2 * parent + 1))
            guard let child = children.min(by: { heap[$0] < heap[$1] }), heap[child] < heap[parent]
            else { return }
            heap.swapAt(child, parent)
            parent = child
        }
    }
}
