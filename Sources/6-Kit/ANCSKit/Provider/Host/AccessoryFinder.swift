internal import Octets

/// Decides which advertisers a phone connects to, and when: those that solicit ANCS (S30) and those that are
/// bonded, one after the other, with pauses.
///
/// The phone does not scan while a connection is being established, because not every controller can do both.
struct AccessoryFinder: ~Copyable {
    /// The configuration of the finder.
    struct Configuration: Equatable, Sendable {
        /// The names or addresses of the accessories to connect to; empty for all.
        var allowed: [String] = []
        /// Whether those need not solicit ANCS.
        var acceptsAll = false
        /// The maximum number of links.
        var maximumLinks = 16
        /// The pause after a failed attempt; it doubles each time.
        var retryInterval = Duration.seconds(1)
        /// The longest pause. It is short, because developers of firmware wait for it after every failure.
        var retryIntervalLimit = Duration.seconds(8)
        /// The pause after a link that ended normally.
        var reconnectInterval = Duration.milliseconds(250)
        /// The pause before scanning is tried again after a failure.
        var scanInterval = Duration.seconds(5)
        /// How long to wait for a scan response, which may have the name.
        var scanResponseInterval = Duration.milliseconds(200)
        /// How many advertisers are remembered.
        var maximumCandidates = 64
    }

    /// What was received of an advertiser.
    struct Sighting: Equatable, Sendable {
        /// The peer, whatever address it uses.
        var peer: PeerKey
        /// Its known addresses, as `F0:F1:F2:F3:F4:F5`.
        var addresses: [String]
        /// Whether it is bonded.
        var isBonded: Bool
        /// The advertised name.
        var name: String?
        /// Whether it can be connected to.
        var isConnectable: Bool
        /// Whether it solicits ANCS.
        var solicitsANCS: Bool
        /// Whether its scan response has arrived, or adds nothing.
        var isComplete = true
    }

    /// What to do, or to report.
    enum Output: Equatable, Sendable {
        case startScanning
        case stopScanning
        case discovered(Sighting)
        case connect(Sighting)
        case cancelConnecting
    }

    private enum State: Equatable {
        /// There is no controller, or no accessory is wanted.
        case off
        case scanning
        case connecting(PeerKey)
        /// The limit of links is reached, or the controller cannot scan.
        case resting
    }

    /// An advertiser that the phone may connect to.
    struct Candidate {
        var sighting: Sighting
        /// Whether it was received since the last attempt.
        var isHeard = true
        /// Whether it was reported to the owner.
        var isReported = false
        var isConnected = false
        var failures = 0
        var notBefore: MonotonicInstant?
        /// How long to wait for its scan response.
        var completeBy: MonotonicInstant?

        /// When to connect to it; `nil` for at once.
        var dueAt: MonotonicInstant? {
            guard let notBefore, let completeBy else { return notBefore ?? completeBy }
            return max(notBefore, completeBy)
        }
    }

    private let configuration: Configuration
    private var state = State.off
    /// In the order in which they were last received.
    private(set) var candidates: [Candidate] = []
    /// When to try to scan again.
    private var scanAgainAt: MonotonicInstant?
    private var outputs = Queue<Output>()

    init(configuration: Configuration) { self.configuration = configuration }

    // MARK: Inputs

    /// The controller is ready.
    mutating func start(at now: MonotonicInstant) {
        guard state == .off else { return }
        for index in candidates.indices { candidates[index].isConnected = false }
        next(at: now)
    }

    /// The controller and all links are gone; or no more accessories are wanted.
    mutating func stop() {
        switch state {
        case .off, .resting: break
        case .scanning: outputs.append(.stopScanning)
        case .connecting: outputs.append(.cancelConnecting)
        }
        state = .off
    }

    /// Advertising was received.
    mutating func heard(_ sighting: Sighting, at now: MonotonicInstant) {
        guard isWanted(sighting) else { return }
        var candidate: Candidate
        if let index = index(of: sighting.peer) {
            candidate = candidates.remove(at: index)
            let name = sighting.name ?? candidate.sighting.name
            candidate.sighting = sighting
            candidate.sighting.name = name
            candidate.isHeard = !candidate.isConnected
        } else {
            makeRoom()
            candidate = Candidate(sighting: sighting)
            candidate.completeBy = now + configuration.scanResponseInterval
        }
        if sighting.isComplete { candidate.completeBy = nil }
        candidates.append(candidate)
        if candidate.completeBy == nil { report(of: candidates.count - 1) }
        if state == .scanning { next(at: now) }
    }

    private mutating func report(of index: Int) {
        guard !candidates[index].isConnected, !exchange(&candidates[index].isReported, with: true)
        else { return }
        outputs.append(.discovered(candidates[index].sighting))
    }

    /// A link to an advertiser was established.
    mutating func connected(_ peer: PeerKey, at now: MonotonicInstant) {
        if let index = index(of: peer) {
            candidates[index].isConnected = true
            candidates[index].isHeard = false
            candidates[index].isReported = false
        }
        guard case .connecting = state else { return }
        next(at: now)
    }

