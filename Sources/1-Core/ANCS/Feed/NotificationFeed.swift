public import Octets

/// Delivers the notifications of a session together with their attributes and the names of their apps: each
/// announcement once, and those of one notification in order.
///
/// The feed queues announcements, fetches the attributes of one notification at a time, and delivers it when
/// they have arrived or the fetch has failed: a failed fetch never loses a notification.
///
///     idle ─▶ fetching attributes ─▶ fetching the app's name ─▶ delivered, whole or not
///      ▲          ▲                                                  │
///      │          └── whenever nothing else waits: what is lacking ◀─┤
///      └─────────────────────────────────────────────────────────────┘
///
/// - Calls come first, then what is new, each in the order in which the Notification Provider announced it;
///   then what was there before the session, the last one first.
/// - A ringing call is reported at once (``Output/announced(_:)``), and delivered when it is complete.
/// - A removal is delivered at once: queued announcements of its notification are delivered as they are,
///   followed by the removal. If a call was reported and not delivered, only its removal is delivered.
/// - If the provider refused the content without consent, or did not answer, the notification is fetched
///   again once it would answer, and delivered again as a completion.
/// - After a refusal without consent, queued notifications are delivered without a fetch, and new ones are
///   fetched at most twice in four seconds (S1).
/// - If a later answer differs from the one that was taken, it is delivered as a completion too (S4).
/// - If the provider is slow to answer for an app's name, the notification is delivered without it, and again as a
///   completion once it is known; from then on, names are fetched after everything else.
/// - A notification that is announced as added again, without a removal in between, is delivered as modified
///   (R19).
/// - Queued announcements of one notification share one fetch (S22).
/// - If more than ``Configuration/maximumPendingNotifications`` are queued, the oldest of the least urgent
///   ones is delivered at once, without a fetch.
public struct NotificationFeed: ~Copyable, Sendable {
    /// What to fetch, and limits.
    public struct Configuration: Hashable, Sendable {
        /// The attributes to fetch of each notification; empty to deliver only announcements (R55).
        public var attributes: [NotificationAttributeRequest]
        /// Whether to fetch the name of the app as well; this needs the app identifier among the attributes.
        public var fetchesDisplayName = true
        /// Whether the owner chooses what to fetch of each notification: see ``Output/selecting(_:known:)``.
        public var asksWhatToFetch = false
        /// What to do with notifications that existed before the session.
        public var preExisting = PreExistingPolicy.all
        /// For how long after the start of a session the date of a notification decides whether it existed
        /// before, although the provider did not mark it so (S21); `nil` for never. This needs
        /// ``NotificationFeed/startDate`` and the date among the attributes; without them, the mark decides.
        public var preExistingGrace: Duration?
        /// How many incomplete notifications are remembered for completion.
        public var maximumIncompleteNotifications = 1024
        /// How many notifications may be queued. A phone that was out of range for a long time announces some
        /// hundreds (S21).
        public var maximumPendingNotifications = 8192
        /// Limits and deadlines of the session.
        public var session = ConsumerSession.Configuration()

        /// The default limits.
        public init(attributes: [NotificationAttributeRequest] = NotificationAttributeRequest.all) {
            self.attributes = attributes
            session.appDeadline = .seconds(3)
        }
    }

    /// What the driver has to do, and what happened.
    public enum Output: Hashable, Sendable {
        /// See ``ConsumerSession/Output/link(_:)``.
        case link(ConsumerSession.LinkRequest)
        /// Something has happened to the session as a whole.
        case report(ConsumerSession.Report)
        /// A call is ringing. Its notification follows as added once it is complete, unless it is removed
        /// first.
        case announced(NotificationSourceValue)
        /// Choose what to fetch of this notification; `known` has been fetched so far. Answer with
        /// ``NotificationFeed/select(_:of:at:)`` before the next input. Only with
        /// ``Configuration/asksWhatToFetch``.
        case selecting(Delivery, known: Selection)
        /// A notification was added, modified or removed.
        case notification(Delivery)
        /// A request of the caller has ended.
        case completed(RequestID, RequestOutcome)
    }

    enum State: Sendable {
        case idle
        /// The owner is choosing what to fetch.
        case selecting(Fetch)
        /// The attributes of a notification are being fetched.
        case fetchingAttributes(Fetch, RequestID)
        /// The name of its app is being fetched.
        case fetchingDisplayName(Fetch, AppIdentifier, RequestID)
    }

