internal import BluetoothLE
internal import Octets

/// When an accessory is on air: always, as long as it has room for another phone. A phone answers an
/// advertisement and nothing else, so one that has died without a word is noticed by nobody: it is taken
/// off air and put back from time to time, and at once when the machine was suspended.
///
///     down ──ready──▶ idle ──room──▶ starting ──▶ on air ──▶ refreshing ─┐
///                      ▲                ▲           │ full               │
///                      └────────────────┼───────────┘                    │
///                                    waiting ◀── refused, ended ── any   │
///                                       └────────────────────────────────┘
struct AirTime: Sendable {
    /// What there is to do, or to tell.
    enum Output: Hashable, Sendable {
        case start
        case stop
        /// Whether phones can find us has changed.
        case tell(Bool)
        /// The controller refuses; it is tried again.
        case warn(Advertiser.Failure)
    }

    /// Times; none of them is prescribed.
    struct Configuration: Hashable, Sendable {
        /// How many phones may be connected.
        var maximumLinks = 1
        /// How long an advertisement is trusted to be on air.
        var trust = Duration.seconds(10 * 60)
        /// After how long a refused advertisement is tried again.
        var patience = Duration.seconds(5)
        /// After how long one that the controller has ended is put back: a phone may have connected.
        var pause = Duration.seconds(1)
    }

    private enum State: Hashable, Sendable {
        /// There is no controller, or nobody wants to advertise any more.
        case down
        case idle
        case starting
        case onAir(refreshAt: MonotonicInstant)
        case refreshing
        case waiting(startAt: MonotonicInstant)
    }

    private let configuration: Configuration
    private var state = State.down
    private var linkCount = 0
    private var isWanted: Bool
    private var isTold = false
    private var outputs = Queue<Output>()

    init(_ configuration: Configuration = Configuration(), isWanted: Bool = true) {
        self.configuration = configuration
        self.isWanted = isWanted
    }

    mutating func pollOutput() -> Output? { outputs.popFirst() }

    var nextDeadline: MonotonicInstant? {
        switch state {
        case .onAir(let refreshAt): refreshAt
        case .waiting(let startAt): startAt
        case .down, .idle, .starting, .refreshing: nil
        }
    }

    private var hasRoom: Bool { linkCount < configuration.maximumLinks }

    /// The controller is ready.
    mutating func ready() {
        state = .idle
        proceed()
    }

    /// The controller failed; it forgets its advertisement.
    mutating func reset() {
        state = .down
        isTold = false
    }

    /// Whether anybody wants to be found.
    mutating func setWanted(_ isWanted: Bool) {
        guard exchange(&self.isWanted, with: isWanted) != isWanted else { return }
        switch state {
        case .down: break
        case .idle: proceed()
        case .waiting:
            state = .idle
            proceed()
        // Nothing is on air yet, so that nothing tells of its end.
        case .starting: outputs.append(isWanted ? .start : .stop)
        case .onAir:
            state = .refreshing
            outputs.append(.stop)
        // What comes next is decided when it is off air.
        case .refreshing: break
        }
    }

    /// Something else is to be on air.
    mutating func contentChanged() {
        switch state {
        case .starting, .onAir: if isWanted { outputs.append(.start) }
        case .down, .idle, .refreshing, .waiting: break
        }
    }

    /// So many phones are connected now.
    mutating func linksChanged(to count: Int) {
        linkCount = count
        switch state {
        case .waiting: state = .idle
        case .down, .idle, .starting, .onAir, .refreshing: break
        }
        proceed()
    }

    /// It is on air.
    mutating func started(at now: MonotonicInstant) {
        guard isWanted else {
            state = .refreshing
            return
        }
        tell(true)
        state = .onAir(refreshAt: now + configuration.trust)
        if !hasRoom { outputs.append(.stop) }
    }

    /// It is off air.
    mutating func stopped(_ reason: Advertiser.StopReason, at now: MonotonicInstant) {
        let wasRefreshing = state == .refreshing
        if state != .down { state = .idle }
        switch reason {
        case .requested where wasRefreshing && hasRoom && isWanted: proceed()
        case .requested, .connected:
            tell(false)
            // There may be room for another phone.
            proceed()
        case .ended:
            tell(false)
            if state != .down { state = .waiting(startAt: now + configuration.pause) }
        }
    }

    /// The controller refuses. With phones connected it may not be able to do better.
    mutating func failed(_ failure: Advertiser.Failure, at now: MonotonicInstant) {
        guard state != .down else { return }
        tell(false)
        guard isWanted else {
            state = .idle
            return
        }
        outputs.append(.warn(failure))
        state = linkCount > 0 ? .idle : .waiting(startAt: now + configuration.patience)
    }

    /// The machine was suspended; what the controller did meanwhile is not known.
    mutating func resumed() {
        refresh()
    }

    mutating func handleTimeout(at now: MonotonicInstant) {
        switch state {
        case .onAir(let refreshAt) where refreshAt <= now: refresh()
        case .waiting(let startAt) where startAt <= now:
            state = .idle
            proceed()
        case .down, .idle, .starting, .onAir, .refreshing, .waiting: break
        }
    }

    private mutating func refresh() {
        guard case .onAir = state else { return }
        state = .refreshing
        outputs.append(.stop)
    }

    private mutating func proceed() {
        guard isWanted, hasRoom, state == .idle else { return }
        state = .starting
        outputs.append(.start)
    }

    private mutating func tell(_ isOnAir: Bool) {
        guard isTold != isOnAir else { return }
        isTold = isOnAir
        outputs.append(.tell(isOnAir))
    }
}
