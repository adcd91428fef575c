internal import LinuxIO
internal import Octets

/// A bounded queue between the source of events and their readers, which see it as an ``EventSequence``.
final class EventChannel<Element: Sendable, Failure: Error>: Sendable {
    /// What a reader gets: an element, the reason of the end, or `nil` where nothing more comes or its task
    /// was cancelled.
    private typealias Reading = Result<Element?, Failure>

    private struct Reader {
        var number: UInt64
        /// Not a checked one, which allocates for each event. It is resumed exactly once: by ``read(_:)``,
        /// or by the code that takes its reader out of line, with the state locked.
        var continuation: UnsafeContinuation<Reading, Never>
    }

    private struct State {
        var elements = Queue<Element>()
        var dropped = 0
        var isFinished = false
        /// Why it is finished, until a reader has got it.
        var failure: Failure?
        /// Those that wait, the first one first. There are none while elements wait.
        var readers: [Reader] = []
        var lastReader: UInt64 = 0
    }

    private let limit: Int
    /// Called with each element, whether or not it has room.
    private let told: (@Sendable (Element) -> Void)?
    /// What stands for this number of dropped elements.
    private let missed: @Sendable (Int) -> Element
    private let state = Lock(State())

    init(
        limit: Int, told: (@Sendable (Element) -> Void)? = nil,
        missed: @escaping @Sendable (Int) -> Element
    ) {
        self.limit = limit
        self.told = told
        self.missed = missed
    }

    /// Puts an element in; one that has no room is counted instead. Whether it can be read.
    @discardableResult
    func send(_ element: Element) -> Bool {
        told?(element)
        return state.withLock { state in
            guard !state.isFinished else { return false }
            if !state.readers.isEmpty {
                state.readers.removeFirst().continuation.resume(returning: .success(element))
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

    /// Nothing more comes; what waits can still be read. The first end counts.
    func finish(throwing failure: Failure? = nil) {
        state.withLock { state in
            guard !state.isFinished else { return }
            state.isFinished = true
            var end: Reading = .success(nil)
            if let failure { end = .failure(failure) }
            // Kept for the first reader where none waits. To take it back from the state here crashes the
            // optimizer of Swift 6.3.1.
            if state.readers.isEmpty { state.failure = failure }
            for reader in exchange(&state.readers, with: []) {
                reader.continuation.resume(returning: exchange(&end, with: .success(nil)))
            }
        }
    }

    /// The next element. Waits for it, on the caller's executor.
    func next() async throws(Failure) -> Element? {
        let number = state.withLock { state in
            state.lastReader += 1
            return state.lastReader
        }
        let reading: Reading = await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                if Task.isCancelled { return continuation.resume(returning: .success(nil)) }
                read(Reader(number: number, continuation: continuation))
                // The handler may have run before the reader was in line.
                if Task.isCancelled { cancel(number) }
            }
        } onCancel: {
            cancel(number)
        }
        return try reading.get()
    }

    private func read(_ reader: Reader) {
        state.withLock { state in
            if let element = state.elements.popFirst() ?? takeMissed(&state) {
                reader.continuation.resume(returning: .success(element))
            } else if state.isFinished {
                reader.continuation.resume(returning: takeEnd(&state))
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
            state.readers.remove(at: index).continuation.resume(returning: .success(nil))
        }
    }

    private func takeEnd(_ state: inout State) -> Reading {
        guard let failure = exchange(&state.failure, with: nil) else { return .success(nil) }
        return .failure(failure)
    }

    private func takeMissed(_ state: inout State) -> Element? {
        state.dropped > 0 ? missed(exchange(&state.dropped, with: 0)) : nil
    }
}
