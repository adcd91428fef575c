internal import BluetoothLE
internal import Octets

/// Whom to connect to next: many requests by many clients, one initiator.
///
/// Every peer is heard first and connected to then: a controller that waits for one address cannot look
/// for others, and a private address may be another by now. So the queue listens as long as it waits for
/// somebody, and has the host initiate for a few seconds as soon as one of them was heard.
///
///     request ──▶ awaited ──heard──▶ due ──▶ attempt ──link──▶ connected
///                    ▲                          │
///                    └── not made, once more ───┘
///
/// Requests to one peer share the attempt; each ends by itself, by its own timeout or when it is taken
/// back. One without a timeout never ends, and outlives resets of the controller.
struct ConnectionQueue: ~Copyable {
    /// What to do, or to tell.
    enum Output: Hashable, Sendable {
        /// Have the host connect to the address for at most so long.
        case initiate(PeerKey, DeviceAddress, timeout: Duration)
        /// Have the host give up; ``attemptFailed(_:at:)`` tells when it has.
        case cancelInitiating
        /// Look for advertisers, all of which count as new.
        case startListening
        /// Nobody is waited for any more.
        case stopListening
        /// The request of a client is over.
        case failed(PeerKey, ClientID, ConnectFailure)
    }

    /// Times; none of them is prescribed.
    struct Configuration: Hashable, Sendable {
        /// How long one peer may keep the controller from everybody else.
        var attemptLimit = Duration.seconds(5)
        /// How long ago an advertiser may have been heard that is still believed to be there.
        var freshness = Duration.seconds(10)
        /// How long to wait after the controller refused; doubled each time.
        var retryInterval = Duration.milliseconds(250)
        /// The longest wait.
        var retryIntervalLimit = Duration.seconds(8)
        /// After how long a controller that does not scan is asked again.
        var listenInterval = Duration.seconds(5)
    }

    /// Where and when a peer was heard.
    struct Sighting: Hashable, Sendable {
        var address: DeviceAddress
        var at: MonotonicInstant
    }

    private enum Attempt: Hashable {
        case none
        case initiating(PeerKey)
        /// It is being given up, which takes until the controller confirms it.
        case ending
    }

    private struct Request {
        let client: ClientID
        let deadline: MonotonicInstant?
    }

    /// A peer that somebody wants.
    private struct Wanted {
        let peer: PeerKey
        var requests: [Request]
        var sighting: Sighting?
        /// Listening began after it was wanted, so that it is told of when it is heard.
        var isAwaited = false
        var refusals = 0
        var notBefore: MonotonicInstant?
        var lastFailure: Initiator.Failure?
        /// There was room for a link, at any time since it was wanted.
        var hadRoom = false
    }

    private let configuration: Configuration
    private var isReady = false
    private var hasRoom = true
    private var attempt = Attempt.none
    private var isListening = false
    private var listenAgainAt: MonotonicInstant?
    /// Who was tried longest ago first.
    private var wanted: [Wanted] = []
    private var outputs = Queue<Output>()

    init(configuration: Configuration = Configuration()) { self.configuration = configuration }

    mutating func pollOutput() -> Output? { outputs.popFirst() }

    /// Whether somebody wants a link to a peer.
    func isWanted(_ peer: PeerKey) -> Bool { wanted.contains { $0.peer == peer } }

    /// Who wants a link to a peer.
    func clients(wanting peer: PeerKey) -> [ClientID] {
        wanted.first { $0.peer == peer }?.requests.map(\.client) ?? []
    }

    // MARK: What clients want

    /// A client wants a link to a peer, which was heard last at this place. Another request of the same
    /// client for the same peer takes the place of the earlier one.
    mutating func connect(
        to peer: PeerKey, by client: ClientID, timeout: Duration?, heard: Sighting? = nil,
        at now: MonotonicInstant
    ) {
        let request = Request(client: client, deadline: timeout.map { now + $0 })
        if let index = index(of: peer) {
            wanted[index].requests.removeAll { $0.client == client }
            wanted[index].requests.append(request)
            if let heard { wanted[index].sighting = heard }
        } else {
            wanted.append(Wanted(peer: peer, requests: [request], sighting: heard))
        }
        proceed(at: now)
    }

    /// A client does not want it any more. Nothing is told.
    mutating func cancel(_ peer: PeerKey, by client: ClientID, at now: MonotonicInstant) {
        guard let index = index(of: peer) else { return }
        wanted[index].requests.removeAll { $0.client == client }
        proceed(at: now)
    }

    /// A client does not want anything any more.
    mutating func cancelAll(by client: ClientID, at now: MonotonicInstant) {
        for index in wanted.indices {
            wanted[index].requests.removeAll { $0.client == client }
        }
        proceed(at: now)
    }

    /// Nobody wants anything any more; who does is told.
    mutating func end(at now: MonotonicInstant) {
        for wanted in exchange(&wanted, with: []) {
            for request in wanted.requests {
                outputs.append(.failed(wanted.peer, request.client, .closed))
            }
        }
        proceed(at: now)
    }

    // MARK: What happens

    /// The controller is ready.
    mutating func ready(at now: MonotonicInstant) {
        isReady = true
        proceed(at: now)
    }

    /// The controller is gone, with whatever it was doing; requests wait for its return.
    mutating func reset() {
        isReady = false
        attempt = .none
        isListening = false
        listenAgainAt = nil
        for index in wanted.indices {
            wanted[index].sighting = nil
            wanted[index].isAwaited = false
            wanted[index].refusals = 0
            wanted[index].notBefore = nil
        }
    }

