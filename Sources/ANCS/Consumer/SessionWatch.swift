internal import Octets

/// What a session knows of its provider: whether it lets us read, whether it does its part, and when it
/// is to be asked. The states are drawn at ``ConsumerSession``.
struct SessionWatch: Sendable {
    /// What there is to do.
    enum Action: Hashable, Sendable {
        case probe
        case readSubscriptions
        case renew(ConsumerSession.RenewalReason)
    }

    private let probing: ConsumerSession.Probing?
    private(set) var authorization = ConsumerSession.Authorization.unknown
    private(set) var liveness: ConsumerSession.Liveness
    /// Commands in a row that were not answered.
    private var silences = 0
    /// What of the provider was silent, and clears it when it speaks.
    private var complaint: Complaint?
    private var refusedInterval: Duration
    private var state = State.resting

    private enum State: Hashable, Sendable {
        /// There is no session, or nothing is probed.
        case resting
        /// When the Control Point is asked, and how long the Notification Source may be silent still.
        case watching(probeAt: MonotonicInstant, SilenceClock)
    }

    private enum Complaint: Hashable, Sendable {
        /// One of the two, on an earlier link: an accepted command proves nothing.
        case earlierLink
        case controlPoint
        case dataSource
    }

    /// How long the Notification Source may be silent still. While something is asked for the clock stands
    /// still: what is announced already waits for that, and would wait once more in the next session.
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
    /// Whether commands were accepted and no answer came, so that only an answer shows its health.
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
    mutating func stopped() {
        state = .resting
    }

    /// The deadline may have passed. The next one is always set here, whatever becomes of the action.
    mutating func handleTimeout(at now: MonotonicInstant) -> Action? {
        guard let probing, let nextDeadline, nextDeadline <= now,
            case .watching(let probeAt, let silence) = state
        else { return nil }
        if case .running(let silentAt) = silence, silentAt <= now {
            state = .watching(probeAt: probeAt, .running(until: now + probing.silence))
            // Who does not let us read does not tell us anything either (S1).
            if case .unauthorized = authorization { return nil }
            return .renew(.silent)
        }
        if case .unauthorized = authorization {
            refusedInterval = min(refusedInterval + refusedInterval, probing.refusedIntervalLimit)
        }
        state = .watching(probeAt: now + interval(probing), silence)
        return .probe
    }

    /// It is to be asked at once.
    mutating func doubt(at now: MonotonicInstant) {
        probe(at: now)
    }

    /// The Notification Source was not silent.
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

    /// Something is asked for, or nothing is any more.
    mutating func setAsking(_ isAsking: Bool, at now: MonotonicInstant) {
        switch state {
        case .watching(let probeAt, .running(let silentAt)) where isAsking:
            state = .watching(probeAt: probeAt, .standing(left: silentAt - now))
        case .watching(let probeAt, .standing(let left)) where !isAsking:
            state = .watching(probeAt: probeAt, .running(until: now + left))
        case .resting, .watching: break
        }
    }

    /// A write was answered: `nil`, or an error.
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
        // A refusal does not put off the next question, so that many of them do not either.
        let next = now + interval(probing)
        probe(at: authorization == .authorized ? next : min(due, next))
    }

    /// An answer has begun.
    mutating func answerBegun() {
        clear()
    }

    /// A command was not answered; `isWritten` if its write was.
    mutating func unanswered(isWritten: Bool, at now: MonotonicInstant) -> Action? {
        guard let probing else { return nil }
        silences += 1
        complaint = isWritten ? .dataSource : .controlPoint
        guard silences >= probing.toleratedSilences else {
            if case .watching(let due, _) = state {
                probe(at: min(due, now + probing.firstInterval))
            }
            return .readSubscriptions
        }
        silences = 0
        switch liveness {
        case .live:
            liveness = .suspect
            return .renew(.unanswered)
        case .suspect, .wedged:
            // To subscribe again has not helped, and would not.
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

    /// How long until the next question, if there is no other reason to ask.
    private func interval(_ probing: ConsumerSession.Probing) -> Duration {
        switch authorization {
        case .unknown: min(probing.firstInterval, probing.interval)
        case .unauthorized: refusedInterval
        case .authorized: probing.interval
        }
    }
}
