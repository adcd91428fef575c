public import Octets

/// One ANCS session of a Notification Consumer (R49): it subscribes, turns values into events, writes
/// one command at a time and gives each request exactly one outcome. When it ends, it has forgotten
/// everything (R52).
///
/// Its driver does what ``pollOutput()`` says and reports what happened; see ``NotificationFeed`` for
/// notifications that come with their attributes.
public struct ConsumerSession: ~Copyable, Sendable {
    /// Limits and times.
    public struct Configuration: Hashable, Sendable {
        /// How long a request waits without progress (S26).
        public var deadline: Duration
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

        /// The usual limits and times.
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

    /// The characteristics that a consumer subscribes to.
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

    /// What the driver has to do, or to know.
    public enum Output: Hashable, Sendable {
        /// Write the characteristic's configuration descriptor, then report the result.
        case subscribe(Characteristic)
        /// Write a value to the Control Point with a response, then report the result. Values longer
        /// than ATT_MTU - 3 need a long write (S24).
        case writeControlPoint([UInt8])
        /// Both subscriptions stand: the session has started (R49).
        case started
        /// A notification was added, modified or removed.
        case event(NotificationSourceValue)
        /// The Control Point has begun to answer, or to refuse.
        case authorizationChanged(Authorization)
        /// A request has ended.
        case completed(RequestID, RequestOutcome)
        /// The Notification Source cannot be subscribed to: whatever this is, it is not ANCS (S31).
        case subscriptionFailed(errorCode: UInt8)
    }

    /// What the caller may not do.
    public enum UsageError: Error, Hashable, Sendable {
        /// The session has not started or has ended.
        case notStarted
        /// The command cannot be made.
        case invalidCommand(ControlPointCommand.UsageError)
        /// The notification does not have this action (R43, S29).
        case actionUnavailable
        /// Too many actions wait.
        case tooManyRequests
    }

    private enum State: Hashable, Sendable {
        case idle
        case subscribing(Characteristic)
        case active
        case ended
    }

    private struct CachedApp: Sendable {
        var outcome: RequestOutcome
        /// `nil` if the outcome stands for the session.
        var expiry: MonotonicInstant?
    }

    private let configuration: Configuration
    private var state = State.idle
    private var hasControlPoint = false
    private var hasDataSource = false
    private var lastRequest: UInt64 = 0
    private var transactions: ControlPointTransactions
    private var apps: BoundedDictionary<AppIdentifier, CachedApp>
    private var notifications: BoundedDictionary<NotificationUID, EventFlags>
    private var outputs = Queue<Output>()
    /// Whether the phone's user lets us ask for content.
    public private(set) var authorization = Authorization.unknown
    /// How many values of the Notification Source were ignored: of another length than eight octets
    /// (S17), with a reserved event (S16), or without a session.
    public private(set) var ignoredNotificationSourceValues = 0

    /// A session that has not started.
    public init(configuration: Configuration = Configuration()) {
        self.configuration = configuration
        transactions = ControlPointTransactions(configuration: configuration)
        apps = BoundedDictionary(limit: configuration.maximumCachedApps)
        notifications = BoundedDictionary(limit: configuration.maximumNotifications)
    }

    /// How many octets of the Data Source belonged to no answer that was waited for.
    public var discardedDataSourceOctets: Int { transactions.discardedOctets }
    /// How many requests wait, the one in flight not counted.
    public var pendingRequestCount: Int { transactions.pendingCount }
    /// When ``handleTimeout(at:)`` is due; `nil` for never.
    public var nextDeadline: MonotonicInstant? { transactions.nextDeadline }
    /// Takes the next thing to do; call it after every input until it is `nil`.
    public mutating func pollOutput() -> Output? { outputs.popFirst() }
}

// MARK: - The life of a session

extension ConsumerSession {
    /// The service was found, with or without the optional characteristics (R8). Data Source comes
    /// first, so that no answer is lost (S3).
    public mutating func serviceDiscovered(
        hasControlPoint: Bool, hasDataSource: Bool, at now: MonotonicInstant
    ) {
        guard state == .idle else { return }
        self.hasControlPoint = hasControlPoint
        self.hasDataSource = hasDataSource
        // Without a Control Point nothing is ever answered on the Data Source.
        subscribe(
            hasControlPoint && hasDataSource ? .dataSource : .notificationSource, at: now)
    }

