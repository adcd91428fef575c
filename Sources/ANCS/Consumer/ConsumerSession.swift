public import Octets

/// The Notification Consumer's side of ANCS on one link: it subscribes, turns values into events, writes
/// one command at a time and gives each request exactly one outcome. When a session ends, it has
/// forgotten everything (R49, R52).
///
///     idle ──service found──▶ subscribing ──Data Source, Notification Source──▶ active ──▶ ended
///                                  ▲                                              │
///                                  └────── renewing: unsubscribing ◀── silence ───┘
///
/// Subscribed is not authorized (S1), and authorized is not alive (S27). While it is active:
///
///     authorization   unknown ──────────┬──────────── an answer, or A0…A3 ──▶ authorized
///                        └─03 05 08 0F─▶ unauthorized: asked again, ever later ──▲ │
///                                             ▲──────────── 03 05 08 0F ───────────┘
///
///     liveness        live ──unanswered, renewing──▶ suspect ──unanswered──▶ wedged
///                      ▲────────────── an answer ──────┴───────────────────────┘
///
/// Its driver does what ``pollOutput()`` says and reports what happened; see ``NotificationFeed`` for
/// notifications that come with their attributes. It asks nothing by itself unless
/// ``Configuration/probing`` says when.
public struct ConsumerSession: ~Copyable, Sendable {
    enum State: Sendable {
        case idle
        case subscribing(Characteristic)
        case active
        case renewing(Characteristic)
        case ended
    }

    let configuration: Configuration
    var state = State.idle
    /// What was found, from the first subscription on.
    var service = Service(hasControlPoint: false, hasDataSource: false)
    /// What is learnt in a session: beside the state, to be changed in its place, and void outside of one.
    var knowledge: Knowledge
    var lastRequest: UInt64 = 0
    /// The commands, which know late answers also in the next session on the same link.
    var transactions: ControlPointTransactions
    var watch: SessionWatch
    /// What was last put out of what the watch finds.
    var reported: (authorization: Authorization, liveness: Liveness)
    var outputs = Queue<Output>()
    /// How many values of the Notification Source were ignored: of another length than eight octets
    /// (S17), with a reserved event (S16), or without a session.
    public private(set) var ignoredNotificationSourceValues = 0

    /// A session that has not started. `liveness` is what an earlier link to the same provider has
    /// shown: see ``liveness``.
    public init(configuration: Configuration = Configuration(), liveness: Liveness = .live) {
        self.configuration = configuration
        knowledge = Knowledge(configuration)
        watch = SessionWatch(configuration.probing, liveness: liveness)
        reported = (watch.authorization, liveness)
        transactions = ControlPointTransactions(configuration: configuration)
    }

