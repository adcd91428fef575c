public import Octets

/// The Notification Consumer's side of ANCS on one link: it subscribes, turns values into events, writes one
/// command at a time and ends each request with exactly one outcome. When a session ends, everything learned
/// in it is forgotten (R49, R52).
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
/// The driver carries out what ``pollOutput()`` returns and reports the results. ``NotificationFeed``, built
/// on this, delivers notifications together with their attributes. A session sends no commands of its own
/// unless ``Configuration/probing`` is set.
public struct ConsumerSession: ~Copyable, Sendable {
    enum State: Sendable {
        case idle
        case subscribing(Characteristic)
        case active
        case renewing(Characteristic)
        case ended
    }

    var state = State.idle
    /// The characteristics that were found, from the first subscription on.
    var service = Service(hasControlPoint: false, hasDataSource: false)
    /// Void outside a session. Stored beside the state so that it is changed in place.
    var knowledge: Knowledge
    var lastRequest: UInt64 = 0
    /// The queue of commands. It outlives a session, to recognize late answers in the next one on the same
    /// link.
    var transactions: ControlPointTransactions
    var watch: SessionWatch
    /// What was last reported of the watch's findings.
    var reported: (authorization: Authorization, liveness: Liveness)
    var outputs = Queue<Output>(keepingOctets: 256)
    /// How many values of the Notification Source were ignored: not eight octets long (S17), with a reserved
    /// event (S16), or outside a session.
    public private(set) var ignoredNotificationSourceValues = 0

    /// A session that has not started. `liveness` is that of the provider on an earlier link: see
    /// ``liveness``.
    public init(configuration: Configuration = Configuration(), liveness: Liveness = .live) {
        knowledge = Knowledge(configuration)
        watch = SessionWatch(configuration.probing, liveness: liveness)
        reported = (watch.authorization, liveness)
        transactions = ControlPointTransactions(configuration: configuration)
    }

    var configuration: Configuration { transactions.configuration }

    /// Whether the phone's user allows access to the content.
    public var authorization: Authorization { watch.authorization }
    /// Whether the provider still answers, as far as ``Configuration/probing`` can tell.
    public var liveness: Liveness { watch.liveness }
    /// How many octets of the Data Source belonged to no pending request.
    public var discardedDataSourceOctets: Int { transactions.discardedOctets }
    /// How many requests are queued, without the one in flight.
    public var pendingRequestCount: Int { transactions.pendingCount }
    /// When ``handleTimeout(at:)`` is due; `nil` for never.
    public var nextDeadline: MonotonicInstant? {
        .earliest(transactions.nextDeadline, watch.nextDeadline)
    }
    /// Takes the next output. After every input, call it until it returns `nil`.
    public mutating func pollOutput() -> Output? { outputs.popFirst() }
}

// MARK: - The life of a session

extension ConsumerSession {
    /// The service was found, with or without the optional characteristics (R8). The session subscribes to
    /// the Data Source first, so that no answer is lost (S3).
    public mutating func serviceDiscovered(
        hasControlPoint: Bool, hasDataSource: Bool, at now: MonotonicInstant
    ) {
        guard case .idle = state else { return }
        service = Service(hasControlPoint: hasControlPoint, hasDataSource: hasDataSource)
        begin(at: now)
    }

    private mutating func begin(at now: MonotonicInstant) {
        // Without a Control Point there are no commands, and so no answers on the Data Source.
        subscribe(service.hasContent ? .dataSource : .notificationSource, at: now)
    }

    private mutating func subscribed(to characteristic: Characteristic, at now: MonotonicInstant) {
        guard case .subscribing(characteristic) = state else { return }
        switch characteristic {
        case .dataSource: subscribe(.notificationSource, at: now)
        case .notificationSource:
            state = .active
            watch.started(at: now)
            watch.setAsking(!transactions.isIdle, at: now)
            outputs.append(.report(.started))
        }
    }

