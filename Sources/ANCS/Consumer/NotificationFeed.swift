public import Octets

/// Delivers the notifications of a session with their attributes and the name of their app: each
/// announcement once, and those of one notification in their order.
///
/// It keeps the announcements, asks for the attributes of one notification at a time, and delivers it when
/// they are there or cannot be had: a failed fetch never loses a notification.
///
///     idle ─▶ fetching attributes ─▶ fetching the app's name ─▶ delivered, whole or not
///      ▲          ▲                                                  │
///      │          └── whenever nothing else waits: what is lacking ◀─┤
///      └─────────────────────────────────────────────────────────────┘
///
/// - Calls come first, then what is new, then what was there before the session; each of these in the
///   order in which the Notification Provider announced it.
/// - A ringing call is reported at once (``Output/announced(_:)``), and delivered when it is whole.
/// - A removal waits for nothing: what waits of its notification is delivered as it is, and then the
///   removal. A call that was reported and not delivered is only removed.
/// - What was delivered without its content, because the provider refused for want of consent or did
///   not answer, is asked for again when it would answer, and delivered again as a completion.
/// - A provider that refuses for want of consent is not asked about what waits, and at most twice in four
///   seconds about what is new (S1).
/// - If a later answer says something else than the one that was taken, that is a completion too (S4).
/// - A provider that is slow to tell an app's name is asked for names behind everything else.
/// - One that is announced as added again, though it was not removed, was modified (R19).
/// - Announcements of one notification that wait together share one fetch (S22).
/// - If more than ``Configuration/maximumPendingNotifications`` wait, the one that can wait best is
///   delivered at once, without a fetch.
public struct NotificationFeed: ~Copyable, Sendable {
    /// What is fetched, and limits.
    public struct Configuration: Hashable, Sendable {
        /// What is asked for of each notification; empty to deliver announcements only (R55).
        public var attributes: [NotificationAttributeRequest]
        /// Whether the name of the app is asked for as well; it needs the app identifier among the
        /// attributes.
        public var fetchesDisplayName: Bool
        /// Whether the owner is asked what to fetch of each notification: ``Output/selecting(_:known:)``.
        public var asksWhatToFetch: Bool
        /// What becomes of notifications that were there before the session.
        public var preExisting: PreExistingPolicy
        /// How long after the start of a session a notification that is older than the session counts
        /// as one that was there before, although the provider did not say so (S21); `nil` for never.
        /// It takes ``NotificationFeed/startDate`` and the date among the attributes.
        public var preExistingGrace: Duration?
        /// How many incomplete notifications are remembered to be completed.
        public var maximumIncompleteNotifications: Int
        /// How many announcements wait for their attributes. A phone that was cut off for a long time
        /// announces some hundred (S21).
        public var maximumPendingNotifications: Int
        /// Limits and times of the session.
        public var session: ConsumerSession.Configuration

        /// The usual limits.
        public init(attributes: [NotificationAttributeRequest] = NotificationAttributeRequest.all) {
            self.attributes = attributes
            fetchesDisplayName = true
            asksWhatToFetch = false
            preExisting = .deliver
            maximumIncompleteNotifications = 1024
            maximumPendingNotifications = 8192
            session = ConsumerSession.Configuration()
            session.appDeadline = .seconds(3)
        }
    }

    /// What the driver has to do, or to know.
    public enum Output: Hashable, Sendable {
        /// See ``ConsumerSession/Output/link(_:)``.
        case link(ConsumerSession.LinkRequest)
        /// See ``ConsumerSession/Output/started``.
        case started
        /// A call rings. Its notification is delivered as added when it is whole, unless it is removed
        /// before that.
        case announced(NotificationSourceValue)
        /// What is to be fetched of a notification, of which this much was asked for by now? Call
        /// ``NotificationFeed/select(_:of:at:)`` before the next input. Only with
        /// ``Configuration/asksWhatToFetch``.
        case selecting(Delivery, known: Selection)
        /// A notification was added, modified or removed.
        case notification(Delivery)
        /// See ``ConsumerSession/Output/authorizationChanged(_:)``.
        case authorizationChanged(ConsumerSession.Authorization)
        /// See ``ConsumerSession/Output/livenessChanged(_:)``.
        case livenessChanged(ConsumerSession.Liveness)
        /// See ``ConsumerSession/Output/renewing(_:)``.
        case renewing(ConsumerSession.RenewalReason)
        /// A request of the caller's has ended.
        case completed(RequestID, RequestOutcome)
        /// See ``ConsumerSession/Output/subscriptionFailed(errorCode:)``.
        case subscriptionFailed(errorCode: UInt8)
    }

