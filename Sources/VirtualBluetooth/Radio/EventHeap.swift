internal import Octets

/// What is due when, earliest first; what is due at the same time comes in the order in which it was
/// added, so that a run repeats itself.
struct EventHeap<Event> {
    private struct Entry {
        var place: Place
        var event: Event
    }

    /// Where an entry belongs; apart from the event, which need not be copied to compare two.
    private struct Place {
        var time: MonotonicInstant
        var number: UInt64

        func precedes(_ other: Place) -> Bool {
            time == other.time ? number < other.number : time < other.time
        }
    }

    private var entries: [Entry] = []
    private var added: UInt64 = 0

    /// When the earliest is due.
    var earliest: MonotonicInstant? { entries.first?.place.time }

    mutating func insert(_ event: Event, at time: MonotonicInstant) {
        added += 1
        entries.append(Entry(place: Place(time: time, number: added), event: event))
        siftUp(entries.count - 1)
    }

    private mutating func siftUp(_ last: Int) {
        var index = last
        while index > 0, entries[index].place.precedes(entries[(index - 1) / 2].place) {
            entries.swapAt(index, (index - 1) / 2)
            index = (index - 1) / 2
        }
    }

    /// Removes the earliest, if it is due.
    mutating func popDue(at now: MonotonicInstant) -> Event? {
        guard let earliest, earliest <= now else { return nil }
        entries.swapAt(0, entries.count - 1)
        let due = entries.removeLast()
        siftDown(0)
        return due.event
    }

    private mutating func siftDown(_ first: Int) {
        var index = first
        while true {
            var smallest = index
            for child in [2 * index + 1, 2 * index + 2]
            where child < entries.count && entries[child].place.precedes(entries[smallest].place) {
                smallest = child
            }
            guard smallest != index else { return }
            entries.swapAt(index, smallest)
            index = smallest
        }
    }

    var count: Int { entries.count }

    /// Removes what need not happen any more.
    mutating func removeAll(where isStale: (Event) -> Bool) {
        entries.removeAll { isStale($0.event) }
        for index in entries.indices.reversed() { siftDown(index) }
    }
}
