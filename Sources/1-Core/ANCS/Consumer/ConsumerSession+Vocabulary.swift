// The configuration, inputs and outputs of a session.
extension ConsumerSession {
    /// Limits and deadlines.
    public struct Configuration: Hashable, Sendable {
        /// How long a request may go without progress before it fails as ``RequestFailure/timedOut`` (S26);
        /// 10 seconds by default.
        public var deadline = Duration.seconds(10)
        /// The deadline for an app's name instead; `nil`, the default, for ``deadline``. A name matters less than the
        /// requests queued behind it.
        public var appDeadline: Duration?
        /// How long the answer about an app may consist of nothing but its header, which is how iOS answers
        /// about apps that are not installed (S23); 50 milliseconds by default, at most ``deadline``. A name that
        /// follows later counts, too.
        public var headerOnlyDeadline = Duration.milliseconds(50)
        /// How long the answer about an app keeps other commands waiting once its own was accepted, unless there is
        /// progress; 500 milliseconds by default. A name that arrives later is stored.
        public var namePatience = Duration.milliseconds(500)
        /// How long after a failed request for an app's name it is requested again; 30 seconds by
        /// default.
        public var appRetryInterval = Duration.seconds(30)
        /// How many requests may be queued, 1024 by default; with one more, the oldest fetch ends as
        /// ``RequestFailure/evicted``.
        public var maximumPendingRequests = 1024
        /// How many abandoned requests are remembered, so that their late answers are recognized; 16 by
        /// default.
        public var maximumLateAnswers = 16
        /// How many apps' names are cached (R56); 256 by default.
        public var maximumCachedApps = 256
        /// How many notifications' flags are kept; 1024 by default.
        public var maximumNotifications = 1024
        /// How much of an answer is kept.
        public var responseLimits = ResponseLimits()
        /// When the session probes the provider by itself; `nil` for never.
        public var probing: Probing?

        /// The default limits and deadlines, without probes.
        public init() {}
    }

    /// When a session probes whether the provider still answers. A probe asks for an attribute of
    /// ``NotificationUID/probe``, which does not exist, so that no content is read (S8).
    public struct Probing: Hashable, Sendable {
        /// How long after its start an unused session is probed, and how long after a refusal the provider is
        /// probed again; each refusal doubles the interval.
        public var firstInterval = Duration.seconds(5)
        /// The longest interval between two probes of a provider that refuses.
        public var refusedIntervalLimit = Duration.seconds(60)
        /// How long the Control Point may be unused before it is probed (S27).
        public var interval = Duration.seconds(15 * 60)
        /// How long the Notification Source may be silent before the session subscribes to it again (S27).
        /// The time during which requests are pending does not count.
        public var silence = Duration.seconds(6 * 60 * 60)
        /// How many commands in a row may go unanswered before the session subscribes to both characteristics
        /// again. After the first one that was accepted, it reads whether the subscription to the Data Source
        /// stands.
        public var toleratedSilences = 3

        /// The intervals that a watch system arrived at in years of failures with iPhones: a probe every
        /// quarter of an hour, six hours of silence.
        public init() {}
    }

    /// The characteristics that send notifications.
    public typealias Characteristic = NotifyingCharacteristic

    /// Whether the phone's user allows access to the content. Subscribed does not mean authorized (S1).
    public enum Authorization: Hashable, Sendable {
        /// No command has been answered yet.
        case unknown
        /// The Control Point accepts commands.
        case authorized
        /// The Control Point refuses commands: the user has not allowed access, or the link is not secure
        /// enough.
        case unauthorized(ControlPointError)
    }

    /// Whether the provider still answers. A refusal counts as an answer.
    public enum Liveness: Hashable, Sendable {
        /// There is no sign of a fault.
        case live
        /// It left commands unanswered, the session subscribed again, and it has not answered since.
        case suspect
        /// It still leaves commands unanswered after the session subscribed again. Only a person can help, by
        /// turning the phone's Bluetooth off and on.
        case wedged
    }