    let configuration: Configuration
    var session: ConsumerSession
    var state = State.idle
    var waiting: [NotificationUID: Waiting] = [:]
    var turns = Turns()
    /// The number of the last announcement.
    var lastAnnouncement: UInt64 = 0
    /// The number of queued announcements.
    var waitingCount = 0
    /// The notifications that were announced and not removed since, except ignored ones.
    var live: BoundedDictionary<NotificationUID, Bool>
    var incomplete: [Incomplete] = []
    /// When what the phone did not answer in time is requested again, at the latest.
    var completeAt: MonotonicInstant?
    /// The number of drains so far. A drain requests what a notification lacks at most once, so that it
    /// always ends.
    var drainCount: UInt64 = 0
    /// The last answered fetch, which a later answer may supersede.
    var answered: Answered?
    var names: Names
    /// The requests for names that no notification waits for any more.
    var lateNames: [RequestID] = []
    /// The last two times at which the provider refused without consent.
    var refusals: [MonotonicInstant] = []
    /// The end of ``Configuration/preExistingGrace``.
    var graceEnd: MonotonicInstant?
    var outputs = Queue<Output>(keepingOctets: 512)
    /// When the session started, by the provider's own clock, if the owner has read that; see
    /// ``Configuration/preExistingGrace``. Set it whenever it becomes known; it ends with the session.
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

    /// Whether the phone's user allows access to the content.
    public var authorization: ConsumerSession.Authorization { session.authorization }
    /// Whether the provider still answers.
    public var liveness: ConsumerSession.Liveness { session.liveness }
    /// How many values of the Notification Source were ignored.
    public var ignoredNotificationSourceValues: Int { session.ignoredNotificationSourceValues }
    /// How many octets of the Data Source belonged to no pending request.
    public var discardedDataSourceOctets: Int { session.discardedDataSourceOctets }
    /// Whether a notification is being fetched, so that commands are under way.
    public var isFetching: Bool { if case .idle = state { !lateNames.isEmpty } else { true } }
    /// How many announcements are queued, without the one being fetched.
    public var pendingNotificationCount: Int { waitingCount }
    /// When ``handleTimeout(at:)`` is due; `nil` for never.
    ///
    /// `mutating`, because Swift 6.3 copies a struct in a class to the stack in order to borrow it.
    public var nextDeadline: MonotonicInstant? {
        mutating get {
            .earliest(
                .earliest(session.nextDeadline, lacksDisplayNames ? names.askAt : nil),
                .earliest(incomplete.isEmpty ? nil : completeAt, nameDue))
        }
    }
    private var nameDue: MonotonicInstant? {
        // Swift copies the payload of a state in order to look at it.
        guard case .fetchingDisplayName = state else { return nil }
        return if case .fetchingDisplayName(let fetch, _, _) = state { fetch.nameDue } else { nil }
    }
    /// Takes the next output. After every input, call it until it returns `nil`.
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
    public mutating func receive(_ report: ConsumerSession.LinkReport, at now: MonotonicInstant) {
        session.receive(report, at: now)
        drainSession(at: now)
    }

    /// See ``ConsumerSession/doubt(at:)``.
    public mutating func doubt(at now: MonotonicInstant) { session.doubt(at: now) }

    /// See ``ConsumerSession/end(at:)``. Queued notifications are delivered with what is known of them,
    /// except those that existed before the session, which the provider will announce again (R53), and their
    /// modifications.
    public mutating func end(at now: MonotonicInstant) {
        session.end(at: now)
        // What is still queued was not refused: it was never requested.
        refusals = []
        abandonSelection()
        drainSession(at: now)
        forgetSession()
    }

    /// See ``ConsumerSession/handleTimeout(at:)``.
    public mutating func handleTimeout(at now: MonotonicInstant) {
        wake(at: now)
        drainSession(at: now)
    }

    /// Handles the deadlines that have passed; a drain does what is due then.
    mutating func wake(at now: MonotonicInstant) {
        names.handleTimeout(at: now)
        if let completeAt, completeAt <= now { self.completeAt = nil }
        session.handleTimeout(at: now)
        stopWaitingForName(at: now)
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

    mutating func beginDrain() {
        drainCount &+= 1
        if incomplete.isEmpty { completeAt = nil }
    }

    /// Handles one output of the session or, if there is none, begins one more piece of work; returns whether
    /// there may be more to do. A step removes an output, an announcement or an incomplete notification. What
    /// it adds comes later in this list, or waits for the phone or the clock, so that a drain always
    /// ends. Two loops call it: inlined, its code was there twice, and was a tenth of the module.
    @inline(never) mutating func drainStep(at now: MonotonicInstant) -> Bool {
        guard let output = session.pollOutput() else { return startNext(at: now) }
        handle(output, at: now)
        return true
    }

    private mutating func handle(_ output: ConsumerSession.Output, at now: MonotonicInstant) {
        switch output {
        case .link(let request): outputs.append(.link(request))
        case .report(let report):
            follow(report, at: now)
            outputs.append(.report(report))
        case .event(let value): announce(value, at: now)
        case .completed(let request, let outcome): complete(request, outcome, at: now)
        case .superseded(let request, let response): supersede(request, response, at: now)
        }
    }

    private mutating func follow(_ report: ConsumerSession.Report, at now: MonotonicInstant) {
        switch report {
        case .started: graceEnd = configuration.preExistingGrace.map { now + $0 }
        case .renewing:
            // The queue belongs to the session that is over, and incomplete notifications stay so.
            incomplete = []
            abandonSelection()
            while startNext(at: now) {}
            forgetSession()
        case .authorizationChanged, .livenessChanged, .subscriptionFailed: break
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
        completeAt = nil
        startDate = nil
    }
}