    /// A subscription stands.
    public mutating func subscribed(to characteristic: Characteristic, at now: MonotonicInstant) {
        guard state == .subscribing(characteristic) else { return }
        switch characteristic {
        case .dataSource:
            subscribe(.notificationSource, at: now)
        case .notificationSource:
            state = .active
            outputs.append(.started)
        }
    }

    /// A subscription was refused with an ATT error code. Without Data Source the session goes on
    /// without content.
    public mutating func subscriptionFailed(
        to characteristic: Characteristic, errorCode: UInt8, at now: MonotonicInstant
    ) {
        guard state == .subscribing(characteristic) else { return }
        switch characteristic {
        case .dataSource:
            hasDataSource = false
            subscribe(.notificationSource, at: now)
        case .notificationSource:
            outputs.append(.subscriptionFailed(errorCode: errorCode))
            end()
        }
    }

    /// The link or the subscription is gone (R49). Every request ends, and everything is forgotten.
    public mutating func end() {
        guard state != .ended else { return }
        state = .ended
        transactions.close()
        drainTransactions(at: .zero)
        apps = BoundedDictionary(limit: configuration.maximumCachedApps)
        notifications = BoundedDictionary(limit: configuration.maximumNotifications)
    }

    /// The deadline may have passed.
    public mutating func handleTimeout(at now: MonotonicInstant) {
        transactions.handleTimeout(at: now)
        drainTransactions(at: now)
    }

    private mutating func subscribe(_ characteristic: Characteristic, at now: MonotonicInstant) {
        state = .subscribing(characteristic)
        outputs.append(.subscribe(characteristic))
        if characteristic == .notificationSource {
            transactions.open(at: now)
            drainTransactions(at: now)
        }
    }
}

// MARK: - What is received

extension ConsumerSession {
    /// A value of the Notification Source was received. It may come before the subscription is
    /// confirmed (R11).
    public mutating func receiveNotificationSource(
        _ value: Span<UInt8>, at now: MonotonicInstant
    ) {
        switch state {
        case .idle, .ended:
            ignoredNotificationSourceValues += 1
        case .subscribing, .active:
            do throws(DecodingError) {
                handle(try NotificationSourceValue(decoding: value), at: now)
            } catch {
                ignoredNotificationSourceValues += 1
            }
        }
    }

    /// A value of the Data Source was received.
    public mutating func receiveDataSource(_ value: Span<UInt8>, at now: MonotonicInstant) {
        switch state {
        case .idle, .ended:
            break
        case .subscribing, .active:
            transactions.receive(value, at: now)
            drainTransactions(at: now)
        }
    }

    /// The write of a command was answered: `nil`, or the plain ATT error code.
    public mutating func controlPointWritten(
        _ error: ControlPointError?, at now: MonotonicInstant
    ) {
        switch state {
        case .idle, .ended:
            break
        case .subscribing, .active:
            transactions.writeAnswered(error, at: now)
            drainTransactions(at: now)
        }
    }

    private mutating func handle(_ value: NotificationSourceValue, at now: MonotonicInstant) {
        switch value.eventID {
        case .added, .modified:
            notifications.set(value.eventFlags, for: value.notificationUID)
            outputs.append(.event(value))
        case .removed:
            notifications.remove(value.notificationUID)
            // What was asked about it ends before it is said to be gone.
            transactions.remove(value.notificationUID, at: now)
            drainTransactions(at: now)
            outputs.append(.event(value))
        case _:
            ignoredNotificationSourceValues += 1
        }
    }
}

// MARK: - Requests

extension ConsumerSession {
    /// Asks for attributes of a notification; throws if the session has not started or the list is
    /// empty or too long.
    public mutating func fetch(
        _ attributes: [NotificationAttributeRequest], of uid: NotificationUID,
        at now: MonotonicInstant
    ) throws(UsageError) -> RequestID {
        let command: GetNotificationAttributes
        do throws(ControlPointCommand.UsageError) {
            command = try GetNotificationAttributes(notificationUID: uid, attributes: attributes)
        } catch {
            throw .invalidCommand(error)
        }
        return try fetch(.getNotificationAttributes(command), at: now)
    }

