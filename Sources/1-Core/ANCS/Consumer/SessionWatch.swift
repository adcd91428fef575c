internal import Octets

/// What a session knows of its provider: whether it grants access, whether it answers, and when to probe it.
/// The states are drawn at ``ConsumerSession``.
struct SessionWatch: Sendable {
    /// What the session has to do.
    enum Action: Hashable, Sendable {
        case probe
        /// Read whether the subscription to the Data Source stands.
        case readDataSource
        case renew(ConsumerSession.RenewalReason)
    }

    private let probing: ConsumerSession.Probing?
    private(set) var authorization = ConsumerSession.Authorization.unknown
    private(set) var liveness: ConsumerSession.Liveness
    /// Commands in a row that were not answered.
    private var silences = 0
    /// The characteristic that was silent; cleared when it sends something.
    private var complaint: Complaint?
    private var refusedInterval: Duration
    private var state = State.resting

    private enum State: Hashable, Sendable {
        /// There is no session, or probes are off.
        case resting
        /// The Control Point is probed at `probeAt`; the clock limits the silence of the Notification Source.
        case watching(probeAt: MonotonicInstant, SilenceClock)
    }

    private enum Complaint: Hashable, Sendable {
        /// One of the two, on an earlier link; an accepted command does not clear it.
        case earlierLink
        case controlPoint
        case dataSource
    }

    /// How long the Notification Source may still be silent. The clock stops while a request is pending:
    /// announcements are delayed by the request anyway, and would be delayed again in the next session.
    private enum SilenceClock: Hashable, Sendable {
        case running(until: MonotonicInstant)
        case standing(left: Duration)
    }

    init(_ probing: ConsumerSession.Probing?, liveness: ConsumerSession.Liveness) {
        self.probing = probing
        self.liveness = liveness
        complaint = liveness == .live ? nil : .earlierLink
        refusedInterval = probing?.firstInterval ?? .zero
    }

    var nextDeadline: MonotonicInstant? {
        switch state {
        case .resting: nil
        case .watching(let probeAt, .running(let silentAt)): min(probeAt, silentAt)
        case .watching(let probeAt, .standing): probeAt
        }
    }
    /// Whether commands were accepted and never answered, so that only an answer clears the complaint.
    var doubtsDataSource: Bool { complaint == .dataSource }

    /// The session has started.
    mutating func started(at now: MonotonicInstant) {
        guard let probing else { return }
        silences = 0
        refusedInterval = probing.firstInterval
        state = .watching(
            probeAt: now + probing.firstInterval, .running(until: now + probing.silence))
    }

    /// The session is over.
    mutating func stopped() { state = .resting }

    /// Handles the deadline. It always sets the next one, whatever becomes of the action.
    mutating func handleTimeout(at now: MonotonicInstant) -> Action? {
        guard let probing, let nextDeadline, nextDeadline <= now,
            case .watching(let probeAt, let silence) = state
        else { return nil }
        if case .running(let silentAt) = silence, silentAt <= now {
            state = .watching(probeAt: probeAt, .running(until: now + probing.silence))
            // A provider that refuses access does not send announcements either (S1).
            if case .unauthorized = authorization { return nil }
            return .renew(.silent)
        }
        if case .unauthorized = authorization {
            refusedInterval = min(refusedInterval + refusedInterval, probing.refusedIntervalLimit)
        }
        state = .watching(probeAt: now + interval(probing), silence)
        return .probe
    }

    /// The provider is to be probed at once.
    mutating func doubt(at now: MonotonicInstant) { probe(at: now) }

    /// The Notification Source sent a value.
    mutating func notificationSourceReceived(at now: MonotonicInstant) {
        guard let probing else { return }
        switch state {
        case .resting: break
        case .watching(let probeAt, .running):
            state = .watching(probeAt: probeAt, .running(until: now + probing.silence))
        case .watching(let probeAt, .standing):
            state = .watching(probeAt: probeAt, .standing(left: probing.silence))
        }
    }

    /// Requests are pending, or none is any more.
    mutating func setAsking(_ isAsking: Bool, at now: MonotonicInstant) {
        switch state {
        case .watching(let probeAt, .running(let silentAt)) where isAsking:
            state = .watching(probeAt: probeAt, .standing(left: silentAt - now))
        case .watching(let probeAt, .standing(let left)) where !isAsking:
            state = .watching(probeAt: probeAt, .running(until: now + left))
        case .resting, .watching: break
        }
    }

    /// A write was answered: `nil` for success, otherwise the error.
    mutating func writeAnswered(_ error: ControlPointError?, at now: MonotonicInstant) {
        switch complaint {
        case .controlPoint: clear()
        case .earlierLink where error != nil: clear()
        case .earlierLink, .dataSource, nil: break
        }
        if let error {
            guard error.isAuthorization || error.isFromService else { return }
            authorization = error.isAuthorization ? .unauthorized(error) : .authorized
        } else {
            authorization = .authorized
        }
        guard let probing, case .watching(let due, _) = state else { return }
        if authorization == .authorized { refusedInterval = probing.firstInterval }
        // A refusal does not postpone the next probe, and neither do many refusals.
        let next = now + interval(probing)
        probe(at: authorization == .authorized ? next : min(due, next))
    }

    /// An answer has begun.
    mutating func answerBegun() { clear() }

    /// A command was not answered; `isWritten` if its write was.
    ///
    /// Without a response to the write, nothing else can be read, and the Data Source is not in doubt. A read
    /// takes as long as a command does, so it is not repeated until there is an answer.
    mutating func unanswered(isWritten: Bool, at now: MonotonicInstant) -> Action? {
        guard let probing else { return nil }
        silences += 1
        let isNews = complaint != .dataSource
        complaint = isWritten ? .dataSource : .controlPoint
        guard silences >= probing.toleratedSilences else {
            if case .watching(let due, _) = state {
                probe(at: min(due, now + probing.firstInterval))
            }
            return isWritten && isNews ? .readDataSource : nil
        }
        return escalate()
    }

    /// Nothing followed a command for so long that the link is about to be ended.
    mutating func isMute() -> Action? {
        guard probing != nil else { return nil }
        complaint = .controlPoint
        return escalate()
    }

    /// Subscribes again. If that did not help, it would not help now either.
    private mutating func escalate() -> Action? {
        silences = 0
        switch liveness {
        case .live:
            liveness = .suspect
            return .renew(.unanswered)
        case .suspect, .wedged:
            liveness = .wedged
            return nil
        }
    }

    private mutating func probe(at instant: MonotonicInstant) {
        guard case .watching(_, let silence) = state else { return }
        state = .watching(probeAt: instant, silence)
    }

    private mutating func clear() {
        silences = 0
        complaint = nil
        liveness = .live
    }

    /// The interval until the next probe, if nothing else causes one.
    private func interval(_ probing: ConsumerSession.Probing) -> Duration {
        switch authorization {
        case .unknown: min(probing.firstInterval, probing.interval)
        case .unauthorized: refusedInterval
        case .authorized: probing.interval
        }
    }
}