    /// Connecting to an advertiser failed.
    mutating func connectingFailed(at now: MonotonicInstant) {
        guard case .connecting(let peer) = state else { return }
        if let index = index(of: peer) { postpone(index, at: now) }
        next(at: now)
    }

    /// Scanning failed; there will be another attempt.
    mutating func scanningFailed(at now: MonotonicInstant) {
        guard state == .scanning else { return }
        state = .resting
        scanAgainAt = now + configuration.scanInterval
    }

    /// An advertiser turned out to be another one, which is connected: it is known by that one from now on.
    mutating func merged(_ peer: PeerKey) { candidates.removeAll { $0.sighting.peer == peer } }

    /// A link ended. `wasUseful` says that it was more than an attempt.
    mutating func disconnected(_ peer: PeerKey, wasUseful: Bool, at now: MonotonicInstant) {
        if let index = index(of: peer) {
            candidates[index].isConnected = false
            if wasUseful {
                candidates[index].failures = 0
                candidates[index].notBefore = now + configuration.reconnectInterval
            } else {
                postpone(index, at: now)
            }
        }
        switch state {
        case .off, .connecting: break
        case .scanning: restartScan(at: now)
        case .resting: next(at: now)
        }
    }

    /// A bond was removed: the accessory is unknown, and may be connected to at once.
    mutating func forget(_ peer: PeerKey, at now: MonotonicInstant) {
        if let index = index(of: peer) {
            candidates[index].sighting.isBonded = false
            candidates[index].isHeard = false
            candidates[index].failures = 0
            candidates[index].notBefore = nil
        }
        if state == .scanning { restartScan(at: now) }
    }

    /// A scanner that filters duplicates would not report an accessory that is still advertising, or again.
    private mutating func restartScan(at now: MonotonicInstant) {
        outputs.append(.stopScanning)
        state = .resting
        next(at: now)
    }

    mutating func handleTimeout(at now: MonotonicInstant) {
        guard let deadline = nextDeadline, deadline <= now else { return }
        next(at: now)
    }

    var nextDeadline: MonotonicInstant? {
        switch state {
        case .off, .connecting: return nil
        case .resting: return scanAgainAt
        case .scanning: break
        }
        var deadline: MonotonicInstant?
        for candidate in candidates where candidate.isHeard && !candidate.isConnected {
            deadline = .earliest(deadline, candidate.dueAt)
        }
        return deadline
    }

    mutating func pollOutput() -> Output? { outputs.popFirst() }

    // MARK: Decisions

    /// Whether accessories need not solicit ANCS.
    var acceptsAll: Bool { configuration.acceptsAll }

    /// Whether the phone may connect to an advertiser.
    func isWanted(_ sighting: Sighting) -> Bool {
        sighting.isConnectable && isWantedOnceConnectable(sighting)
    }

    /// Whether the phone may connect to an advertiser if it accepts connections.
    func isWantedOnceConnectable(_ sighting: Sighting) -> Bool {
        guard
            sighting.solicitsANCS || sighting.isBonded || configuration.acceptsAll
        else { return false }
        guard !configuration.allowed.isEmpty else { return true }
        return configuration.allowed.contains { allowed in
            allowed == sighting.name || sighting.addresses.contains(allowed.uppercased())
        }
    }

    private func index(of peer: PeerKey) -> Int? {
        candidates.firstIndex { $0.sighting.peer == peer }
    }

    /// Drops the advertiser that was received longest ago and is not connected.
    private mutating func makeRoom() {
        guard candidates.count >= configuration.maximumCandidates else { return }
        guard let index = candidates.firstIndex(where: { !$0.isConnected }) else { return }
        candidates.remove(at: index)
    }

    private mutating func postpone(_ index: Int, at now: MonotonicInstant) {
        var wait = configuration.retryInterval
        for _ in 0..<min(candidates[index].failures, 16) { wait = wait * 2 }
        candidates[index].failures += 1
        candidates[index].notBefore = now + min(wait, configuration.retryIntervalLimit)
    }

    /// Connects to an advertiser that is due, or scans.
    private mutating func next(at now: MonotonicInstant) {
        scanAgainAt = nil
        guard candidates.count(where: \.isConnected) < configuration.maximumLinks else {
            if exchange(&state, with: .resting) == .scanning { outputs.append(.stopScanning) }
            return
        }
        let due = candidates.indices.first { index in
            let candidate = candidates[index]
            guard candidate.isHeard, !candidate.isConnected else { return false }
            return candidate.dueAt.map { $0 <= now } ?? true
        }
        guard let due else {
            if exchange(&state, with: .scanning) != .scanning { outputs.append(.startScanning) }
            return
        }
        report(of: due)
        if state == .scanning { outputs.append(.stopScanning) }
        candidates[due].isHeard = false
        candidates[due].completeBy = nil
        state = .connecting(candidates[due].sighting.peer)
        outputs.append(.connect(candidates[due].sighting))
    }
}