    /// Asks for the display name of an app, which is asked for once in a session (R56); throws if the
    /// session has not started.
    public mutating func fetchDisplayName(
        of app: AppIdentifier, at now: MonotonicInstant
    ) throws(UsageError) -> RequestID {
        if let cached = apps[app], cached.expiry.map({ now < $0 }) ?? true {
            let request = try makeRequest()
            outputs.append(.completed(request, cached.outcome))
            return request
        }
        return try fetch(.getAppAttributes(GetAppAttributes(displayNameOf: app)), at: now)
    }

    /// Performs an action, on behalf of a person (R48); throws if the session has not started or if
    /// the notification is known not to have the action.
    public mutating func perform(
        _ action: ActionID, on uid: NotificationUID, at now: MonotonicInstant
    ) throws(UsageError) -> RequestID {
        let request = try makeRequest()
        guard let flag = action.flag else { throw .actionUnavailable }
        if let flags = notifications[uid], !flags.contains(flag) { throw .actionUnavailable }
        guard hasControlPoint else {
            outputs.append(.completed(request, .failed(.contentUnavailable, partial: [])))
            return request
        }
        let command = PerformNotificationAction(notificationUID: uid, actionID: action)
        guard transactions.perform(command, for: request, at: now) else { throw .tooManyRequests }
        drainTransactions(at: now)
        return request
    }

    private mutating func fetch(
        _ command: ControlPointCommand, at now: MonotonicInstant
    ) throws(UsageError) -> RequestID {
        let request = try makeRequest()
        guard hasControlPoint, hasDataSource else {
            outputs.append(.completed(request, .failed(.contentUnavailable, partial: [])))
            return request
        }
        guard transactions.fetch(command, for: request, at: now) else { throw .tooManyRequests }
        drainTransactions(at: now)
        return request
    }

    private mutating func makeRequest() throws(UsageError) -> RequestID {
        switch state {
        case .idle, .ended: throw .notStarted
        case .subscribing, .active: break
        }
        lastRequest += 1
        return RequestID(rawValue: lastRequest)
    }
}

// MARK: - Outcomes

extension ConsumerSession {
    private mutating func drainTransactions(at now: MonotonicInstant) {
        while let output = transactions.pollOutput() {
            switch output {
            case .write(let value):
                outputs.append(.writeControlPoint(value))
            case .writeAnswered(let error):
                noteAuthorization(error)
            case .ended(let command, let requests, let outcome):
                if case .getAppAttributes(let command) = command {
                    remember(outcome, of: command.appIdentifier, at: now)
                }
                for request in requests { outputs.append(.completed(request, outcome)) }
            }
        }
    }

    private mutating func noteAuthorization(_ error: ControlPointError?) {
        let noted: Authorization
        if let error {
            guard error.isAuthorization || error.isFromService else { return }
            noted = error.isAuthorization ? .unauthorized(error) : .authorized
        } else {
            noted = .authorized
        }
        guard noted != authorization else { return }
        authorization = noted
        outputs.append(.authorizationChanged(noted))
    }

    /// A name stands for the session, an empty one too; that there is none stands for a while (S23).
    private mutating func remember(
        _ outcome: RequestOutcome, of app: AppIdentifier, at now: MonotonicInstant
    ) {
        let expiry: MonotonicInstant?
        switch outcome {
        case .answered(let response) where response[AppAttributeID.displayName] != nil:
            expiry = nil
        case .failed(.refused(let error), _) where error.isAuthorization: return
        case .failed(.sessionEnded, _), .failed(.evicted, _): return
        case .answered, .performed, .failed:
            expiry = now + configuration.appRetryInterval
        }
        apps.set(CachedApp(outcome: outcome, expiry: expiry), for: app)
    }
}
