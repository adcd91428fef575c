public import Octets

/// Delivers the notifications of a session with their attributes and the name of their app, each once
/// and in the order in which the Notification Provider announced them.
///
/// It keeps the announcements, asks for the attributes of the first one only, and delivers it when they
/// are there or cannot be had: a failed fetch never loses a notification.
///
/// - Announcements of one notification that wait together share one fetch (S22).
/// - A notification whose removal is already announced is delivered without a fetch.
/// - If more than ``Configuration/maximumPendingNotifications`` wait, the oldest of them are delivered
///   without a fetch when their turn comes. If as many again wait for their turn, the oldest is
///   delivered at once; only then is the order given up.
public struct NotificationFeed: ~Copyable, Sendable {
    /// What is fetched, and limits.
    public struct Configuration: Hashable, Sendable {
        /// What is asked for of each notification; empty to deliver announcements only (R55).
        public var attributes: [NotificationAttributeRequest]
        /// Whether the name of the app is asked for as well; it needs the app identifier among the
        /// attributes.
        public var fetchesDisplayName: Bool
        /// How many announcements wait for their attributes, and how many beyond them wait for their
        /// turn only. A phone that was cut off for a long time announces some hundred (S21).
        public var maximumPendingNotifications: Int
        /// Limits and times of the session.
        public var session: ConsumerSession.Configuration

        /// The usual limits.
        public init(attributes: [NotificationAttributeRequest] = NotificationAttributeRequest.all) {
            self.attributes = attributes
            fetchesDisplayName = true
            maximumPendingNotifications = 8192
            session = ConsumerSession.Configuration()
        }
    }

    /// A notification, with what could be learnt about it.
    public struct Delivery: Hashable, Sendable {
        /// What the Notification Source said; ``EventID`` tells added, modified and removed apart.
        public var source: NotificationSourceValue
        /// The attributes that came; empty for a removed notification.
        public var attributes: [AttributeValue]
        /// The name of the app; empty if the app has none, `nil` if it was not asked for or not had.
        public var displayName: AttributeValue?
        /// Why attributes are missing.
        public var failure: RequestFailure?
        /// Why the name of the app is missing.
        public var displayNameFailure: RequestFailure?

        /// A notification of which nothing is known but its announcement.
        public init(source: NotificationSourceValue) {
            self.source = source
            attributes = []
        }

        /// The attribute, if it came.
        public subscript(id: NotificationAttributeID) -> AttributeValue? {
            attributes.first { $0.id == id.rawValue }
        }
    }

    /// What the driver has to do, or to know.
    public enum Output: Hashable, Sendable {
        /// See ``ConsumerSession/Output/subscribe(_:)``.
        case subscribe(ConsumerSession.Characteristic)
        /// See ``ConsumerSession/Output/writeControlPoint(_:)``.
        case writeControlPoint([UInt8])
        /// See ``ConsumerSession/Output/started``.
        case started
        /// A notification was added, modified or removed.
        case notification(Delivery)
        /// See ``ConsumerSession/Output/authorizationChanged(_:)``.
        case authorizationChanged(ConsumerSession.Authorization)
        /// A request of the caller's has ended.
        case completed(RequestID, RequestOutcome)
        /// See ``ConsumerSession/Output/subscriptionFailed(errorCode:)``.
        case subscriptionFailed(errorCode: UInt8)
    }

    private enum State: Sendable {
        case idle
        /// The attributes of the first announcement are asked for.
        case fetchingAttributes(Delivery, RequestID)
        /// The name of the app of the first announcement is asked for.
        case fetchingDisplayName(Delivery, RequestID)
    }

    /// What is known about the announcements of one notification that wait.
    private struct Waiting: Sendable {
        var count = 0
        var removals = 0
        /// What a fetch since the last announcement has brought.
        var shared: Delivery?
        /// The notification was announced again while it was being fetched.
        var isOutdated = false

        var isRemoved: Bool { removals > 0 }

        mutating func announce(_ value: NotificationSourceValue) {
            count += 1
            if value.eventID == .removed { removals += 1 }
            shared = nil
            isOutdated = true
        }

        /// Whether nothing waits any more.
        mutating func deliver(_ value: NotificationSourceValue) -> Bool {
            count -= 1
            if value.eventID == .removed { removals -= 1 }
            return count <= 0
        }
    }

