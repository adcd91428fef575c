internal import Octets

/// Events in the order of their times, and for equal times in the order in which they were added, so that
/// runs are reproducible.
struct EventHeap<Event> {
    /// The time of an event and its index, stored separately, so that only numbers are moved.
    private struct Place {
        var time: MonotonicInstant
        var number: UInt64
        var slot: Int

        func precedes(_ other: Place) -> Bool {
            time == other.time ? number < other.number : time < other.time
        }
    }

    private var places: [Place] = []
    private var slots: [Event?] = []
    private var freeSlots: [Int] = []
    private var added: UInt64 = 0

    /// The time of the first event.
    var earliest: MonotonicInstant? { places.first?.time }

    mutating func insert(_ event: Event, at time: MonotonicInstant) {
        added += 1
        places.append(Place(time: time, number: added, slot: store(event)))
        siftUp(places.count - 1)
    }

    private mutating func store(_ event: Event) -> Int {
        guard let slot = freeSlots.popLast() else {
            slots.append(event)
            return slots.count - 1
        }
        slots[slot] = event
        return slot
    }

    private mutating func siftUp(_ last: Int) {
        var index = last
        while index > 0, places[index].precedes(places[(index - 1) / 2]) {
            places.swapAt(index, (index - 1) / 2)
            index = (index - 1) / 2
        }
    }

    /// Removes and returns the first event if it is due.
    mutating func popDue(at now: MonotonicInstant) -> Event? {
        guard let earliest, earliest <= now else { return nil }
        places.swapAt(0, places.count - 1)
        let slot = places.removeLast().slot
        siftDown(0)
        freeSlots.append(slot)
        return slots[slot].take()
    }

    private mutating func siftDown(_ first: Int) {
        var index = first
        while true {
            var smallest = index
            for child in [2 * index + 1, 2 * index + 2]
            where child < places.count && places[child].precedes(places[smallest]) {
                smallest = child
            }
            guard smallest != index else { return }
            places.swapAt(index, smallest)
            index = smallest
        }
    }

    var count: Int { places.count }

    /// Removes events that are no longer needed.
    mutating func removeAll(where isStale: (Event) -> Bool) {
        var kept = EventHeap()
        for place in places {
            guard let event = slots[place.slot], !isStale(event) else { continue }
            let slot = kept.store(event)
            kept.places.append(Place(time: place.time, number: place.number, slot: slot))
        }
        kept.added = added
        for index in kept.places.indices.reversed() { kept.siftDown(index) }
        self = kept
    }
}
