/// First in, first out, in constant amortised time; what every machine keeps its outputs in.
///
/// Two stacks: what is added lies on one, and is turned over onto the other when that is empty. A machine has
/// many outputs, so that what appends them is called and not copied to each.
@frozen
public struct Queue<Element> {
    /// What was added, the oldest first.
    @usableFromInline var added: [Element] = []
    /// What was there before it, the oldest last.
    @usableFromInline var leaving: [Element] = []

    /// An empty queue.
    @inlinable
    public init() {}

    /// How many elements wait.
    @inlinable
    public var count: Int { added.count + leaving.count }

    /// Whether nothing waits.
    @inlinable
    public var isEmpty: Bool { added.isEmpty && leaving.isEmpty }

    /// The element that waits longest.
    @inlinable
    public var first: Element? { leaving.last ?? added.first }

    /// Adds an element at the end.
    @inlinable @inline(never)
    public mutating func append(_ element: Element) {
        added.append(element)
    }

    /// Removes the element that waits longest.
    @inlinable @inline(never)
    public mutating func popFirst() -> Element? {
        if leaving.isEmpty {
            guard !added.isEmpty else { return nil }
            turn()
        }
        return leaving.popLast()
    }

    @inlinable
    mutating func turn() {
        // What a burst needed is not kept.
        if leaving.capacity > 64 { leaving = [] }
        while let element = added.popLast() { leaving.append(element) }
        if added.capacity > 64 { added = [] }
    }

    /// Removes the elements for which `shouldRemove` is true and returns them, in order.
    @inlinable
    public mutating func removeAll(where shouldRemove: (Element) -> Bool) -> [Element] {
        var removed: [Element] = []
        var kept: [Element] = []
        while let element = popFirst() {
            if shouldRemove(element) { removed.append(element) } else { kept.append(element) }
        }
        added = kept
        return removed
    }

    /// Empties the queue.
    @inlinable
    public mutating func removeAll() {
        added = []
        leaving = []
    }

    /// Whether an element that waits fulfils a condition.
    @inlinable
    public func contains(where condition: (Element) -> Bool) -> Bool {
        leaving.contains(where: condition) || added.contains(where: condition)
    }

    /// Changes the first element that fulfils a condition; `false` if there is none.
    @inlinable
    public mutating func changeFirst(
        where condition: (Element) -> Bool, _ change: (inout Element) -> Void
    ) -> Bool {
        for index in leaving.indices.reversed() where condition(leaving[index]) {
            change(&leaving[index])
            return true
        }
        for index in added.indices where condition(added[index]) {
            change(&added[index])
            return true
        }
        return false
    }
}

extension Queue: Sendable where Element: Sendable {}