    private let configuration: Configuration
    private var session: ConsumerSession
    private var state = State.idle
    private var announcements = Queue<NotificationSourceValue>()
    /// So many at the front of the announcements are delivered without a fetch: too many came.
    private var evictedCount = 0
    private var waiting: [NotificationUID: Waiting] = [:]
    private var outputs = Queue<Output>()

    /// A feed whose session has not started.
    public init(configuration: Configuration = Configuration()) {
        self.configuration = configuration
        session = ConsumerSession(configuration: configuration.session)
    }

    /// Whether the phone's user lets us ask for content.
    public var authorization: ConsumerSession.Authorization { session.authorization }
    /// How many values of the Notification Source were ignored.
    public var ignoredNotificationSourceValues: Int { session.ignoredNotificationSourceValues }
    /// How many octets of the Data Source belonged to no answer that was waited for.
    public var discardedDataSourceOctets: Int { session.discardedDataSourceOctets }
    /// How many announcements wait, the one being fetched not counted.
    public var pendingNotificationCount: Int { announcements.count }
    /// When ``handleTimeout(at:)`` is due; `nil` for never.
    public var nextDeadline: MonotonicInstant? { session.nextDeadline }
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

    /// See ``ConsumerSession/subscribed(to:at:)``.
    public mutating func subscribed(
        to characteristic: ConsumerSession.Characteristic, at now: MonotonicInstant
    ) {
        session.subscribed(to: characteristic, at: now)
        drainSession(at: now)
    }

    /// See ``ConsumerSession/subscriptionFailed(to:errorCode:at:)``.
    public mutating func subscriptionFailed(
        to characteristic: ConsumerSession.Characteristic, errorCode: UInt8,
        at now: MonotonicInstant
    ) {
        session.subscriptionFailed(to: characteristic, errorCode: errorCode, at: now)
        drainSession(at: now)
    }

    /// See ``ConsumerSession/receiveNotificationSource(_:at:)``.
    public mutating func receiveNotificationSource(
        _ value: Span<UInt8>, at now: MonotonicInstant
    ) {
        session.receiveNotificationSource(value, at: now)
        drainSession(at: now)
    }

    /// See ``ConsumerSession/receiveDataSource(_:at:)``.
    public mutating func receiveDataSource(_ value: Span<UInt8>, at now: MonotonicInstant) {
        session.receiveDataSource(value, at: now)
        drainSession(at: now)
    }

    /// See ``ConsumerSession/controlPointWritten(_:at:)``.
    public mutating func controlPointWritten(
        _ error: ControlPointError?, at now: MonotonicInstant
    ) {
        session.controlPointWritten(error, at: now)
        drainSession(at: now)
    }

    /// See ``ConsumerSession/end()``. Notifications that wait are forgotten with the session (R51, R52):
    /// the provider announces those that are still there in its next one (R53).
    public mutating func end() {
        announcements.removeAll()
        evictedCount = 0
        waiting = [:]
        session.end()
        drainSession(at: .zero)
    }

    /// See ``ConsumerSession/handleTimeout(at:)``.
    public mutating func handleTimeout(at now: MonotonicInstant) {
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
        repeat {
            while let output = session.pollOutput() { handle(output, at: now) }
        } while startNext(at: now)
    }

    private mutating func handle(_ output: ConsumerSession.Output, at now: MonotonicInstant) {
        switch output {
        case .subscribe(let characteristic): outputs.append(.subscribe(characteristic))
        case .writeControlPoint(let value): outputs.append(.writeControlPoint(value))
        case .started: outputs.append(.started)
        case .authorizationChanged(let state): outputs.append(.authorizationChanged(state))
        case .subscriptionFailed(let code): outputs.append(.subscriptionFailed(errorCode: code))
        case .event(let value): announce(value)
        case .completed(let request, let outcome): complete(request, outcome, at: now)
        }
    }
}

// MARK: - Delivery

extension NotificationFeed {
    private mutating func announce(_ value: NotificationSourceValue) {
        announcements.append(value)
        waiting[value.notificationUID, default: Waiting()].announce(value)
        let limit = configuration.maximumPendingNotifications
        evictedCount = max(evictedCount, announcements.count - limit)
        guard evictedCount > limit, let oldest = popAnnouncement() else { return }
        deliver(Delivery(source: oldest), missing: oldest.eventID == .removed ? nil : .evicted)
    }

    private mutating func popAnnouncement() -> NotificationSourceValue? {
        evictedCount = max(evictedCount - 1, 0)
        return announcements.popFirst()
    }

