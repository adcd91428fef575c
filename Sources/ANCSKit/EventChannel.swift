internal import LinuxIO
internal import Octets

/// A bounded queue between those who cause events and those who read them. Readers wait in line, and
/// each event goes to one of them; a reader whose task is cancelled leaves the line and disturbs no other.
final class EventChannel<Element: Sendable>: Sendable {
    /// What a reader gets.
    enum Reading: Sendable {
        case element(Element)
        /// Nothing more comes.
        case finished
        /// The reader's task was cancelled; what there is to read, and the end, are left to others.
        case cancelled

        /// What was read, if anything.
        var element: Element? {
            if case .element(let element) = self { element } else { nil }
        }
    }

    private struct Reader {
        var number: UInt64
        var continuation: CheckedContinuation<Reading, Never>
    }

    private struct State {
        var elements = Queue<Element>()
        var dropped = 0
        var isFinished = false
        /// Those who wait, the first one first. There are none while elements wait.
        var readers: [Reader] = []
        var lastReader: UInt64 = 0
    }

    private let limit: Int
    /// What stands for so many elements that were dropped.
    private let missed: @Sendable (Int) -> Element
    private let state = Lock(State())

    init(limit: Int, missed: @escaping @Sendable (Int) -> Element) {
        self.limit = limit
        self.missed = missed
    }

    /// Puts an element in; one that has no room is counted instead. Whether it can be read.
    @discardableResult
    func send(_ element: Element) -> Bool {
        state.withLock { state in
            guard !state.isFinished else { return false }
            if !state.readers.isEmpty {
                state.readers.removeFirst().continuation.resume(returning: .element(element))
            } else if state.elements.count < limit {
                if let missed = takeMissed(&state) { state.elements.append(missed) }
                state.elements.append(element)
            } else {
                state.dropped += 1
                return false
            }
            return true
        }
    }

    /// Nothing more comes; what waits can still be read.
    func finish() {
        state.withLock { state in
            state.isFinished = true
            for reader in exchange(&state.readers, with: []) {
                reader.continuation.resume(returning: .finished)
            }
        }
    }

    /// The next element. Waits for it.
    func next() async -> Reading {
        let number = state.withLock { state in
            state.lastReader += 1
            return state.lastReader
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                if Task.isCancelled { return continuation.resume(returning: .cancelled) }
                read(Reader(number: number, continuation: continuation))
                // The handler may have run before the reader was in line.
                if Task.isCancelled { cancel(number) }
            }
        } onCancel: {
            cancel(number)
        }
    }

    /// Takes everything that waits.
    func takeWaiting() -> [Element] {
        state.withLock { state in
            var taken: [Element] = []
            while let element = state.elements.popFirst() { taken.append(element) }
            if let missed = takeMissed(&state) { taken.append(missed) }
            return taken
        }
    }

    private func read(_ reader: Reader) {
        state.withLock { state in
            if let element = state.elements.popFirst() ?? takeMissed(&state) {
                reader.continuation.resume(returning: .element(element))
            } else if state.isFinished {
                reader.continuation.resume(returning: .finished)
            } else {
                state.readers.append(reader)
            }
        }
    }

    private func cancel(_ number: UInt64) {
        state.withLock { state in
            guard let index = state.readers.firstIndex(where: { $0.number == number }) else {
                return
            }
            state.readers.remove(at: index).continuation.resume(returning: .cancelled)
        }
    }

    private func takeMissed(_ state: inout State) -> Element? {
        state.dropped > 0 ? missed(exchange(&state.dropped, with: 0)) : nil
    }
}