    enum State: Sendable {
        case idle
        /// The owner is asked what to fetch.
        case selecting(Fetch)
        /// The attributes of a notification are asked for.
        case fetchingAttributes(Fetch, RequestID)
        /// The name of its app is asked for.
        case fetchingDisplayName(Fetch, AppIdentifier, RequestID)
    }

    let configuration: Configuration
    var session: ConsumerSession
    var state = State.idle
    var waiting: [NotificationUID: Waiting] = [:]
    var turns = Turns()
    /// How many announcements wait.
    var waitingCount = 0
    /// The notifications that were announced and not removed since, those that are ignored left out.
    var live: BoundedDictionary<NotificationUID, Bool>
    var incomplete: [Incomplete] = []
    /// How many inputs were drained. A drain asks once at most for what a notification lacks: so it ends,
    /// whatever becomes of that.
    var drainCount: UInt64 = 0
    /// What was answered last, and may be superseded.
    var answered: Answered?
    var names: Names
    /// When the provider refused for want of consent: the last two times.
    var refusals: [MonotonicInstant] = []
    /// When the grace for announcements that forget their flag ends.
    var graceEnd: MonotonicInstant?
    var outputs = Queue<Output>()
    /// What the provider's clock showed when the session started, as far as the owner can tell; see
    /// ``Configuration/preExistingGrace``.
    public var startDate: NotificationDate?

    /// A feed whose session has not started; see ``ConsumerSession/init(configuration:liveness:)``.
    public init(
        configuration: Configuration = Configuration(), liveness: ConsumerSession.Liveness = .live
    ) {
        self.configuration = configuration
        session = ConsumerSession(configuration: configuration.session, liveness: liveness)
        names = Names(interval: configuration.session.appRetryInterval)
        live = BoundedDictionary(limit: configuration.maximumPendingNotifications)
    }

    /// Whether the phone's user lets us ask for content.
    public var authorization: ConsumerSession.Authorization { session.authorization }
    /// Whether the provider does its part.
    public var liveness: ConsumerSession.Liveness { session.liveness }
    /// How many values of the Notification Source were ignored.
    public var ignoredNotificationSourceValues: Int { session.ignoredNotificationSourceValues }
    /// How many octets of the Data Source belonged to no answer that was waited for.
    public var discardedDataSourceOctets: Int { session.discardedDataSourceOctets }
    /// How many announcements wait, the one being fetched not counted.
    public var pendingNotificationCount: Int { waitingCount }
    /// When ``handleTimeout(at:)`` is due; `nil` for never.
    public var nextDeadline: MonotonicInstant? {
        .earliest(session.nextDeadline, lacksDisplayNames ? names.askAt : nil)
    }
    /// Takes the next thing to do; call it after every input until it is `nil`.
    public mutating func pollOutput() -> Output? { outputs.popFirst() }
}

// MARK: - What happened

extension NotificationFeed {
    /// See ``ConsumerSession/serviceDiscovered(hasControlPoint:hasDataSource:at:)``.
    public mutating func serviceDiscovered(
        hasControlPoint: Bool, hasDataSource: Bool, at now: MonotonicInstant
    ) {
        session.serviceDiscovered(
            hasControlPoint: hasControlPoint, hasDataSource: hasDataSource, at: now)
        drainSession(at: now)
    }

