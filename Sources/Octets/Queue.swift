/// First in, first out, in constant amortised time; what every machine keeps its outputs in.
@frozen
public struct Queue<Element> {
    @usableFromInline var elements: [Element?] = []
    @usableFromInline var head = 0

    /// An empty queue.
    @inlinable
    public init() {}

    /// How many elements wait.
    @inlinable
    public var count: Int { elements.count - head }

    /// Whether nothing waits.
    @inlinable
    public var isEmpty: Bool { head == elements.count }

    /// The element that waits longest.
    @inlinable
    public var first: Element? { isEmpty ? nil : elements[head] }

    /// Adds an element at the end.
    @inlinable
    public mutating func append(_ element: Element) {
        elements.append(element)
    }

    /// Removes the element that waits longest.
    @inlinable
    public mutating func popFirst() -> Element? {
        guard head < elements.count else { return nil }
        let element = exchange(&elements[head], with: nil)
        head += 1
        if head == elements.count {
            elements.removeAll(keepingCapacity: head <= 64)
            head = 0
        } else if head >= 64, head * 2 >= elements.count {
            elements.removeFirst(head)
            head = 0
        }
        return element
    }

    /// Removes the elements for which `shouldRemove` is true and returns them, in order.
    @inlinable
    public mutating func removeAll(where shouldRemove: (Element) -> Bool) -> [Element] {
        var removed: [Element] = []
        var kept: [Element?] = []
        while let element = popFirst() {
            if shouldRemove(element) { removed.append(element) } else { kept.append(element) }
        }
        elements = kept
        head = 0
        return removed
    }

    /// Empties the queue.
    @inlinable
    public mutating func removeAll() {
        elements.removeAll()
        head = 0
    }

    /// Whether an element that waits fulfils a condition.
    @inlinable
    public func contains(where condition: (Element) -> Bool) -> Bool {
        for index in head..<elements.count {
            if let element = elements[index], condition(element) { return true }
        }
        return false
    }
}

extension Queue: Sendable where Element: Sendable {}