    /// Without the Data Source the session continues, without content.
    private mutating func subscriptionRefused(
        to characteristic: Characteristic, errorCode: UInt8, at now: MonotonicInstant
    ) {
        guard case .subscribing(characteristic) = state else { return }
        switch characteristic {
        case .dataSource:
            service.hasDataSource = false
            subscribe(.notificationSource, at: now)
        case .notificationSource:
            outputs.append(.report(.subscriptionFailed(errorCode: errorCode)))
            end(at: now)
        }
    }

    /// The link or the subscription was lost (R49). Every request ends, and everything learned is forgotten.
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

    /// Call it when ``nextDeadline`` has passed; an early call does nothing.
    public mutating func handleTimeout(at now: MonotonicInstant) {
        transactions.handleTimeout(at: now)
        drainTransactions(at: now)
        follow(watch.handleTimeout(at: now), at: now)
        drainTransactions(at: now)
    }

    /// There is reason to doubt that the provider still answers: probes it at once, if
    /// ``Configuration/probing`` is set.
    public mutating func doubt(at now: MonotonicInstant) {
        guard case .active = state else { return }
        watch.doubt(at: now)
    }

    /// Ends the session and starts another one once the provider has confirmed the unsubscription:
    /// subscribing without unsubscribing may have no effect there (S20).
    mutating func renew(_ reason: RenewalReason, at now: MonotonicInstant) {
        guard case .active = state else { return }
        leave(for: .renewing(.notificationSource), at: now)
        outputs.append(.report(.renewing(reason)))
        unsubscribe(.notificationSource)
    }

    /// What was learned is forgotten together with the session.
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
    /// Reports the result of a request on the link, or a value that arrived.
    public mutating func receive(_ report: LinkReport, at now: MonotonicInstant) {
        switch report {
        case .subscribed(let characteristic): subscribed(to: characteristic, at: now)
        case .subscriptionRefused(let characteristic, let errorCode):
            subscriptionRefused(to: characteristic, errorCode: errorCode, at: now)
        case .unsubscribed(let characteristic): unsubscribed(from: characteristic, at: now)
        case .subscriptionRead(_, let isSubscribed):
            if !isSubscribed { renew(.unsubscribed, at: now) }
        case .controlPointWritten(let command, let error):
            controlPointWritten(command, error, at: now)
        case .notificationSource(let value): receiveNotificationSource(value, at: now)
        case .dataSource(let value): receiveDataSource(value, at: now)
        }
    }

    private mutating func receiveNotificationSource(_ value: [UInt8], at now: MonotonicInstant) {
        switch state {
        case .idle, .renewing, .ended: ignoredNotificationSourceValues += 1
        case .subscribing, .active:
            do throws(DecodingError) {
                handle(try NotificationSourceValue(decoding: value.span), at: now)
            } catch { ignoredNotificationSourceValues += 1 }
        }
    }

    private mutating func receiveDataSource(_ value: [UInt8], at now: MonotonicInstant) {
        switch state {
        case .idle, .ended: break
        case .subscribing, .active, .renewing:
            transactions.receive(value.span, at: now)
            drainTransactions(at: now)
        }
    }

    private mutating func controlPointWritten(
        _ command: [UInt8], _ error: ControlPointError?, at now: MonotonicInstant
    ) {
        switch state {
        case .idle, .ended: break
        case .subscribing, .active, .renewing:
            transactions.writeAnswered(command, error, at: now)
            drainTransactions(at: now)
        }
    }

    private mutating func handle(_ value: NotificationSourceValue, at now: MonotonicInstant) {
        watch.notificationSourceReceived(at: now)
        switch value.eventID {
        case .added, .modified:
            knowledge.learn(value)
            outputs.append(.event(value))
        case .removed:
            knowledge.notifications.remove(value.notificationUID)
            // Requests about it end before its removal is reported.
            transactions.remove(value.notificationUID, at: now)
            drainTransactions(at: now)
            outputs.append(.event(value))
        case _: ignoredNotificationSourceValues += 1
        }
    }
}
