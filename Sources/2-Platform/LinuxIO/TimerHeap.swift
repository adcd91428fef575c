internal import Octets

/// Timers in the order of their deadlines, and for equal deadlines in the order in which they were set.
///
/// A binary heap in which each timer knows its index: most timers are moved again and again, and few expire.
struct TimerHeap {
    private struct Entry {
        var deadline: MonotonicInstant
        /// A counter of the timers that were set.
        var serial: UInt64
        let timer: LoopTimer

        static func < (left: Self, right: Self) -> Bool {
            (left.deadline, left.serial) < (right.deadline, right.serial)
        }
    }

    private var entries: [Entry] = []
    private var lastSerial: UInt64 = 0

    /// The number of timers that are set.
    package var count: Int { entries.count }

    /// The deadline of the first timer.
    var earliest: MonotonicInstant? { entries.first?.deadline }

    /// The deadline of a timer.
    package func deadline(of timer: LoopTimer) -> MonotonicInstant? {
        timer.place.map { entries[$0].deadline }
    }

    /// Sets or moves a timer; removes it for `nil`.
    package mutating func set(_ timer: LoopTimer, to deadline: MonotonicInstant?) {
        guard let deadline else { return remove(timer) }
        lastSerial += 1
        if let place = timer.place {
            guard entries[place].deadline != deadline else { return }
            entries[place].deadline = deadline
            entries[place].serial = lastSerial
            settle(place)
        } else {
            timer.place = entries.count
            entries.append(Entry(deadline: deadline, serial: lastSerial, timer: timer))
            siftUp(entries.count - 1)
        }
    }

    private mutating func remove(_ timer: LoopTimer) {
        if let place = exchange(&timer.place, with: nil) { remove(at: place) }
    }

    /// Removes and returns the first timer if it is due.
    mutating func popDue(at now: MonotonicInstant) -> LoopTimer? {
        guard let first = entries.first, first.deadline <= now else { return nil }
        remove(first.timer)
        return first.timer
    }

    /// Ends the heap: its timers are in no heap any more.
    consuming func forget() { for entry in entries { entry.timer.place = nil } }

    /// Removes an entry; the last entry takes its place.
    private mutating func remove(at place: Int) {
        let last = entries.removeLast()
        guard place < entries.count else { return }
        entries[place] = last
        last.timer.place = place
        settle(place)
    }

    /// Moves an entry that has changed to its place.
    private mutating func settle(_ place: Int) {
        siftUp(place)
        siftDown(place)
    }

    private mutating func siftUp(_ start: Int) {
        var child = start
        while child > 0, entries[child] < entries[(child - 1) / 2] {
            swap(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    private mutating func siftDown(_ start: Int) {
        var parent = start
        while true {
            var first = parent
            for child in 2 * parent + 1...2 * parent + 2
            where child < entries.count && entries[child] < entries[first] { first = child }
            guard first != parent else { return }
            swap(parent, first)
            parent = first
        }
    }

    private mutating func swap(_ one: Int, _ other: Int) {
        entries.swapAt(one, other)
        entries[one].timer.place = one
        entries[other].timer.place = other
    }
}