    /// Delivers the first announcement or asks for what it lacks; whether there may be more to do.
    private mutating func startNext(at now: MonotonicInstant) -> Bool {
        let isEvicted = evictedCount > 0
        guard case .idle = state, let value = popAnnouncement() else { return false }
        let delivery = Delivery(source: value)
        let uid = value.notificationUID
        if value.eventID == .removed || configuration.attributes.isEmpty {
            deliver(delivery, missing: nil)
        } else if waiting[uid]?.isRemoved ?? false {
            deliver(delivery, missing: .removed)
        } else if var shared = waiting[uid]?.shared {
            shared.source = value
            deliver(shared, missing: shared.failure)
        } else if isEvicted {
            deliver(delivery, missing: .evicted)
        } else {
            waiting[uid]?.isOutdated = false
            do throws(ConsumerSession.UsageError) {
                let request = try session.fetch(configuration.attributes, of: uid, at: now)
                state = .fetchingAttributes(delivery, request)
            } catch {
                deliver(delivery, missing: Self.failure(of: error))
            }
        }
        return true
    }

    private mutating func complete(
        _ request: RequestID, _ outcome: RequestOutcome, at now: MonotonicInstant
    ) {
        switch exchange(&state, with: .idle) {
        case .fetchingAttributes(_, request) where outcome.isEndOfSession,
            .fetchingDisplayName(_, request) where outcome.isEndOfSession:
            break
        case .fetchingAttributes(let delivery, request):
            attributesCompleted(delivery, outcome, at: now)
        case .fetchingDisplayName(let delivery, request):
            displayNameCompleted(delivery, outcome)
        case let other:
            state = other
            outputs.append(.completed(request, outcome))
        }
    }

    private mutating func attributesCompleted(
        _ started: Delivery, _ outcome: RequestOutcome, at now: MonotonicInstant
    ) {
        var delivery = started
        switch outcome {
        case .answered(let response): delivery.attributes = response.attributes
        case .performed: break
        case .failed(let failure, let partial):
            delivery.failure = failure
            delivery.attributes = partial
        }
        guard configuration.fetchesDisplayName,
            let octets = delivery[.appIdentifier]?.octets
        else {
            finish(delivery)
            return
        }
        do throws(ControlPointCommand.UsageError) {
            let app = try AppIdentifier(octets: octets)
            fetchDisplayName(of: app, for: delivery, at: now)
        } catch {
            // An identifier that no command can name has no display name.
            finish(delivery)
        }
    }

    private mutating func fetchDisplayName(
        of app: AppIdentifier, for delivery: Delivery, at now: MonotonicInstant
    ) {
        do throws(ConsumerSession.UsageError) {
            let request = try session.fetchDisplayName(of: app, at: now)
            state = .fetchingDisplayName(delivery, request)
        } catch {
            var delivery = delivery
            delivery.displayNameFailure = Self.failure(of: error)
            finish(delivery)
        }
    }

    private mutating func displayNameCompleted(_ started: Delivery, _ outcome: RequestOutcome) {
        var delivery = started
        switch outcome {
        case .answered(let response): delivery.displayName = response[AppAttributeID.displayName]
        case .performed: break
        case .failed(let failure, _): delivery.displayNameFailure = failure
        }
        finish(delivery)
    }

    private mutating func finish(_ delivery: Delivery) {
        let uid = delivery.source.notificationUID
        if let waiting = waiting[uid], !waiting.isOutdated, waiting.count > 1 {
            self.waiting[uid]?.shared = delivery
        }
        deliver(delivery, missing: delivery.failure)
    }

    private mutating func deliver(_ started: Delivery, missing failure: RequestFailure?) {
        var delivery = started
        delivery.failure = failure
        let uid = delivery.source.notificationUID
        if waiting[uid, default: Waiting()].deliver(delivery.source) { waiting[uid] = nil }
        outputs.append(.notification(delivery))
    }

    /// Why the session did not take a request of the feed's own.
    private static func failure(of error: ConsumerSession.UsageError) -> RequestFailure {
        switch error {
        case .notStarted: .sessionEnded
        case .tooManyRequests: .evicted
        case .invalidCommand, .actionUnavailable: .contentUnavailable
        }
    }
}

extension RequestOutcome {
    /// Whether the request ended because the session did.
    fileprivate var isEndOfSession: Bool {
        if case .failed(.sessionEnded, _) = self { true } else { false }
    }
}
