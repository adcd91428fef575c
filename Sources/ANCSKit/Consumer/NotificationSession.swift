public import ANCS

/// One ANCS session with a phone (R49), as ``NotificationConsumer/run(_:other:)`` hands it out. All UIDs are
/// those of this session and void when it ends (R51).
public struct NotificationSession: Sendable {
    /// What happens in a session.
    public enum Event: Hashable, Sendable {
        /// A call rings: see ``ConsumerEvent/announced(_:_:)``.
        case announced(NotificationSourceValue)
        /// A notification was added, modified or removed, with what was fetched of it.
        case notification(NotificationFeed.Delivery)
        /// The phone began to answer, or refuses: *Share System Notifications* is off (S1).
        case authorizationChanged(ConsumerSession.Authorization)
        /// The program was so slow that this many events were dropped.
        case missed(Int)
    }

    /// The phone.
    public let provider: ProviderID
    /// What happens, until the session ends. At most
    /// ``ConsumerConfiguration/maximumPendingEvents`` wait; further ones are dropped and counted: see
    /// ``EventSequence``.
    public let events: EventSequence<Event, Never>
    private let consumer: NotificationConsumer

    init(
        provider: ProviderID, events: EventChannel<Event, Never>, consumer: NotificationConsumer
    ) {
        self.provider = provider
        self.events = EventSequence(events, of: consumer)
        self.consumer = consumer
    }

    /// Fetches attributes of a notification: see ``NotificationConsumer/fetch(_:of:at:)``. The error has
    /// what came before it.
    public func attributes(
        of uid: NotificationUID, _ attributes: [NotificationAttributeRequest]
    ) async throws(RequestError) -> AttributeResponse {
        try await answer { () async throws(ConsumerSession.UsageError) in
            try await consumer.fetch(attributes, of: uid, at: provider)
        }
    }

    /// Fetches the name of an app: see ``NotificationConsumer/fetchDisplayName(of:at:)``. `nil` where the
    /// phone has an answer without a name.
    public func displayName(of app: AppIdentifier) async throws(RequestError) -> String? {
        let response = try await answer { () async throws(ConsumerSession.UsageError) in
            try await consumer.fetchDisplayName(of: app, at: provider)
        }
        return response[AppAttributeID.displayName]?.text
    }

    /// Performs an action: see ``NotificationConsumer/perform(_:on:at:)``. Returns when the phone has
    /// accepted it.
    public func perform(
        _ action: ActionID, on uid: NotificationUID
    ) async throws(RequestError) {
        _ = try await outcome { () async throws(ConsumerSession.UsageError) in
            try await consumer.perform(action, on: uid, at: provider)
        }
    }

    /// The answer to a fetch.
    private func answer(
        to request: () async throws(ConsumerSession.UsageError) -> RequestOutcome
    ) async throws(RequestError) -> AttributeResponse {
        guard let response = try await outcome(of: request) else {
            preconditionFailure("a fetch ends with an answer or a failure")
        }
        return response
    }

    /// How a request ended that did not fail: with a response, or, as an action, without one (R42).
    private func outcome(
        of request: () async throws(ConsumerSession.UsageError) -> RequestOutcome
    ) async throws(RequestError) -> AttributeResponse? {
        let outcome: RequestOutcome
        do throws(ConsumerSession.UsageError) { outcome = try await request() } catch {
            throw RequestError(usage: error, isConnected: await consumer.isConnected(provider))
        }
        switch outcome {
        case .answered(let response): return response
        case .performed: return nil
        case .failed(let failure, let partial):
            throw RequestError(failure: failure, partial: partial)
        }
    }
}

extension NotificationConsumer {
    /// Starts, and calls `body` once for each ANCS session with a phone, each in a task of its own;
    /// returns when the task is cancelled or ``stop()`` is called, and throws what ended the consumer.
    /// `other` is told everything that is not part of a session, pairing questions among it.
    public func run(
        _ body: @escaping @Sendable (NotificationSession) async -> Void,
        other: @Sendable (ConsumerEvent) async -> Void = { _ in }
    ) async throws(DeviceError) {
        start()
        var failure: DeviceError?
        await withDiscardingTaskGroup { group in
            var sessions: [ProviderID: EventChannel<NotificationSession.Event, Never>] = [:]
            do throws(DeviceError) {
                for try await event in events {
                    switch event {
                    case .sessionStarted(let id):
                        let channel = EventChannel<NotificationSession.Event, Never>(
                            limit: configuration.maximumPendingEvents
                        ) { .missed($0) }
                        sessions[id] = channel
                        let session = NotificationSession(
                            provider: id, events: channel, consumer: self)
                        group.addTask { await body(session) }
                    case .sessionEnded(let id, _): sessions.removeValue(forKey: id)?.finish()
                    case .announced(let id, let value): sessions[id]?.send(.announced(value))
                    case .notification(let id, let delivery):
                        sessions[id]?.send(.notification(delivery))
                    case .authorizationChanged(let id, let authorization):
                        sessions[id]?.send(.authorizationChanged(authorization))
                    default: await other(event)
                    }
                }
            } catch { failure = error }
            for session in sessions.values { session.finish() }
            await stop()
        }
        if let failure { throw failure }
    }
}
