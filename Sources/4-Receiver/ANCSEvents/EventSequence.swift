/// The events of a device, a manager or a session, in order.
///
///     for try await event in consumer.events { … }
///
/// **Limit.** Events are queued for a reader, up to the limit of their source (`maximumPendingEvents`).
/// Further ones are dropped and counted: in their place comes one `missed` event with their number, after the
/// queued events and before later ones.
///
/// **Readers.** Each event goes to one reader. Several loops at once divide the events between them, in turn.
/// Use one loop, and let it pass on what other tasks need.
///
/// **Cancellation.** A loop whose task is cancelled ends as if there were no more events. It takes no event
/// with it and does not end the source: the next reader gets the next event.
///
/// **End.** Queued events are read first. Then, if the source failed, one reader throws its error; for all
/// others, the sequence just ends. Managers never fail, but their adapter may.
///
/// An iterator runs in its reader's isolation, without a change of threads, and keeps the source alive: a
/// device is not closed while its events are being read.
public struct EventSequence<Element: Sendable, Failure: Error>: AsyncSequence, Sendable {
    /// Takes the next event, and keeps the source alive.
    @usableFromInline let take: @Sendable (isolated (any Actor)?) async throws(Failure) -> Element?

    /// The events that `take` returns, one at a time.
    @usableFromInline
    package init(
        taking take:
            @escaping @Sendable (isolated (any Actor)?) async throws(Failure) -> Element?
    ) { self.take = take }

    /// Selected events of another sequence; they are consumed from that one.
    package init<Other: Sendable>(
        of other: EventSequence<Other, Failure>, beginning: @escaping @Sendable () async -> Void,
        _ selected: @escaping @Sendable (Other) -> Element?
    ) {
        take = { (isolation: isolated (any Actor)?) async throws(Failure) -> Element? in
            await beginning()
            while let event = try await other.take(isolation) {
                if let element = selected(event) { return element }
            }
            return nil
        }
    }

    /// A new reader; there may be several.
    @inlinable public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(sequence: self) }

    /// A reader of events.
    public struct AsyncIterator: AsyncIteratorProtocol, Sendable {
        @usableFromInline let sequence: EventSequence

        @inlinable init(sequence: EventSequence) { self.sequence = sequence }

        /// The next event, in the caller's isolation; `nil` after the end, or if the task is cancelled.
        @inlinable public func next(
            isolation actor: isolated (any Actor)?
        ) async throws(Failure) -> Element? { try await sequence.take(actor) }

        /// The next event; `nil` after the end, or if the task is cancelled.
        @inlinable public func next() async throws(Failure) -> Element? {
            try await sequence.take(#isolation)
        }
    }
}
