public import LinuxIO

/// A bounded queue between a source of events and their readers, who use it as an ``EventSequence``.
///
/// Usable from inlined code, so that other modules are specialized for their events and need no metadata.
@usableFromInline package final class EventChannel<Element: Sendable, Failure: Error>: Sendable {
    /// What a reader gets: an element, the error that ended the channel, or `nil` after the end or if its
    /// task was cancelled.
    @usableFromInline typealias Reading = Result<Element?, Failure>

    @usableFromInline struct Reader: Sendable {
        @usableFromInline var number: UInt64
        /// Unchecked, because a checked one allocates for each event. It is resumed exactly once: by
        /// ``wait(_:)``, or by the code that removes its reader from the queue while the state is locked.
        /// It has no value, because a value would be in the frames of the waiting task several times.
        @usableFromInline var continuation: UnsafeContinuation<Void, Never>

        @inlinable init(number: UInt64, continuation: UnsafeContinuation<Void, Never>) {
            (self.number, self.continuation) = (number, continuation)
        }
    }

    @usableFromInline struct State: Sendable {
        @usableFromInline var elements = Queue<Element>()
        @usableFromInline var dropped = 0
        @usableFromInline var isFinished = false
        /// The error that ended the channel, until a reader has received it.
        @usableFromInline var failure: Failure?
        /// The waiting readers, in order. There are none while elements are queued.
        @usableFromInline var readers: [Reader] = []
        @usableFromInline var lastReader: UInt64 = 0
        /// What resumed readers will find when they run, by their numbers. A reader without an entry was
        /// cancelled, or the channel has ended.
        @usableFromInline var readings: [(reader: UInt64, Reading)] = []

        @inlinable init() {}

        /// Resumes the reader that has waited longest, with this reading.
        @inlinable mutating func resumeFirst(with reading: Reading) {
            let reader = readers.removeFirst()
            readings.append((reader.number, reading))
            reader.continuation.resume()
        }
    }

    @usableFromInline let limit: Int
    /// Called with each element, even if it is dropped.
    @usableFromInline let observer: (@Sendable (Element) -> Void)?
    /// Makes the element that stands for a number of dropped ones.
    @usableFromInline let missed: @Sendable (Int) -> Element
    @usableFromInline let state = Lock(State())

    @inlinable package init(
        limit: Int, observer: (@Sendable (Element) -> Void)? = nil,
        missed: @escaping @Sendable (Int) -> Element
    ) { (self.limit, self.observer, self.missed) = (limit, observer, missed) }

    /// The elements, which belong to `source`.
    @inlinable package func events(of source: any Actor) -> EventSequence<Element, Failure> {
        EventSequence(taking: {
            (isolation: isolated (any Actor)?) async throws(Failure) -> Element? in
            defer { withExtendedLifetime(source) {} }
            return try await self.next(isolation)
        })
    }

    /// Queues an element, or counts it as dropped if there is no room; returns whether it was queued.
    @discardableResult @inlinable @inline(never)
    package func send(_ element: Element) -> Bool {
        observer?(element)
        return state.withLock { state in
            guard !state.isFinished else { return false }
            if !state.readers.isEmpty {
                state.resumeFirst(with: .success(element))
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
    @inlinable package func finish(throwing failure: Failure? = nil) {
        state.withLock { state in
            guard !state.isFinished else { return }
            state.isFinished = true
            // Kept for the next reader if none is waiting.
            if state.readers.isEmpty { state.failure = failure }
            if let failure, !state.readers.isEmpty { state.resumeFirst(with: .failure(failure)) }
            for reader in exchange(&state.readers, with: []) { reader.continuation.resume() }
        }
    }

    /// The next element. Waits for it in the caller's isolation, which is an argument, because only then it is that of
    /// the closures, too: without it they leave the actor and come back, a job each.
    @inlinable package func next(_ actor: isolated (any Actor)?) async throws(Failure) -> Element? {
        // A cancelled task takes nothing, and a queued element needs no continuation.
        if Task.isCancelled { return nil }
        let (waiting, number) = state.withLock { state in
            state.lastReader += 1
            return (takeElement(&state), state.lastReader)
        }
        if let waiting { return waiting }
        await withTaskCancellationHandler {
            _ = actor
            await withUnsafeContinuation { continuation in
                if Task.isCancelled { return continuation.resume() }
                wait(Reader(number: number, continuation: continuation))
                // The cancellation handler may have run before the reader was queued.
                if Task.isCancelled { cancel(number) }
            }
        } onCancel: {
            cancel(number)
        }
        return try reading(of: number).get()
    }

    @inlinable func wait(_ reader: Reader) {
        state.withLock { state in
            state.readers.append(reader)
            // There was nothing to read a moment ago.
            if let element = takeElement(&state) {
                state.resumeFirst(with: .success(element))
            } else if state.isFinished {
                state.resumeFirst(with: takeEnd(&state))
            }
        }
    }

    @inlinable func cancel(_ number: UInt64) {
        state.withLock { state in
            guard let index = state.readers.firstIndex(where: { $0.number == number }) else {
                return
            }
            state.readers.remove(at: index).continuation.resume()
        }
    }

    @inlinable func reading(of number: UInt64) -> Reading {
        state.withLock { state in
            guard let index = state.readings.firstIndex(where: { $0.reader == number }) else {
                return .success(nil)
            }
            return state.readings.remove(at: index).1
        }
    }

    @inlinable func takeElement(_ state: inout State) -> Element? {
        state.elements.popFirst() ?? takeMissed(&state)
    }

    @inlinable func takeEnd(_ state: inout State) -> Reading {
        guard let failure = exchange(&state.failure, with: nil) else { return .success(nil) }
        return .failure(failure)
    }

    @inlinable func takeMissed(_ state: inout State) -> Element? {
        state.dropped > 0 ? missed(exchange(&state.dropped, with: 0)) : nil
    }
}
