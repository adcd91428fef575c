public import ANCS

/// One ANCS session with a phone (R49), as ``NotificationConsumer/run(_:other:)`` hands it out. All UIDs are
/// those of this session and void when it ends (R51): from then on, what is asked of it throws
/// ``RequestError/Code/sessionEnded`` or ``RequestError/Code/notConnected``, although the phone may have
/// another session.
public struct NotificationSession: Sendable {
    /// Whether the phone's user lets us ask for content. Subscribed is not authorized (S1).
    public typealias Authorization = ConsumerSession.Authorization
    /// Whether the phone does its part. One that refuses does.
    public typealias Liveness = ConsumerSession.Liveness

    /// What happens in a session.
    public enum Event: Hashable, Sendable {
        /// A call rings: see ``ConsumerEvent/announced(_:)``.
        case announced(ReceivedNotification)
        /// A notification was added, modified or removed, with what was fetched of it.
        case notification(ReceivedNotification)
        /// The phone began to answer, or refuses: *Share System Notifications* is off (S1).
        case authorizationChanged(Authorization)
        /// The program was so slow that this many events were dropped.
        case missed(Int)
    }

    /// Which session it is.
    public let id: SessionID
    /// What happens, until the session ends. At most
    /// ``ConsumerConfiguration/maximumPendingEvents`` wait; further ones are dropped and counted: see
    /// ``EventSequence``.
    public let events: EventSequence<Event, Never>
    private let consumer: NotificationConsumer

    init(id: SessionID, events: EventChannel<Event, Never>, consumer: NotificationConsumer) {
        self.id = id
        self.events = EventSequence(events, of: consumer)
        self.consumer = consumer
    }

    /// The phone.
    public var provider: ProviderID { id.provider }

    /// Fetches attributes of a notification (R24). The error has what came before it.
    public func attributes(
        of uid: NotificationUID, _ attributes: [NotificationAttributeRequest]
    ) async throws(RequestError) -> AttributeResponse {
        try await consumer.attributes(of: uid, attributes, in: id)
    }

    /// Fetches the name of an app, once for a session (R56). `nil` where the phone has an answer without
    /// a name.
    public func displayName(of app: AppIdentifier) async throws(RequestError) -> String? {
        try await consumer.displayName(of: app, in: id)
    }

    /// Performs an action on a notification, on the user's behalf only (R48): the negative action of a
    /// ringing call hangs up. Returns when the phone has accepted it.
    public func perform(
        _ action: ActionID, on uid: NotificationUID
    ) async throws(RequestError) {
        try await consumer.perform(action, on: uid, in: id)
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
                        sessions[id.provider] = channel
                        let session = NotificationSession(
                            id: id, events: channel, consumer: self)
                        group.addTask { await body(session) }
                    case .sessionEnded(let id, _):
                        sessions.removeValue(forKey: id.provider)?.finish()
                    case .announced(let call):
                        sessions[call.provider]?.send(.announced(call))
                    case .notification(let notification):
                        sessions[notification.provider]?.send(.notification(notification))
                    case .authorizationChanged(let id, let authorization):
                        sessions[id]?.send(.authorizationChanged(authorization))
                    default: await other(event)
                    }
                }
            } catch { failure = error }
            for (_, session) in sessions.sorted(by: { $0.key < $1.key }) { session.finish() }
            await stop()
        }
        if let failure { throw failure }
    }
}
