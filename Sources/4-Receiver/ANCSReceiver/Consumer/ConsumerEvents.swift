public import ANCS

/// Identifies an ANCS session (R49) of a ``NotificationConsumer``. The UIDs of a session are void when it
/// ends (R51).
public struct SessionID: Hashable, Sendable {
    /// The phone.
    public let provider: PhoneID
    /// The number of the session, counted from 1 for each consumer.
    public let number: UInt64
}

/// Why an ANCS session ended.
public enum SessionEnd: Equatable, Sendable {
    /// Why a session is restarted on the same link.
    public typealias RenewalReason = ConsumerSession.RenewalReason

    /// The link ended.
    case linkEnded
    /// The phone's services have changed, so that the handles and subscriptions of this session may be void:
    /// the service is searched for again. It is gone only if ``ConsumerEvent/SessionEvent/waitingForService``
    /// follows.
    case serviceGone
    /// The phone was silent: another session starts on the same link.
    case renewed(RenewalReason)
}

/// An event of a consumer. Events are in order.
public enum ConsumerEvent: Equatable, Sendable {
    /// An event of this device.
    case device(DeviceEvent)
    /// An event of a phone and of the link to it.
    case peer(PhoneID, PeerEvent)
    /// An event of the ANCS session with a phone.
    case session(PhoneID, SessionEvent)
    /// A notification was added, modified or removed.
    indirect case notification(ReceivedNotification)

    /// An event of the ANCS session with a phone, or of the search for one.
    public enum SessionEvent: Equatable, Sendable {
        /// The phone does not offer ANCS, or not yet; the search continues (R5, S2).
        case waitingForService
        /// A session started (R49).
        case started(SessionID)
        /// The phone has begun to accept commands, or to refuse them (S1).
        case authorizationChanged(NotificationSession.Authorization)
        /// The phone has stopped answering, or answers again; a wedged one needs a person (S27).
        case livenessChanged(NotificationSession.Liveness)
        /// A call is ringing. Reported at once, before queued notifications. The notification follows as added,
        /// with its texts; if it is removed first, only the removal follows.
        indirect case announced(ReceivedNotification)
        /// A session has ended; its UIDs are void (R51).
        case ended(SessionID, SessionEnd)
    }
}
