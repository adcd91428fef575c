public import ANCS
internal import LinuxIO

/// An ANCS session with a phone (R49), passed to the body of ``NotificationConsumer/run(_:other:)``. UIDs are
/// valid only in this session (R51). After its end, requests throw ``RequestError/Code/sessionEnded`` or
/// ``RequestError/Code/notConnected``, even if the phone has another session.
public struct NotificationSession: Sendable {
    /// Whether the phone's user allows access to the content. Subscribed does not mean authorized (S1).
    public typealias Authorization = ConsumerSession.Authorization
    /// Whether the phone still answers. A refusal counts as an answer.
    public typealias Liveness = ConsumerSession.Liveness

    /// An event of a session.
    public enum Event: Equatable, Sendable {
        /// A call is ringing: see ``ConsumerEvent/SessionEvent/announced(_:)``.
        case announced(ReceivedNotification)
        /// A notification was added, modified or removed, with what was fetched.
        case notification(ReceivedNotification)
        /// The phone has begun to accept commands, or to refuse them because *Share System Notifications* is
        /// off (S1).
        case authorizationChanged(Authorization)
        /// The reader was so slow that this many events were dropped.
        case missed(Int)
    }

    /// The identifier of the session.
    public let id: SessionID
    /// The events, until the session ends. At most ``ConsumerConfiguration/maximumPendingEvents`` are queued;
    /// further ones are dropped and counted: see `EventSequence`.
    public let events: EventSequence<Event, Never>
    package let consumer: NotificationConsumer

    init(id: SessionID, events: EventChannel<Event, Never>, consumer: NotificationConsumer) {
        self.id = id
        self.events = events.events(of: consumer)
        self.consumer = consumer
    }

    /// The phone.
    public var provider: PhoneID { id.provider }

    /// Fetches attributes of a notification (R24). The error contains the attributes that arrived before it.
    public func attributes(
        of uid: NotificationUID, _ attributes: [NotificationAttributeRequest]
    ) async throws(RequestError) -> AttributeResponse {
        try await consumer.attributes(of: uid, attributes, in: id)
    }

    /// Fetches the name of an app; within a session, only once (R56). `nil` if the phone answered without a
    /// name.
    public func displayName(of app: AppIdentifier) async throws(RequestError) -> String? {
        try await consumer.displayName(of: app, in: id)
    }

    /// Performs an action on a notification. Call it only for the user (R48): the negative action of a
    /// ringing call declines it. Returns when the phone has accepted the action.
    public func perform(_ action: ActionID, on uid: NotificationUID) async throws(RequestError) {
        try await consumer.perform(action, on: uid, in: id)
    }
}

extension NotificationConsumer {
    /// Starts the consumer, and calls `body` for each ANCS session with a phone, each in its own task.
    /// Returns when the task is cancelled or ``stop()`` is called, and throws if the consumer fails, or if the
    /// adapter that it shares is stopped. `other` receives every event that is not part of a session,
    /// including pairing requests.
    public func run(
        _ body: @escaping @Sendable (NotificationSession) async -> Void,
        other: @Sendable (ConsumerEvent) async -> Void = { _ in }
    ) async throws(DeviceError) {
        start()
        var failure: DeviceError?
        await withDiscardingTaskGroup { group in
            var sessions: [PhoneID: EventChannel<NotificationSession.Event, Never>] = [:]
            do throws(DeviceError) {
                for try await event in events {
                    switch event {
                    case .session(let phone, .started(let id)):
                        let channel = EventChannel<NotificationSession.Event, Never>(
                            limit: configuration.maximumPendingEvents
                        ) { .missed($0) }
                        sessions[phone] = channel
                        let session = NotificationSession(id: id, events: channel, consumer: self)
                        group.addTask { await body(session) }
                    case .session(let phone, .ended): sessions.removeValue(forKey: phone)?.finish()
                    case .session(let phone, .announced(let call)):
                        sessions[phone]?.send(.announced(call))
                    case .notification(let notification):
                        sessions[notification.provider]?.send(.notification(notification))
                    case .session(let phone, .authorizationChanged(let authorization)):
                        sessions[phone]?.send(.authorizationChanged(authorization))
                    case .device, .peer, .session: await other(event)
                    }
                }
            } catch { failure = error }
            for (_, session) in sessions.sorted(byNumber: { $0.key.rawValue }) { session.finish() }
            await stop()
        }
        if let failure { throw failure }
    }
}
