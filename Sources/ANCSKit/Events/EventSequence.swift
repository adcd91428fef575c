/// The events of a device, of a manager or of a session, in the order in which they happen.
///
///     for try await event in consumer.events { … }
///
/// **Limit.** Events wait for a reader, up to the limit of their source (`maximumPendingEvents`). Further
/// ones are dropped and counted: in their place comes one `missed` event with their number, after those
/// that waited and before whatever follows.
///
/// **Readers.** Each event goes to one reader. Several loops at once share the events among them: they wait
/// in line, and the first in line gets the next event. So one loop reads, and passes on what others need.
///
/// **Cancellation.** A loop whose task is cancelled ends as if nothing more came. It takes no event with it,
/// and ends nothing but itself: the next reader gets the next event.
///
/// **End.** What waits is read first. Then one reader has the reason thrown, if the source failed; every
/// other one, and every later one, comes to the end without an error. Managers never fail: their adapter
/// does.
///
/// An iterator runs where its reader does, without a change of threads, and keeps the source alive: a
/// device that is read is not closed for want of other references.
public struct EventSequence<Element: Sendable, Failure: Error>: AsyncSequence, Sendable {
    /// Takes the next event, and keeps what the events are of alive.
    private let take: @Sendable () async throws(Failure) -> Element?

    /// The events of a channel, which belong to `source`.
    init(_ channel: EventChannel<Element, Failure>, of source: any Actor) {
        take = { () async throws(Failure) -> Element? in
            defer { withExtendedLifetime(source) {} }
            return try await channel.next()
        }
    }

    /// Some events of another sequence, each of which is gone for readers of that one.
    init<Other: Sendable>(
        of other: EventSequence<Other, Failure>, beginning: @escaping @Sendable () async -> Void,
        _ selected: @escaping @Sendable (Other) -> Element?
    ) {
        take = { () async throws(Failure) -> Element? in
            await beginning()
            while let event = try await other.take() {
                if let element = selected(event) { return element }
            }
            return nil
        }
    }

    /// A reader, which may be one of several.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(sequence: self) }

    /// A reader of events.
    public struct AsyncIterator: AsyncIteratorProtocol, Sendable {
        let sequence: EventSequence

        /// The next event, in the caller's isolation; `nil` after the end, or if the task is cancelled.
        public func next(
            isolation actor: isolated (any Actor)?
        ) async throws(Failure) -> Element? {
            try await sequence.take()
        }

        /// The next event; `nil` after the end, or if the task is cancelled.
        public func next() async throws(Failure) -> Element? {
            try await sequence.take()
        }
    }
}
