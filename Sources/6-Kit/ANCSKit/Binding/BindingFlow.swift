internal import Octets

/// How an app finds and keeps its accessory: the flow of Apple's *Best Practices for Interacting with a
/// Remote Peripheral Device*, and unbinding as apps of ANCS accessories need it.
///
///     bound? ─ yes ─▶ retrieve by identifier ─ known ─▶ connect, for as long as it takes
///       │ no                │ unknown to the system           │
///       ▼                   ▼                                 ▼
///     connected to the system with the service? ─ yes ─▶ connect ─▶ remember the identifier
///       │ no                                                ▲
///       ▼                                                   │
///     scan for the service ─ strongest of the first ones ───┘
///
/// An accessory found only by its overflow area, which is just a hint, is asked for its services once it is
/// connected. Without the service it is disconnected, and skipped until the user asks again.
///
/// After a lost link, the flow starts with the first step again. The owner of a flow carries out its outputs
/// and reports the results.
struct BindingFlow: ~Copyable, Sendable {
    struct Configuration: Equatable, Sendable {
        /// How long after the first candidate a scan continues.
        var candidateTime = Duration.milliseconds(500)
        /// How long an accessory that is not bound yet may take to connect.
        var connectionTimeout = Duration.seconds(10)
        /// The longest pause between attempts.
        var longestPause = Duration.seconds(30)
        /// A link of at least this length was not a failure.
        var steadyTime = Duration.seconds(10)
    }

    enum Output: Equatable, Sendable {
        /// Is the peripheral known to the system? Answer with `retrieved`.
        case retrieve(PeerIdentifier)
        /// Find connected devices with the service. Answer with `retrievedConnected`.
        case retrieveConnected
        case startScanning
        case stopScanning
        /// Ends in `connected` or `connectingFailed`.
        case connect(PeerIdentifier, timeout: Duration?)
        /// Does the connected peripheral have one of the services? Answer with `verified`.
        case verify(PeerIdentifier)
        /// Cancel connecting, or disconnect. No more events about the peripheral follow.
        case cancel(PeerIdentifier)
        /// Store this binding.
        case store(StoredBinding)
        case report(AccessoryBinding.Event)
    }

    /// An accessory discovered by a scan.
    private struct Candidate {
        var identifier: PeerIdentifier
        var rssi: Int
        /// Whether it advertises the service; otherwise its overflow area may contain it.
        var isCertain: Bool
    }

    private enum State {
        /// Nothing is in progress: no accessory is wanted, or Bluetooth is off.
        case resting
        case askingForConnected
        /// No candidate was discovered yet.
        case scanning
        case choosing(Candidate, until: MonotonicInstant)
        /// One accessory was chosen.
        case engaged(PeerIdentifier, Engagement)
        /// The last attempt failed.
        case pausing(until: MonotonicInstant)
    }

    /// The progress with the chosen accessory.
    private enum Engagement {
        case retrieving
        /// It is being connected; if it is not certain to have the service, its services are verified next.
        case connecting(isCertain: Bool)
        /// It is connected, and its services are being verified.
        case verifying(name: String?)
        case connected(since: MonotonicInstant)
    }

    private let configuration: Configuration
    private var state = State.resting
    private(set) var stored: StoredBinding
    /// Whether the app was launched, or the user asked for an accessory.
    private var isWanted = false
    private var isPoweredOn = false
    /// Failed attempts in a row.
    private var failures = 0
    /// The last devices that turned out not to have the service.
    private var strangers: [PeerIdentifier] = []
    private static var strangerLimit: Int { 16 }
    private var outputs = Queue<Output>()
    /// The state that was reported last.
    private var reportedState: AccessoryBinding.State?

    init(stored: StoredBinding, configuration: Configuration = Configuration()) {
        self.stored = stored
        self.configuration = configuration
        reportedState = publicState
    }

    mutating func pollOutput() -> Output? { outputs.popFirst() }

    var nextDeadline: MonotonicInstant? {
        switch state {
        case .choosing(_, let deadline), .pausing(let deadline): deadline
        case .resting, .askingForConnected, .scanning, .engaged: nil
        }
    }

