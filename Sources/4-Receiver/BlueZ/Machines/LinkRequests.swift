public import BluetoothTypes

/// Asks the Central of one of bluetoothd's links for parameters with which it lasts. bluetoothd has no call for
/// that, so the command goes past it to the controller (LE Connection Update), which needs the link's handle.
/// The kernel knows a link by the peer's address, and gives it another one while the peer pairs: the link is
/// looked for once a second, five times, by the address of the moment.
///
///     ConnectionParameterRequests ─request─▶ look ─found─▶ send ─Command Status─▶ answered
///                                                          └─LE Connection Update Complete─▶ changed
public struct LinkRequests: ~Copyable, Sendable {
    /// What to do, or to report.
    public enum Output: Equatable, Sendable {
        /// Look for the link from this address, and report it to ``found(_:at:)``.
        case look(String)
        /// Send the command.
        case send(LinkUpdateCommand)
        /// It is over; what the link has now, if that is known, and whether the Central keeps its own although
        /// it was asked for more. The last output.
        case ended(LinkUpdate?, isKept: Bool)
    }

    private enum State {
        case resting
        case looking(ConnectionParameters, count: Int, next: MonotonicInstant)
        /// The controller has to confirm the command.
        case sent(until: MonotonicInstant)
        case over
    }

    /// How often to look for the link.
    private static var maximumLooks: Int { 5 }
    /// The pause between two looks.
    private static var pause: Duration { .seconds(1) }
    /// How long the controller may take to confirm a command.
    private static var patience: Duration { .seconds(5) }

    private var requests: ConnectionParameterRequests
    private var state = State.resting
    private var address: String
    private var handle: ConnectionHandle?
    private var last: LinkUpdate?
    private var outputs = Queue<Output>()

    /// The requests for a new link, whose parameters are not known.
    public init(_ policy: LinkParameterPolicy, address: String, at now: MonotonicInstant) {
        requests = ConnectionParameterRequests(policy, isMet: false, isEncrypted: false, at: now)
        self.address = address
    }

    /// Pairing has revealed the identity address of the peer.
    public mutating func addressChanged(to address: String) { self.address = address }

    /// The link from the address that was looked for; `nil` if there is none at present.
    public mutating func found(_ handle: ConnectionHandle?, at now: MonotonicInstant) {
        guard case .looking(let parameters, let count, _) = state else { return }
        if let handle {
            self.handle = handle
            state = .sent(until: now + Self.patience)
            outputs.append(.send(LinkUpdateCommand(handle: handle, parameters: parameters)))
        } else if count < Self.maximumLooks {
            state = .looking(parameters, count: count, next: now + Self.pause)
        } else {
            end(isKept: false)
        }
    }

    /// The controller reported an event.
    public mutating func receive(_ event: LinkUpdateEvent, at now: MonotonicInstant) {
        switch event {
        case .status(let status):
            guard case .sent = state else { return }
            answered(isAccepted: status == .success, at: now)
        case .complete(let status, let update):
            guard update.handle == handle, status == .success else { return }
            last = update
            requests.changed(
                isMet: requests.policy.isMet(
                    by: update.interval, update.latency, update.supervisionTimeout), at: now)
            drain(at: now)
        }
    }

    /// Call it when ``nextDeadline`` has passed; an early call does nothing.
    public mutating func handleTimeout(at now: MonotonicInstant) {
        switch state {
        case .looking(let parameters, let count, let next) where next <= now:
            look(parameters, count: count + 1, at: now)
        case .sent(let until) where until <= now: answered(isAccepted: false, at: now)
        case .resting, .looking, .sent, .over: break
        }
        guard case .over = state else {
            requests.handleTimeout(at: now)
            return drain(at: now)
        }
    }

    /// Takes the next output. After every input, call it until it returns `nil`.
    public mutating func pollOutput() -> Output? { outputs.popFirst() }

    /// When ``handleTimeout(at:)`` is due.
    public var nextDeadline: MonotonicInstant? {
        switch state {
        case .resting: requests.nextDeadline
        case .looking(_, _, let next): next
        case .sent(let until): until
        case .over: nil
        }
    }

    private mutating func look(
        _ parameters: ConnectionParameters, count: Int, at now: MonotonicInstant
    ) {
        state = .looking(parameters, count: count, next: now + Self.pause)
        outputs.append(.look(address))
    }

    private mutating func answered(isAccepted: Bool, at now: MonotonicInstant) {
        state = .resting
        requests.answered(isAccepted: isAccepted, at: now)
        drain(at: now)
    }

    private mutating func drain(at now: MonotonicInstant) {
        while let output = requests.pollOutput() {
            switch output {
            case .request(let parameters): look(parameters, count: 1, at: now)
            case .ended(let outcome): end(isKept: outcome == .kept)
            }
        }
    }

    private mutating func end(isKept: Bool) {
        state = .over
        outputs.append(.ended(last, isKept: isKept))
    }
}
