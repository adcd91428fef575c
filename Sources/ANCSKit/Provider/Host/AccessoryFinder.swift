internal import Octets

/// Decides which of the advertisers in range a phone connects to, and when: those that solicit ANCS
/// (S30) and those that it is bonded with, one after the other, and never in a tight loop.
///
/// While a connection is being made the phone does not scan: not every controller can do both.
struct AccessoryFinder: ~Copyable {
    /// What the finder is to do.
    struct Configuration: Hashable, Sendable {
        /// Whom to connect to, by name or address; empty for everybody.
        var allowed: [String] = []
        /// How many links there may be.
        var maximumLinks = 16
        /// How long to wait before the first attempt after a failed one; doubled each time.
        var retryInterval = Duration.seconds(1)
        /// The longest wait. Short, since who mends firmware waits for it after every failure.
        var retryIntervalLimit = Duration.seconds(8)
        /// How long to wait where nothing went wrong.
        var reconnectInterval = Duration.milliseconds(250)
        /// How long to wait where the controller does not scan.
        var scanInterval = Duration.seconds(5)
        /// How long to wait for a scan response, which may have the name.
        var scanResponseInterval = Duration.milliseconds(200)
        /// How many advertisers are remembered.
        var maximumCandidates = 64
    }

    /// What was heard of an advertiser.
    struct Sighting: Hashable, Sendable {
        /// Who it is, whatever address it uses.
        var peer: PeerKey
        /// The addresses that it is known by, as `F0:F1:F2:F3:F4:F5`.
        var addresses: [String]
        /// Whether it is bonded.
        var isBonded: Bool
        /// The name that it advertises.
        var name: String?
        /// Whether it can be connected to.
        var isConnectable: Bool
        /// Whether it solicits ANCS.
        var solicitsANCS: Bool
        /// Whether its scan response came, or will not say more.
        var isComplete = true
    }

    /// What to do, or to tell.
    enum Output: Hashable, Sendable {
        case startScanning
        case stopScanning
        case discovered(Sighting)
        case connect(Sighting)
        case cancelConnecting
    }

    private enum State: Hashable {
        /// The controller is not there, or nobody is wanted.
        case off
        case scanning
        case connecting(PeerKey)
        /// There are as many links as there may be, or the controller does not scan.
        case resting
    }

    /// An advertiser that is wanted.
    private struct Candidate {
        var sighting: Sighting
        /// Heard since the last attempt.
        var isHeard = true
        /// The owner knows of it.
        var isTold = false
        var isConnected = false
        var failures = 0
        var notBefore: MonotonicInstant?
        /// Until when more may be heard of it.
        var completeBy: MonotonicInstant?

        /// When it may be connected to; `nil` for at once.
        var dueAt: MonotonicInstant? {
            guard let notBefore, let completeBy else { return notBefore ?? completeBy }
            return max(notBefore, completeBy)
        }
    }

    private let configuration: Configuration
    private var state = State.off
    /// The one that was heard longest ago first.
    private var candidates: [Candidate] = []
    /// When to try again to scan.
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

    /// The controller is gone, and all links with it; or nobody new is wanted.
    mutating func stop() {
        switch state {
        case .off, .resting: break
        case .scanning: outputs.append(.stopScanning)
        case .connecting: outputs.append(.cancelConnecting)
        }
        state = .off
    }

    /// An advertiser was heard.
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
        if candidate.completeBy == nil { tell(of: candidates.count - 1) }
        if state == .scanning { next(at: now) }
    }

    private mutating func tell(of index: Int) {
        guard !candidates[index].isConnected, !exchange(&candidates[index].isTold, with: true)
        else { return }
        outputs.append(.discovered(candidates[index].sighting))
    }

    /// A link to an advertiser was made.
    mutating func connected(_ peer: PeerKey, at now: MonotonicInstant) {
        if let index = index(of: peer) {
            candidates[index].isConnected = true
            candidates[index].isHeard = false
            candidates[index].isTold = false
        }
        guard case .connecting = state else { return }
        next(at: now)
    }

    /// No link to an advertiser could be made.
    mutating func connectingFailed(at now: MonotonicInstant) {
        guard case .connecting(let peer) = state else { return }
        if let index = index(of: peer) { postpone(index, at: now) }
        next(at: now)
    }

    /// The controller does not scan; it is asked again after a while.
    mutating func scanningFailed(at now: MonotonicInstant) {
        guard state == .scanning else { return }
        state = .resting
        scanAgainAt = now + configuration.scanInterval
    }

    /// An advertiser turned out to be another one, which is connected: it is heard as that one from now on.
    mutating func merged(_ peer: PeerKey) { candidates.removeAll { $0.sighting.peer == peer } }

    /// A link ended. `wasUseful` says that it was more than an attempt.
    mutating func disconnected(
        _ peer: PeerKey, wasUseful: Bool, at now: MonotonicInstant
    ) {
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
        case .scanning: scanAnew(at: now)
        case .resting: next(at: now)
        }
    }

    /// A bond is gone: who comes is a stranger, and may do so at once.
    mutating func forget(_ peer: PeerKey, at now: MonotonicInstant) {
        if let index = index(of: peer) {
            candidates[index].sighting.isBonded = false
            candidates[index].isHeard = false
            candidates[index].failures = 0
            candidates[index].notBefore = nil
        }
        if state == .scanning { scanAnew(at: now) }
    }

    /// A scanner that filters duplicates would not tell of an accessory that is still there, or back.
    private mutating func scanAnew(at now: MonotonicInstant) {
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

    /// How many advertisers are remembered.
    var candidateCount: Int { candidates.count }

    mutating func pollOutput() -> Output? { outputs.popFirst() }

    // MARK: Decisions

    private func isWanted(_ sighting: Sighting) -> Bool {
        guard sighting.isConnectable, sighting.solicitsANCS || sighting.isBonded else {
            return false
        }
        guard !configuration.allowed.isEmpty else { return true }
        return configuration.allowed.contains { allowed in
            allowed == sighting.name || sighting.addresses.contains(allowed.uppercased())
        }
    }

    private func index(of peer: PeerKey) -> Int? {
        candidates.firstIndex { $0.sighting.peer == peer }
    }

    /// Forgets who was heard longest ago and is not connected.
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

    /// Connects to whoever is due, or scans.
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
        tell(of: due)
        if state == .scanning { outputs.append(.stopScanning) }
        candidates[due].isHeard = false
        candidates[due].completeBy = nil
        state = .connecting(candidates[due].sighting.peer)
        outputs.append(.connect(candidates[due].sighting))
    }
}