    var publicState: AccessoryBinding.State {
        switch state {
        case .engaged(let identifier, .connected): return .connected(identifier)
        case .engaged(let identifier, .retrieving), .engaged(let identifier, .connecting),
            .engaged(let identifier, .verifying):
            return .connecting(identifier)
        case .askingForConnected, .scanning, .choosing: return .searching
        case .resting, .pausing: break
        }
        switch stored {
        case .justUnbound: return .justUnbound
        case .unbound: return isWanted ? .searching : .unbound
        case .bound(let identifier, _):
            return isWanted ? .connecting(identifier) : .bound(identifier)
        }
    }

    // MARK: What the app and its user want

    /// The app was launched; does nothing if the user has unbound an accessory.
    mutating func launch() {
        if stored == .justUnbound { return outputs.append(.report(.justUnbound)) }
        want()
    }

    /// The user asks for an accessory. A bound one stays bound.
    mutating func bind() {
        if stored == .justUnbound { store(.unbound) }
        want()
    }

    private mutating func want() {
        guard !isWanted else { return }
        isWanted = true
        failures = 0
        strangers = []
        begin()
        reportState()
    }

    /// The user no longer wants the accessory; that has been stored.
    mutating func unbind() {
        stored = .justUnbound
        isWanted = false
        switch exchange(&state, with: .resting) {
        case .resting, .askingForConnected, .engaged(_, .retrieving), .pausing: break
        case .scanning, .choosing: outputs.append(.stopScanning)
        case .engaged(let identifier, .connecting), .engaged(let identifier, .verifying),
            .engaged(let identifier, .connected):
            outputs.append(.cancel(identifier))
        }
        outputs.append(.report(.unbound))
        reportState()
    }

    // MARK: What came of it

    /// Bluetooth was switched on, or off, which ends everything in progress.
    mutating func powerChanged(isOn: Bool, at now: MonotonicInstant) {
        guard exchange(&isPoweredOn, with: isOn) != isOn else { return }
        if isOn {
            begin()
        } else if case .engaged(let identifier, .connecting) = exchange(&state, with: .resting) {
            // Otherwise it would still be pending at the next attempt.
            outputs.append(.cancel(identifier))
        }
        reportState()
    }

    private mutating func begin() {
        guard isWanted, isPoweredOn else { return }
        switch state {
        case .resting, .pausing: break
        case .askingForConnected, .scanning, .choosing, .engaged: return
        }
        if case .bound(let identifier, _) = stored {
            state = .engaged(identifier, .retrieving)
            outputs.append(.retrieve(identifier))
        } else {
            askForConnected()
        }
    }

    private mutating func askForConnected() {
        state = .askingForConnected
        outputs.append(.retrieveConnected)
    }

    mutating func retrieved(isKnown: Bool) {
        guard case .engaged(let identifier, .retrieving) = state else { return }
        if isKnown {
            connect(to: identifier, timeout: nil)
        } else {
            outputs.append(.report(.accessoryUnknown(identifier)))
            askForConnected()
            reportState()
        }
    }

    mutating func retrievedConnected(_ identifiers: [PeerIdentifier]) {
        guard case .askingForConnected = state else { return }
        if let first = identifiers.first {
            connect(to: first, timeout: configuration.connectionTimeout)
        } else {
            state = .scanning
            outputs.append(.startScanning)
        }
    }

    /// A scan discovered an accessory; not `isCertain` if only its overflow area contains the service.
    mutating func discovered(
        _ identifier: PeerIdentifier, rssi: Int?, isCertain: Bool = true, at now: MonotonicInstant
    ) {
        guard isCertain || !strangers.contains(identifier) else { return }
        let candidate = Candidate(
            identifier: identifier, rssi: rssi ?? Int.min, isCertain: isCertain)
        switch state {
        case .scanning:
            state = .choosing(candidate, until: now + configuration.candidateTime)
            if configuration.candidateTime == .zero { choose() }
        case .choosing(let best, let deadline):
            if candidate.rssi > best.rssi { state = .choosing(candidate, until: deadline) }
        case .resting, .askingForConnected, .engaged, .pausing: break
        }
    }

