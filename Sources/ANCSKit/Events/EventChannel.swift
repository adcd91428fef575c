internal import LinuxIO
internal import Octets

/// A bounded queue between a source of events and their readers, who use it as an ``EventSequence``.
final class EventChannel<Element: Sendable, Failure: Error>: Sendable {
    /// What a reader gets: an element, the error that ended the channel, or `nil` after the end or if its
    /// task was cancelled.
    private typealias Reading = Result<Element?, Failure>

    private struct Reader {
        var number: UInt64
        /// Unchecked, because a checked one allocates for each event. It is resumed exactly once: by
        /// ``read(_:)``, or by the code that removes its reader from the queue while the state is locked.
        var continuation: UnsafeContinuation<Reading, Never>
    }

    private struct State {
        var elements = Queue<Element>()
        var dropped = 0
        var isFinished = false
        /// The error that ended the channel, until a reader has received it.
        var failure: Failure?
        /// The waiting readers, in order. There are none while elements are queued.
        var readers: [Reader] = []
        var lastReader: UInt64 = 0
    }

    private let limit: Int
    /// Called with each element, even if it is dropped.
    private let observer: (@Sendable (Element) -> Void)?
    /// Makes the element that stands for a number of dropped ones.
    private let missed: @Sendable (Int) -> Element
    private let state = Lock(State())

    init(
        limit: Int, observer: (@Sendable (Element) -> Void)? = nil,
        missed: @escaping @Sendable (Int) -> Element
    ) {
        self.limit = limit
        self.observer = observer
        self.missed = missed
    }

    /// Queues an element, or counts it as dropped if there is no room; returns whether it was queued.
    @discardableResult
    func send(_ element: Element) -> Bool {
        observer?(element)
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

    /// Ends the channel; queued elements can still be read. Only the first call has an effect.
    func finish(throwing failure: Failure? = nil) {
        state.withLock { state in
            guard !state.isFinished else { return }
            state.isFinished = true
            var end: Reading = .success(nil)
            if let failure { end = .failure(failure) }
            // Kept for the next reader if none is waiting. Taking it out of the state here crashes the
            // optimizer of Swift 6.3.1.
            if state.readers.isEmpty { state.failure = failure }
            for reader in exchange(&state.readers, with: []) {
                reader.continuation.resume(returning: exchange(&end, with: .success(nil)))
            }
        }
    }

    /// The next element. Waits for it on the caller's executor.
    func next() async throws(Failure) -> Element? {
        // A queued element needs no continuation; a cancelled task takes nothing.
        if Task.isCancelled { return nil }
        let (waiting, number) = state.withLock { state in
            state.lastReader += 1
            return (takeElement(&state), state.lastReader)
        }
        if let waiting { return waiting }
        let reading: Reading = await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                if Task.isCancelled { return continuation.resume(returning: .success(nil)) }
                read(Reader(number: number, continuation: continuation))
                // The cancellation handler may have run before the reader was queued.
                if Task.isCancelled { cancel(number) }
            }
        } onCancel: {
            cancel(number)
        }
        return try reading.get()
    }

    private func read(_ reader: Reader) {
        state.withLock { state in
            if let element = takeElement(&state) {
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

    private func takeElement(_ state: inout State) -> Element? {
        state.elements.popFirst() ?? takeMissed(&state)
    }

    private func takeEnd(_ state: inout State) -> Reading {
        guard let failure = exchange(&state.failure, with: nil) else { return .success(nil) }
        return .failure(failure)
    }

    private func takeMissed(_ state: inout State) -> Element? {
        state.dropped > 0 ? missed(exchange(&state.dropped, with: 0)) : nil
    }
}
