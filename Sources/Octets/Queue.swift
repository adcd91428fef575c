/// First in, first out, in constant amortized time; what every machine keeps its outputs in.
///
/// Two arrays that only ever change at their ends: what was appended, and what of it was turned round to be
/// popped. Most queues are emptied before they are appended to, and then one storage serves both. A machine has
/// many outputs, so what moves them is called and not copied to each; only a look at an empty queue is free.
@frozen
public struct Queue<Element> {
    /// What waits longest, the next to be popped last.
    @usableFromInline var turned: [Element] = []
    /// What came after it, in order.
    @usableFromInline var appended: [Element] = []
    @usableFromInline var waiting = 0

    /// What a burst needed beyond this many places is not kept.
    @inlinable static var keptPlaces: Int { 8 }

    /// An empty queue.
    @inlinable
    public init() {}

    /// How many elements wait.
    @inlinable
    public var count: Int { waiting }

    /// Whether nothing waits.
    @inlinable
    public var isEmpty: Bool { count == 0 }

    /// The element that waits longest.
    @inlinable
    public var first: Element? { turned.last ?? appended.first }

    /// Adds an element at the end.
    @inlinable @inline(never)
    public mutating func append(_ element: Element) {
        appended.append(element)
        waiting += 1
    }

    /// Removes the element that waits longest.
    @inlinable
    public mutating func popFirst() -> Element? { isEmpty ? nil : takeFirst() }

    @inlinable @inline(never)
    mutating func takeFirst() -> Element {
        waiting -= 1
        // One that waits alone needs no turning.
        if turned.isEmpty, !isEmpty { turn() }
        let element = turned.isEmpty ? appended.removeLast() : turned.removeLast()
        if isEmpty { rest() }
        return element
    }

    /// The storage of `turned`, which is empty, serves what is appended next.
    @inlinable @inline(never)
    mutating func turn() {
        appended.reverse()
        swap(&appended, &turned)
    }

    /// The queue has become empty: what is appended next finds its storage.
    @inlinable @inline(never)
    mutating func rest() {
        if appended.capacity == 0 { swap(&appended, &turned) }
        if max(appended.capacity, turned.capacity) > Self.keptPlaces { removeAll() }
    }

    /// Removes the elements for which `shouldRemove` is true and returns them, in order.
    @inlinable
    public mutating func removeAll(where shouldRemove: (Element) -> Bool) -> [Element] {
        var removed: [Element] = []
        for _ in 0..<count {
            guard let element = popFirst() else { break }
            if shouldRemove(element) { removed.append(element) } else { append(element) }
        }
        return removed
    }

    /// Empties the queue.
    @inlinable
    public mutating func removeAll() { self = Queue() }

    /// Whether an element that waits fulfils a condition.
    @inlinable
    public func contains(where condition: (Element) -> Bool) -> Bool {
        turned.contains(where: condition) || appended.contains(where: condition)
    }

    /// Changes the first element that fulfils a condition; `false` if there is none.
    @inlinable
    public mutating func changeFirst(
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