    /// Whether there may be another link.
    mutating func roomChanged(_ hasRoom: Bool, at now: MonotonicInstant) {
        guard self.hasRoom != hasRoom else { return }
        self.hasRoom = hasRoom
        proceed(at: now)
    }

    /// A peer that takes connections was heard.
    mutating func heard(_ peer: PeerKey, _ address: DeviceAddress, at now: MonotonicInstant) {
        guard isReady, let index = index(of: peer) else { return }
        wanted[index].sighting = Sighting(address: address, at: now)
        proceed(at: now)
    }

    /// A link to a peer was made, by whoever; who waited for it has it now. A link as Central is what the
    /// attempt was for.
    mutating func linkMade(
        to peer: PeerKey, asCentral: Bool, at now: MonotonicInstant
    ) -> [ClientID] {
        if asCentral { attempt = .none }
        guard let index = index(of: peer) else {
            proceed(at: now)
            return []
        }
        let clients = wanted.remove(at: index).requests.map(\.client)
        proceed(at: now)
        return clients
    }

    /// The attempt ended without a link.
    mutating func attemptFailed(_ failure: Initiator.Failure, at now: MonotonicInstant) {
        if case .initiating(let peer) = attempt, let index = index(of: peer) {
            note(failure, at: index, now)
        }
        attempt = .none
        proceed(at: now)
    }

    /// The controller does not scan.
    mutating func listeningFailed(at now: MonotonicInstant) {
        guard isListening else { return }
        isListening = false
        for index in wanted.indices { wanted[index].isAwaited = false }
        listenAgainAt = now + configuration.listenInterval
    }

    mutating func handleTimeout(at now: MonotonicInstant) {
        for index in wanted.indices { endRequests(at: index, now) }
        if let instant = listenAgainAt, instant <= now { listenAgainAt = nil }
        proceed(at: now)
    }

    var nextDeadline: MonotonicInstant? {
        var deadline = listenAgainAt
        for wanted in wanted {
            for request in wanted.requests { deadline = .earliest(deadline, request.deadline) }
            if isReady, hasRoom, attempt == .none, wanted.sighting != nil {
                deadline = .earliest(deadline, wanted.notBefore)
            }
        }
        return deadline
    }
}

// MARK: - Decisions

extension ConnectionQueue {
    private func index(of peer: PeerKey) -> Int? {
        wanted.firstIndex { $0.peer == peer }
    }

    private mutating func endRequests(at index: Int, _ now: MonotonicInstant) {
        let entry = wanted[index]
        for request in entry.requests {
            guard let deadline = request.deadline, deadline <= now else { continue }
            let failure: ConnectFailure =
                entry.hadRoom ? .timedOut(entry.lastFailure) : .tooManyConnections
            outputs.append(.failed(entry.peer, request.client, failure))
        }
        wanted[index].requests.removeAll { $0.deadline.map { $0 <= now } ?? false }
    }

    /// It has to be heard again, and after a refusal of the controller has to wait as well.
    private mutating func note(
        _ failure: Initiator.Failure, at index: Int, _ now: MonotonicInstant
    ) {
        wanted[index].lastFailure = failure
        wanted[index].sighting = nil
        wanted[index].isAwaited = false
        switch failure {
        case .timedOut, .cancelled, .controllerLost: wanted[index].notBefore = nil
        case .refused, .unanswered:
            var wait = configuration.retryInterval
            for _ in 0..<min(wanted[index].refusals, 16) { wait = wait * 2 }
            wanted[index].refusals += 1
            wanted[index].notBefore = now + min(wait, configuration.retryIntervalLimit)
        }
    }

    /// Does what is to be done next, if anything.
    private mutating func proceed(at now: MonotonicInstant) {
        wanted.removeAll { $0.requests.isEmpty }
        // A wait that is over is no deadline any more, whoever has the controller meanwhile.
        for index in wanted.indices where wanted[index].notBefore.map({ $0 <= now }) ?? false {
            wanted[index].notBefore = nil
        }
        if case .initiating(let peer) = attempt, !isWanted(peer) {
            attempt = .ending
            outputs.append(.cancelInitiating)
        }
        guard isReady else { return }
        if hasRoom {
            for index in wanted.indices { wanted[index].hadRoom = true }
            if attempt == .none { begin(at: now) }
        }
        listen(at: now)
    }

    private func isFresh(_ wanted: Wanted, at now: MonotonicInstant) -> Bool {
        guard let sighting = wanted.sighting else { return false }
        return now <= sighting.at + configuration.freshness
    }

    private mutating func begin(at now: MonotonicInstant) {
        let due = wanted.firstIndex { isFresh($0, at: now) && $0.notBefore == nil }
        guard let due, let sighting = wanted[due].sighting else { return }
        let next = wanted.remove(at: due)
        wanted.append(next)
        attempt = .initiating(next.peer)
        outputs.append(
            .initiate(next.peer, sighting.address, timeout: configuration.attemptLimit))
    }

    /// Listens as long as somebody has to be heard, and begins anew for everybody who was perhaps heard
    /// before he was wanted: an advertiser is told of once.
    private mutating func listen(at now: MonotonicInstant) {
        let awaited = wanted.indices.filter { index in
            attempt != .initiating(wanted[index].peer) && !isFresh(wanted[index], at: now)
        }
        guard !awaited.isEmpty else {
            if exchange(&isListening, with: false) { outputs.append(.stopListening) }
            for index in wanted.indices { wanted[index].isAwaited = false }
            return
        }
        guard listenAgainAt == nil else { return }
        guard awaited.contains(where: { !wanted[$0].isAwaited }) else { return }
        for index in awaited { wanted[index].isAwaited = true }
        isListening = true
        outputs.append(.startListening)
    }
}
