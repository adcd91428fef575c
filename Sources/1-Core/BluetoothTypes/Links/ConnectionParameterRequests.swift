public import Octets

/// What a Peripheral asks of its Central so that the link lasts.
///
/// A phone may connect with a supervision timeout of 720 ms, which ends the link whenever nothing is heard for
/// that long. Both requests keep Apple's requirements for accessories (Accessory Design Guidelines, *Connection
/// Parameters*): intervals are multiples of 15 ms, the longest is 15 ms above the shortest, the timeout is 6 s,
/// and it is longer than three times the longest interval × (latency + 1).
public struct LinkParameterPolicy: Equatable, Sendable {
    /// How many connection events in a row the Peripheral may skip, 0 to 30. It saves the Peripheral's energy,
    /// and each request to it takes that much longer.
    public let latency: UInt16

    /// A policy; a latency above 30 counts as 30.
    public init(latency: UInt16 = 0) { self.latency = min(latency, 30) }

    /// What is asked for first: 30 to 45 ms, 6 s.
    public var wanted: ConnectionParameters { parameters(24...36) }

    /// What is asked for after that: 15 to 30 ms, 6 s. The phone's usual 30 ms are in both.
    public var alternative: ConnectionParameters { parameters(12...24) }

    /// The intervals are in units of 1.25 ms.
    private func parameters(_ intervals: ClosedRange<UInt16>) -> ConnectionParameters {
        ConnectionParameters(
            intervalMinimum: ConnectionInterval(rawValue: intervals.lowerBound),
            intervalMaximum: ConnectionInterval(rawValue: intervals.upperBound), latency: latency,
            supervisionTimeout: SupervisionTimeout(rawValue: 600))
    }

    /// Whether a link has what is wanted: no longer interval, this latency, no shorter timeout.
    public func isMet(
        by interval: ConnectionInterval, _ latency: UInt16, _ timeout: SupervisionTimeout
    ) -> Bool {
        interval <= wanted.intervalMaximum && latency == self.latency
            && timeout.rawValue >= wanted.supervisionTimeout.rawValue
    }
}

/// Asks the Central of one link for the parameters of a ``LinkParameterPolicy``, at most three times.
///
///     waiting ──1 s, or encrypted──▶ asked ──accepted──▶ accepted ──applied──▶ met
///        ▲                             │ refused, silent    │ not within 5 s   │ overwritten
///        └────── 1 s, once more ◀──────┴────────────────────┴──────────────────┘
///                                      └─ again, or after three requests ─▶ kept
///
/// A link that has what is wanted is not asked for, so that with such a Central there is no request at all.
/// There is no deadline once the link is *met* or *kept*.
public struct ConnectionParameterRequests: ~Copyable, Sendable {
    /// What the owner has to do, or to report.
    public enum Output: Equatable, Sendable {
        /// Request these parameters.
        case request(ConnectionParameters)
        /// The Central has decided.
        case ended(Outcome)
    }

    /// What the Central did with the requests.
    public enum Outcome: Equatable, Sendable {
        /// The link has what was requested.
        case met
        /// The Central keeps parameters of its own; it is not asked again on this link.
        case kept
    }

    private enum State: Equatable, Sendable {
        case waiting(until: MonotonicInstant)
        /// The Central has to answer. The signalling channel limits the time.
        case asked
        /// It agreed, and has to apply the parameters.
        case accepted(until: MonotonicInstant)
        case met
        case kept
    }

    /// A request five seconds after the connection was measured to be too late (PebbleOS PR 1747).
    static var delay: Duration { .seconds(1) }
    /// How long an accepted request may take to be applied.
    static var patience: Duration { .seconds(5) }
    /// The most requests on one link: no endless renegotiation.
    static var maximumRequests: Int { 3 }

    /// What is asked for.
    public let policy: LinkParameterPolicy
    private var state: State
    private var isMet: Bool
    private var requestCount = 0
    /// How many requests in a row had no effect.
    private var failureCount = 0
    private var outputs = Queue<Output>()

    /// The requests of a link, which may have what is wanted already.
    public init(
        _ policy: LinkParameterPolicy, isMet: Bool, isEncrypted: Bool, at now: MonotonicInstant
    ) {
        self.policy = policy
        self.isMet = isMet
        state = .waiting(until: now + Self.delay)
        if isEncrypted { encrypted() }
    }

    /// The link was encrypted.
    public mutating func encrypted() { if case .waiting = state, requestCount == 0 { decide() } }

    /// The parameters of the link may have changed.
    public mutating func changed(isMet: Bool, at now: MonotonicInstant) {
        self.isMet = isMet
        switch state {
        case .accepted where isMet: met()
        case .met where !isMet: state = .waiting(until: now + Self.delay)
        case .waiting, .asked, .accepted, .met, .kept: break
        }
    }

    /// The Central accepted the request, or refused it, or did not answer, which counts as a refusal.
    public mutating func answered(isAccepted: Bool, at now: MonotonicInstant) {
        guard state == .asked else { return }
        if isMet {
            met()
        } else if isAccepted {
            state = .accepted(until: now + Self.patience)
        } else {
            failed(at: now)
        }
    }

    /// Call it when ``nextDeadline`` has passed; an early call does nothing.
    public mutating func handleTimeout(at now: MonotonicInstant) {
        switch state {
        case .waiting(let until) where until <= now: decide()
        case .accepted(let until) where until <= now: failed(at: now)
        case .waiting, .asked, .accepted, .met, .kept: break
        }
    }

    /// Takes the next output. After every input, call it until it returns `nil`.
    public mutating func pollOutput() -> Output? { outputs.popFirst() }

    /// When ``handleTimeout(at:)`` is due.
    public var nextDeadline: MonotonicInstant? {
        switch state {
        case .waiting(let until), .accepted(let until): until
        case .asked, .met, .kept: nil
        }
    }

    /// Asks, if that is necessary and still allowed.
    private mutating func decide() {
        guard !isMet else {
            state = .met
            return
        }
        guard requestCount < Self.maximumRequests else { return keep() }
        state = .asked
        outputs.append(.request(requestCount == 0 ? policy.wanted : policy.alternative))
        requestCount += 1
    }

    private mutating func met() {
        failureCount = 0
        state = .met
        outputs.append(.ended(.met))
    }

    private mutating func failed(at now: MonotonicInstant) {
        failureCount += 1
        guard failureCount < 2, requestCount < Self.maximumRequests else { return keep() }
        state = .waiting(until: now + Self.delay)
    }

    private mutating func keep() {
        state = .kept
        outputs.append(.ended(.kept))
    }
}
