internal import Octets

/// A bounded queue between an actor and one reader: the actor puts in, the reader waits. Owned by the
/// actor, in whose isolation everything happens but the waiting.
struct EventChannel<Element: Sendable> {
    private let limit: Int
    /// What stands for so many elements that were dropped.
    private let missed: @Sendable (Int) -> Element
    private var elements = Queue<Element>()
    private var dropped = 0
    private var isFinished = false
    private var reader: CheckedContinuation<Element?, Never>?

    init(limit: Int, missed: @escaping @Sendable (Int) -> Element) {
        self.limit = limit
        self.missed = missed
    }

    /// Puts an element in; one that has no room is counted instead. Whether somebody can read it.
    @discardableResult
    mutating func send(_ element: Element) -> Bool {
        guard !isFinished else { return false }
        if let reader = exchange(&reader, with: nil) {
            reader.resume(returning: element)
        } else if elements.count < limit {
            if dropped > 0 { elements.append(missed(exchange(&dropped, with: 0))) }
            elements.append(element)
        } else {
            dropped += 1
            return false
        }
        return true
    }

    /// Nothing more comes; what waits can still be read.
    mutating func finish() {
        isFinished = true
        exchange(&reader, with: nil)?.resume(returning: nil)
    }

    /// Resumes the continuation with the next element as soon as there is one, with `nil` where nothing
    /// more comes. A reader that waits already is told that nothing more comes.
    mutating func read(_ continuation: CheckedContinuation<Element?, Never>) {
        exchange(&reader, with: nil)?.resume(returning: nil)
        if let element = elements.popFirst() {
            continuation.resume(returning: element)
        } else if dropped > 0 {
            continuation.resume(returning: missed(exchange(&dropped, with: 0)))
        } else if isFinished {
            continuation.resume(returning: nil)
        } else {
            reader = continuation
        }
    }

    /// Takes everything that waits.
    mutating func takeWaiting() -> [Element] {
        var taken: [Element] = []
        while let element = elements.popFirst() { taken.append(element) }
        if dropped > 0 { taken.append(missed(exchange(&dropped, with: 0))) }
        return taken
    }

    /// The reader gave up waiting.
    mutating func cancel() {
        exchange(&reader, with: nil)?.resume(returning: nil)
    }
}