    /// See ``ConsumerSession/receive(_:at:)``.
    public mutating func receive(
        _ report: ConsumerSession.LinkReport, at now: MonotonicInstant
    ) {
        session.receive(report, at: now)
        drainSession(at: now)
    }

    /// See ``ConsumerSession/doubt(at:)``.
    public mutating func doubt(at now: MonotonicInstant) {
        session.doubt(at: now)
    }

    /// See ``ConsumerSession/end(at:)``. What waits is delivered with what is known of it, but for what
    /// the provider has announced as an old one and will announce again (R53), and for the changes of that.
    public mutating func end(at now: MonotonicInstant) {
        session.end(at: now)
        // What still waits was not refused: nobody asked.
        refusals = []
        abandonSelection()
        drainSession(at: now)
        forgetSession()
    }

    /// See ``ConsumerSession/handleTimeout(at:)``.
    public mutating func handleTimeout(at now: MonotonicInstant) {
        names.handleTimeout(at: now)
        session.handleTimeout(at: now)
        drainSession(at: now)
    }

    /// See ``ConsumerSession/fetch(_:of:at:)``.
    public mutating func fetch(
        _ attributes: [NotificationAttributeRequest], of uid: NotificationUID,
        at now: MonotonicInstant
    ) throws(ConsumerSession.UsageError) -> RequestID {
        let request = try session.fetch(attributes, of: uid, at: now)
        drainSession(at: now)
        return request
    }

    /// See ``ConsumerSession/fetchDisplayName(of:at:)``.
    public mutating func fetchDisplayName(
        of app: AppIdentifier, at now: MonotonicInstant
    ) throws(ConsumerSession.UsageError) -> RequestID {
        let request = try session.fetchDisplayName(of: app, at: now)
        drainSession(at: now)
        return request
    }

    /// See ``ConsumerSession/perform(_:on:at:)``.
    public mutating func perform(
        _ action: ActionID, on uid: NotificationUID, at now: MonotonicInstant
    ) throws(ConsumerSession.UsageError) -> RequestID {
        let request = try session.perform(action, on: uid, at: now)
        drainSession(at: now)
        return request
    }

    private mutating func drainSession(at now: MonotonicInstant) {
        beginDrain()
        while drainStep(at: now) {}
    }

    mutating func beginDrain() { drainCount &+= 1 }

    /// Handles one output of the session, or where there is none begins one more piece of work; whether
    /// there may be more to do. A step takes off an output, an announcement, or something incomplete, and
    /// what it puts on is of a kind further down in this list, or waits for the phone or the clock.
    mutating func drainStep(at now: MonotonicInstant) -> Bool {
        guard let output = session.pollOutput() else { return startNext(at: now) }
        handle(output, at: now)
        return true
    }

    private mutating func handle(_ output: ConsumerSession.Output, at now: MonotonicInstant) {
        switch output {
        case .link(let request): outputs.append(.link(request))
        case .started:
            graceEnd = configuration.preExistingGrace.map { now + $0 }
            outputs.append(.started)
        case .authorizationChanged(let state): outputs.append(.authorizationChanged(state))
        case .livenessChanged(let liveness): outputs.append(.livenessChanged(liveness))
        case .subscriptionFailed(let code): outputs.append(.subscriptionFailed(errorCode: code))
        case .event(let value): announce(value, at: now)
        case .completed(let request, let outcome): complete(request, outcome, at: now)
        case .superseded(let request, let response): supersede(request, response, at: now)
        case .renewing(let reason):
            // What waits belongs to the session that is over, and what is incomplete stays so.
            incomplete = []
            abandonSelection()
            while startNext(at: now) {}
            forgetSession()
            outputs.append(.renewing(reason))
        }
    }

    private mutating func forgetSession() {
        waiting = [:]
        turns = Turns()
        waitingCount = 0
        incomplete = []
        answered = nil
        names = Names(interval: configuration.session.appRetryInterval)
        live = BoundedDictionary(limit: configuration.maximumPendingNotifications)
        refusals = []
        graceEnd = nil
    }
}
