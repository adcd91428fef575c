// What a session is told, and what it tells.
extension ConsumerSession {
    /// Limits and times.
    public struct Configuration: Hashable, Sendable {
        /// How long a request waits without progress (S26).
        public var deadline: Duration
        /// How long a request for an app's name waits instead; `nil` for ``deadline``. Names are less
        /// important than what waits behind them.
        public var appDeadline: Duration?
        /// How long an answer about an app may be nothing but its header, as iOS answers about apps
        /// that are not installed (S23); at most ``deadline``.
        public var headerOnlyDeadline: Duration
        /// After how long an app name that could not be had is asked for again.
        public var appRetryInterval: Duration
        /// How many requests wait; beyond them the oldest fetch ends as ``RequestFailure/evicted``.
        public var maximumPendingRequests: Int
        /// How many answers to abandoned requests are told apart from answers that are waited for.
        public var maximumLateAnswers: Int
        /// How many apps' attributes are kept (R56).
        public var maximumCachedApps: Int
        /// Of how many notifications the flags are kept.
        public var maximumNotifications: Int
        /// How much of an answer is kept.
        public var responseLimits: ResponseLimits
        /// When the session asks by itself whether the provider still does its part; `nil` for never.
        public var probing: Probing?

        /// The usual limits and times, and no probes.
        public init() {
            deadline = .seconds(10)
            headerOnlyDeadline = .seconds(2)
            appRetryInterval = .seconds(30)
            maximumPendingRequests = 1024
            maximumLateAnswers = 16
            maximumCachedApps = 256
            maximumNotifications = 1024
            responseLimits = ResponseLimits()
        }
    }

    /// When a session asks by itself whether the provider still does its part. What it asks for is an
    /// attribute of ``NotificationUID/probe``, which does not exist: no content is read (S8).
    public struct Probing: Hashable, Sendable {
        /// How long after its start a session is asked that nobody has asked anything, and when a
        /// provider that refuses is asked again; each time after twice as long.
        public var firstInterval: Duration
        /// The longest time between two questions to a provider that refuses.
        public var refusedIntervalLimit: Duration
        /// How long the Control Point may be left alone before it is asked (S27).
        public var interval: Duration
        /// How long the Notification Source may be silent before it is subscribed to anew (S27). The time in
        /// which something is asked for does not count.
        public var silence: Duration
        /// After how many commands in a row without an answer both are subscribed to anew. After each
        /// one before, the provider is asked whether the subscriptions stand.
        public var toleratedSilences: Int

        /// The times that a watch system came to in years of trouble with iPhones: a question each
        /// quarter of an hour, six hours of silence.
        public init() {
            firstInterval = .seconds(5)
            refusedIntervalLimit = .seconds(60)
            interval = .seconds(15 * 60)
            silence = .seconds(6 * 60 * 60)
            toleratedSilences = 3
        }
    }

    /// The characteristics with notifications.
    public typealias Characteristic = NotifyingCharacteristic

    /// Whether the phone's user lets us ask for content. Subscribed is not authorized (S1).
    public enum Authorization: Hashable, Sendable {
        /// No command was answered yet.
        case unknown
        /// The Control Point answers.
        case authorized
        /// The Control Point refuses: the user has not allowed it, or the link is not secure enough.
        case unauthorized(ControlPointError)
    }

    /// Whether the provider does its part. One that refuses does.
    public enum Liveness: Hashable, Sendable {
        /// Nothing is known against it.
        case live
        /// It left commands unanswered and was subscribed to anew; it has not answered since.
        case suspect
        /// It leaves commands unanswered even so. A person has to help: turning Bluetooth on the
        /// phone off and on is what does.
        case wedged
    }

    /// Why a session is begun anew on the same link.
    public enum RenewalReason: Hashable, Sendable {
        /// Commands were not answered.
        case unanswered
        /// The Notification Source was silent for ``Probing/silence``.
        case silent
        /// The provider says that it has forgotten a subscription.
        case unsubscribed
    }

    /// What has to be done on the link to the provider. Every layer between the session and the link
    /// passes it on as it is.
    public enum LinkRequest: Hashable, Sendable {
        /// Write the characteristic's configuration descriptor, then report the result.
        case subscribe(Characteristic)
        /// Clear the characteristic's configuration descriptor, then report that this is done.
        case unsubscribe(Characteristic)
        /// Read the characteristic's configuration descriptor and report what it says. A driver that
        /// cannot may leave it.
        case readSubscription(Characteristic)
        /// Write a value to the Control Point with a response, then report the result. Values longer
        /// than ATT_MTU - 3 need a long write (S24).
        case writeControlPoint([UInt8])
    }

    /// What came of a ``LinkRequest``, and what the provider sent.
    public enum LinkReport: Hashable, Sendable {
        /// A subscription stands.
        case subscribed(Characteristic)
        /// A subscription was refused, with an ATT error code.
        case subscriptionRefused(Characteristic, errorCode: UInt8)
        /// A subscription was ended, or could not be.
        case unsubscribed(Characteristic)
        /// A configuration descriptor was read: whether it says that values are notified.
        case subscriptionRead(Characteristic, isSubscribed: Bool)
        /// The write of a command was answered: `nil`, or the plain ATT error code.
        case controlPointWritten(ControlPointError?)
        /// A value of the Notification Source was received. It may come before the subscription is
        /// confirmed (R11).
        case notificationSource([UInt8])
        /// A value of the Data Source was received.
        case dataSource([UInt8])
    }

    /// What the driver has to do, or to know.
    public enum Output: Hashable, Sendable {
        /// Do something on the link, then report what came of it.
        case link(LinkRequest)
        /// Both subscriptions stand: the session has started (R49).
        case started
        /// A notification was added, modified or removed.
        case event(NotificationSourceValue)
        /// The Control Point has begun to answer, or to refuse.
        case authorizationChanged(Authorization)
        /// The provider has stopped to do its part, or does it again.
        case livenessChanged(Liveness)
        /// A request has ended.
        case completed(RequestID, RequestOutcome)
        /// A request that was answered would be answered differently now: an earlier request for the
        /// same had been given up, and the answer to that came first (S4).
        case superseded(RequestID, AttributeResponse)
        /// The session is over and everything learnt in it is void (R51); another one begins by itself.
        case renewing(RenewalReason)
        /// The Notification Source cannot be subscribed to: whatever this is, it is not ANCS (S31).
        case subscriptionFailed(errorCode: UInt8)
    }

    /// What the caller may not do.
    public enum UsageError: Error, Hashable, Sendable {
        /// The session has not started or has ended.
        case notStarted
        /// The command cannot be made.
        case invalidCommand(ControlPointCommand.UsageError)
        /// The notification does not have this action (R43, S29), or has it no more.
        case actionUnavailable
        /// Too many actions wait.
        case tooManyRequests
    }
}
