/// A first-in, first-out queue with amortized constant time. Every machine keeps its outputs in one.
///
/// It has two arrays, which change only at their ends: the appended elements, and earlier ones, which were
/// reversed in order to be popped. Most queues are emptied before the next append, and then one storage serves
/// both. Machines use queues in many places, so the functions that move elements are not inlined; only the
/// test for an empty queue is.
@frozen public struct Queue<Element> {
    /// The oldest elements, in reverse order: the next one to pop is the last.
    @usableFromInline var turned: [Element] = []
    /// The elements after those, in order.
    @usableFromInline var appended: [Element] = []
    @usableFromInline var waiting: UInt32 = 0
    /// The storage that it keeps while it is empty, in octets.
    @usableFromInline let keptOctets: UInt32

    /// An empty queue that, when it becomes empty again, keeps storage of at most `keptOctets`. Larger storage is
    /// released: thousands of idle queues would otherwise take more memory than all else. One of which a process has a
    /// few can keep more, and then needs no new storage for each element.
    @inlinable public init(keepingOctets keptOctets: UInt32 = 32) { self.keptOctets = keptOctets }

    /// The number of elements.
    @inlinable public var count: Int { Int(waiting) }

    /// Whether there are no elements.
    @inlinable public var isEmpty: Bool { count == 0 }

    /// The oldest element; `nil` if the queue is empty.
    @inlinable public var first: Element? { turned.last ?? appended.first }

    /// Adds an element at the end.
    @inlinable @inline(never)
    public mutating func append(_ element: consuming Element) {
        appended.append(element)
        waiting += 1
    }

    /// Removes and returns the oldest element; `nil` if the queue is empty.
    @inlinable public mutating func popFirst() -> Element? { isEmpty ? nil : takeFirst() }

    @inlinable @inline(never)
    mutating func takeFirst() -> Element {
        waiting -= 1
        // A single element needs no reversal.
        if turned.isEmpty, !isEmpty { turn() }
        let element = turned.isEmpty ? appended.removeLast() : turned.removeLast()
        if isEmpty { rest() }
        return element
    }

    /// Reverses the appended elements. Later ones are appended to the storage of `turned`, which was empty.
    @inlinable @inline(never)
    mutating func turn() {
        // A span moves elements, where `reverse()` copies and releases each.
        var elements = appended.mutableSpan
        for index in 0..<elements.count / 2 {
            elements.swapAt(index, elements.count - 1 - index)
        }
        swap(&appended, &turned)
    }

    /// The queue has become empty: the next element is appended to the existing storage.
    @inlinable @inline(never)
    mutating func rest() {
        if appended.capacity == 0 { swap(&appended, &turned) }
        let places = max(appended.capacity, turned.capacity)
        if places > Int(keptOctets) / MemoryLayout<Element>.stride { removeAll() }
    }

    /// Removes the elements for which `shouldRemove` is true and returns them, in order.
    @inlinable public mutating func removeAll(where shouldRemove: (Element) -> Bool) -> [Element] {
        var removed: [Element] = []
        for _ in 0..<count {
            guard let element = popFirst() else { break }
            if shouldRemove(element) { removed.append(element) } else { append(element) }
        }
        return removed
    }

    /// Empties the queue.
    @inlinable public mutating func removeAll() { self = Queue(keepingOctets: keptOctets) }

    /// Whether any element satisfies a condition.
    @inlinable public func contains(where condition: (Element) -> Bool) -> Bool {
        turned.contains(where: condition) || appended.contains(where: condition)
    }

    /// Changes the oldest element that satisfies a condition; `false` if there is none.
    @inlinable public mutating func changeFirst(
        where condition: (Element) -> Bool, _ change: (inout Element) -> Void
    ) -> Bool {
        if let index = turned.lastIndex(where: condition) {
            change(&turned[index])
        } else if let index = appended.firstIndex(where: condition) {
            change(&appended[index])
        } else {
            return false
        }
        return true
    }
}

extension Queue: Sendable where Element: Sendable {}