    /// Scanning failed.
    mutating func scanningFailed(at now: MonotonicInstant) {
        switch state {
        case .scanning, .choosing:
            failures += 1
            pause(at: now)
        case .resting, .askingForConnected, .engaged, .pausing: break
        }
    }

    /// Pairing revealed that the system knew an accessory by another identifier.
    mutating func identified(_ former: PeerIdentifier, as identifier: PeerIdentifier) {
        if case .bound(former, let name) = stored { store(.bound(identifier, name: name)) }
        if case .engaged(former, let engagement) = state {
            state = .engaged(identifier, engagement)
        }
        reportState()
    }

    /// The name of an accessory is known.
    mutating func named(_ identifier: PeerIdentifier, _ name: String?) {
        guard let name, case .bound(identifier, let known) = stored, name != known else { return }
        store(.bound(identifier, name: name))
    }

    mutating func handleTimeout(at now: MonotonicInstant) {
        guard let deadline = nextDeadline, deadline <= now else { return }
        if case .choosing = state { choose() } else { begin() }
    }

    private mutating func choose() {
        guard case .choosing(let candidate, _) = state else { return }
        outputs.append(.stopScanning)
        connect(
            to: candidate.identifier, isCertain: candidate.isCertain,
            timeout: configuration.connectionTimeout)
    }

    private mutating func connect(
        to identifier: PeerIdentifier, isCertain: Bool = true, timeout: Duration?
    ) {
        state = .engaged(identifier, .connecting(isCertain: isCertain))
        outputs.append(.connect(identifier, timeout: timeout))
        reportState()
    }

    mutating func connected(_ identifier: PeerIdentifier, name: String?, at now: MonotonicInstant) {
        guard case .engaged(identifier, .connecting(let isCertain)) = state else { return }
        guard !isCertain else { return keep(identifier, name: name, at: now) }
        state = .engaged(identifier, .verifying(name: name))
        outputs.append(.verify(identifier))
    }

    /// Whether a peripheral has one of the services is known.
    mutating func verified(_ identifier: PeerIdentifier, _ isOurs: Bool, at now: MonotonicInstant) {
        guard case .engaged(identifier, .verifying(let name)) = state else { return }
        guard !isOurs else { return keep(identifier, name: name, at: now) }
        strangers = strangers.suffix(Self.strangerLimit - 1) + [identifier]
        outputs.append(.cancel(identifier))
        failures += 1
        pause(at: now)
    }

    private mutating func keep(
        _ identifier: PeerIdentifier, name: String?, at now: MonotonicInstant
    ) {
        state = .engaged(identifier, .connected(since: now))
        if case .bound(identifier, let known) = stored {
            if let name, name != known { store(.bound(identifier, name: name)) }
        } else {
            store(.bound(identifier, name: name))
            outputs.append(.report(.bound(identifier, name: name)))
        }
        reportState()
    }

    mutating func connectingFailed(_ identifier: PeerIdentifier, at now: MonotonicInstant) {
        guard case .engaged(identifier, .connecting) = state else { return }
        failures += 1
        pause(at: now)
    }

    mutating func disconnected(_ identifier: PeerIdentifier, at now: MonotonicInstant) {
        switch state {
        case .engaged(identifier, .connected(let since)):
            failures = now - since < configuration.steadyTime ? failures + 1 : 0
        case .engaged(identifier, .verifying): failures += 1
        case .resting, .askingForConnected, .scanning, .choosing, .engaged, .pausing: return
        }
        pause(at: now)
    }

    /// Pauses before the next attempt: not at all after a lasting link, otherwise 1 s, 2 s, 4 s and so on.
    private mutating func pause(at now: MonotonicInstant) {
        let exponent = min(failures, 16) - 1
        let pause = exponent < 0 ? .zero : Duration.seconds(1 << exponent)
        state = .pausing(until: now + min(pause, configuration.longestPause))
        if pause == .zero { begin() }
        reportState()
    }

    private mutating func store(_ binding: StoredBinding) {
        stored = binding
        outputs.append(.store(binding))
    }

    private mutating func reportState() {
        let state = publicState
        guard exchange(&reportedState, with: state) != state else { return }
        outputs.append(.report(.stateChanged(state)))
    }
}