    /// Why a session is restarted on the same link.
    public enum RenewalReason: Hashable, Sendable {
        /// The provider left commands unanswered.
        case unanswered
        /// The Notification Source was silent for ``Probing/silence``.
        case silent
        /// The provider reports that it has lost a subscription.
        case unsubscribed
    }

    /// What the driver has to do on the link to the provider. Every layer between the session and the link
    /// passes it on unchanged.
    public enum LinkRequest: Hashable, Sendable {
        /// Enable the characteristic's notifications in its Client Characteristic Configuration, then report
        /// the result.
        case subscribe(Characteristic)
        /// Clear the characteristic's Client Characteristic Configuration, then report that this is done.
        case unsubscribe(Characteristic)
        /// Read the characteristic's Client Characteristic Configuration, then report its value. A driver
        /// that cannot read it may ignore the request.
        case readSubscription(Characteristic)
        /// Write a value to the Control Point with a response, then report the result. A value longer than
        /// ATT_MTU - 3 octets needs a long write (S24).
        ///
        /// The session gives a command up after ``Configuration/deadline`` and writes the next one. The driver
        /// holds that one back until the response to the first arrives (Core Vol 3, Part F, 3.3.2), and ends
        /// the link if there is none within 30 s (3.3.3).
        case writeControlPoint([UInt8])
    }

    /// The result of a ``LinkRequest``, or a value that the provider sent.
    public enum LinkReport: Hashable, Sendable {
        /// A subscription succeeded.
        case subscribed(Characteristic)
        /// A subscription was refused, with an ATT error code.
        case subscriptionRefused(Characteristic, errorCode: UInt8)
        /// A subscription has ended, or could not be ended.
        case unsubscribed(Characteristic)
        /// A configuration was read: whether it enables notifications.
        case subscriptionRead(Characteristic, isSubscribed: Bool)
        /// The write of this command, the value of its ``LinkRequest/writeControlPoint(_:)``, was answered:
        /// `nil` for success, otherwise the ATT error code. A late response counts too: it says what became of
        /// an action that was given up.
        case controlPointWritten([UInt8], ControlPointError?)
        /// A value of the Notification Source arrived. It may arrive before the subscription is confirmed
        /// (R11).
        case notificationSource([UInt8])
        /// A value of the Data Source arrived.
        case dataSource([UInt8])
    }

    /// What the driver has to do, and what happened.
    public enum Output: Hashable, Sendable {
        /// Do this on the link, then report the result with ``ConsumerSession/receive(_:at:)``.
        case link(LinkRequest)
        /// Something has happened to the session as a whole.
        case report(Report)
        /// A notification was added, modified or removed.
        case event(NotificationSourceValue)
        /// A request has ended.
        case completed(RequestID, RequestOutcome)
        /// A request that has ended would now end differently: the answer it got belonged to an earlier
        /// request for the same attributes, which had been abandoned; this is the newer answer (S4).
        case superseded(RequestID, AttributeResponse)
    }

    /// What has happened to a session as a whole.
    public enum Report: Hashable, Sendable {
        /// It has started: the provider has confirmed its subscriptions (R49).
        case started
        /// The Control Point has begun to accept commands, or to refuse them.
        case authorizationChanged(Authorization)
        /// The provider has stopped answering, or answers again.
        case livenessChanged(Liveness)
        /// It is over, and what it learned is void (R51); another one starts by itself.
        case renewing(RenewalReason)
        /// The subscription to the Notification Source was refused: this service is not a working ANCS (S31).
        case subscriptionFailed(errorCode: UInt8)
    }

    /// A call that is not allowed now, or not with these arguments.
    public enum UsageError: Error, Hashable, Sendable {
        /// The session has not started or has ended.
        case notStarted
        /// The command cannot be made.
        case invalidCommand(ControlPointCommand.UsageError)
        /// The notification does not have this action (R43, S29).
        case actionUnavailable
        /// The provider has performed this action, and has not modified the notification since (S19).
        case alreadyPerformed
        /// The provider no longer has the notification, as it answered to an earlier action (S19).
        case notificationGone
        /// Too many actions are queued.
        case tooManyRequests
    }
}