    /// Whether the phone's user lets us ask for content.
    public var authorization: Authorization { watch.authorization }
    /// Whether the provider does its part, as far as ``Configuration/probing`` finds out.
    public var liveness: Liveness { watch.liveness }
    /// How many octets of the Data Source belonged to no answer that was waited for.
    public var discardedDataSourceOctets: Int { transactions.discardedOctets }
    /// How many requests wait, the one in flight not counted.
    public var pendingRequestCount: Int { transactions.pendingCount }
    /// When ``handleTimeout(at:)`` is due; `nil` for never.
    public var nextDeadline: MonotonicInstant? {
        .earliest(transactions.nextDeadline, watch.nextDeadline)
    }
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
        guard case .idle = state else { return }
        service = Service(hasControlPoint: hasControlPoint, hasDataSource: hasDataSource)
        begin(at: now)
    }

    private mutating func begin(at now: MonotonicInstant) {
        // Without a Control Point nothing is ever answered on the Data Source.
        subscribe(service.hasContent ? .dataSource : .notificationSource, at: now)
    }

    private mutating func subscribed(
        to characteristic: Characteristic, at now: MonotonicInstant
    ) {
        guard case .subscribing(characteristic) = state else { return }
        switch characteristic {
        case .dataSource:
            subscribe(.notificationSource, at: now)
        case .notificationSource:
            state = .active
            watch.started(at: now)
            watch.setAsking(!transactions.isIdle, at: now)
            outputs.append(.started)
        }
    }

    /// Without Data Source the session goes on without content.
    private mutating func subscriptionRefused(
        to characteristic: Characteristic, errorCode: UInt8, at now: MonotonicInstant
    ) {
        guard case .subscribing(characteristic) = state else { return }
        switch characteristic {
        case .dataSource:
            service.hasDataSource = false
            subscribe(.notificationSource, at: now)
        case .notificationSource:
            outputs.append(.subscriptionFailed(errorCode: errorCode))
            end(at: now)
        }
    }

    /// The link or the subscription is gone (R49). Every request ends, and everything is forgotten.
    public mutating func end(at now: MonotonicInstant) {
        if case .ended = state { return }
        leave(for: .ended, at: now)
    }

    private mutating func unsubscribed(
        from characteristic: Characteristic, at now: MonotonicInstant
    ) {
        guard case .renewing(characteristic) = state else { return }
        if characteristic == .notificationSource, service.hasContent {
            unsubscribe(.dataSource)
        } else {
            begin(at: now)
        }
    }

    /// The deadline may have passed.
    public mutating func handleTimeout(at now: MonotonicInstant) {
        transactions.handleTimeout(at: now)
        drainTransactions(at: now)
        follow(watch.handleTimeout(at: now), at: now)
        drainTransactions(at: now)
    }

    /// There is reason to doubt that the provider is still there: it is asked at once, if it is asked at
    /// all.
    public mutating func doubt(at now: MonotonicInstant) {
        guard case .active = state else { return }
        watch.doubt(at: now)
    }

    /// The session ends, and another one begins when the provider has seen the end of this one: to
    /// subscribe without it may change nothing there (S20).
    mutating func renew(_ reason: RenewalReason, at now: MonotonicInstant) {
        guard case .active = state else { return }
        leave(for: .renewing(.notificationSource), at: now)
        outputs.append(.renewing(reason))
        unsubscribe(.notificationSource)
    }

    /// What was known is forgotten with the session that it belonged to.
    private mutating func leave(for next: State, at now: MonotonicInstant) {
        state = next
        knowledge = Knowledge(configuration)
        watch.stopped()
        transactions.close()
        drainTransactions(at: now)
    }

    private mutating func unsubscribe(_ characteristic: Characteristic) {
        state = .renewing(characteristic)
        outputs.append(.link(.unsubscribe(characteristic)))
    }

    private mutating func subscribe(_ characteristic: Characteristic, at now: MonotonicInstant) {
        state = .subscribing(characteristic)
        outputs.append(.link(.subscribe(characteristic)))
        if characteristic == .notificationSource {
            transactions.open(at: now)
            drainTransactions(at: now)
        }
    }
}

// MARK: - What is received

extension ConsumerSession {
    /// Something came of a request on the link, or a value came over it.
    public mutating func receive(_ report: LinkReport, at now: MonotonicInstant) {
        switch report {
        case .subscribed(let characteristic): subscribed(to: characteristic, at: now)
        case .subscriptionRefused(let characteristic, let errorCode):
            subscriptionRefused(to: characteristic, errorCode: errorCode, at: now)
        case .unsubscribed(let characteristic): unsubscribed(from: characteristic, at: now)
        case .subscriptionRead(_, let isSubscribed):
            if !isSubscribed { renew(.unsubscribed, at: now) }
        case .controlPointWritten(let error): controlPointWritten(error, at: now)
        case .notificationSource(let value): receiveNotificationSource(value, at: now)
        case .dataSource(let value): receiveDataSource(value, at: now)
        }
    }

    private mutating func receiveNotificationSource(_ value: [UInt8], at now: MonotonicInstant) {
        switch state {
        case .idle, .renewing, .ended:
            ignoredNotificationSourceValues += 1
        case .subscribing, .active:
            do throws(DecodingError) {
                handle(try NotificationSourceValue(decoding: value.span), at: now)
            } catch {
                ignoredNotificationSourceValues += 1
            }
        }
    }

    private mutating func receiveDataSource(_ value: [UInt8], at now: MonotonicInstant) {
        switch state {
        case .idle, .ended:
            break
        case .subscribing, .active, .renewing:
            transactions.receive(value.span, at: now)
            drainTransactions(at: now)
        }
    }

    private mutating func controlPointWritten(
        _ error: ControlPointError?, at now: MonotonicInstant
    ) {
        switch state {
        case .idle, .ended:
            break
        case .subscribing, .active, .renewing:
            transactions.writeAnswered(error, at: now)
            drainTransactions(at: now)
        }
    }

    private mutating func handle(_ value: NotificationSourceValue, at now: MonotonicInstant) {
        watch.notificationSourceReceived(at: now)
        switch value.eventID {
        case .added, .modified:
            knowledge.notifications.set(value.eventFlags, for: value.notificationUID)
            outputs.append(.event(value))
        case .removed:
            knowledge.notifications.remove(value.notificationUID)
            // What was asked about it ends before it is said to be gone.
            transactions.remove(value.notificationUID, at: now)
            drainTransactions(at: now)
            outputs.append(.event(value))
        case _:
            ignoredNotificationSourceValues += 1
        }
    }
}
