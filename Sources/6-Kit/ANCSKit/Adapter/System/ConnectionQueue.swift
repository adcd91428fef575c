internal import BluetoothLE

/// Decides which peer to connect to next: many requests of many clients share one initiator.
///
/// A peer is connected to only after its advertising was received: while a controller waits for one address
/// it cannot scan for others, and a private address may have changed. The queue therefore scans while there
/// are requests, and has the host connect for a few seconds once one of the peers is found.
///
///     request ──▶ awaited ──heard──▶ due ──▶ attempt ──link──▶ connected
///                    ▲                          │
///                    └── not made, once more ───┘
///
/// Requests for one peer share the attempt; each ends on its own, by its timeout or when it is cancelled. One
/// without a timeout never ends, and outlasts resets of the controller.
struct ConnectionQueue: ~Copyable {
    /// What to do, or to report.
    enum Output: Equatable, Sendable {
        /// Connect to the address, for at most this time.
        case initiate(PeerKey, DeviceAddress, timeout: Duration)
        /// Cancel connecting; ``attemptFailed(_:at:)`` reports when that is done.
        case cancelInitiating
        /// Scan for advertisers, all of which are news.
        case startListening
        /// Stop scanning.
        case stopListening
        /// The request of a client has failed.
        case failed(PeerKey, ClientID, ConnectFailure)
    }

    /// Times; none is prescribed by a specification.
    struct Configuration: Equatable, Sendable {
        /// How long one peer may occupy the controller.
        var attemptLimit = Duration.seconds(5)
        /// How long after its last advertisement a device is assumed to be in range.
        var freshness = Duration.seconds(10)
        /// The pause after the controller refused; it doubles each time.
        var retryInterval = Duration.milliseconds(250)
        /// The longest pause.
        var retryIntervalLimit = Duration.seconds(8)
        /// The pause before scanning is tried again after a failure.
        var listenInterval = Duration.seconds(5)
    }

    /// The address and the time at which a peer was last received.
    struct Sighting: Equatable, Sendable {
        var address: DeviceAddress
        var at: MonotonicInstant
    }

    private enum Attempt: Equatable {
        case none
        case initiating(PeerKey)
        /// It is being cancelled; the controller has yet to confirm it.
        case ending
    }

    private struct Request {
        let client: ClientID
        let deadline: MonotonicInstant?
    }

    /// A peer with requests.
    private struct Wanted {
        let peer: PeerKey
        var requests: [Request]
        var sighting: Sighting?
        /// Whether scanning started after the request, so that the peer will be reported when it is received.
        var isAwaited = false
        var refusals = 0
        var notBefore: MonotonicInstant?
        var lastFailure: Initiator.Failure?
        /// Whether there was room for a link at any time since the request.
        var hadRoom = false
    }

    private let configuration: Configuration
    private var isReady = false
    private var hasRoom = true
    private var attempt = Attempt.none
    private var isListening = false
    private var listenAgainAt: MonotonicInstant?
    /// Sorted by the time of the last attempt, the longest ago first.
    private var wanted: [Wanted] = []
    private var outputs = Queue<Output>()

    init(configuration: Configuration = Configuration()) { self.configuration = configuration }

    mutating func pollOutput() -> Output? { outputs.popFirst() }

    /// Whether there is a request for a peer.
    func isWanted(_ peer: PeerKey) -> Bool { wanted.contains { $0.peer == peer } }

    /// The clients with a request for a peer.
    func clients(wanting peer: PeerKey) -> [ClientID] {
        wanted.first { $0.peer == peer }?.requests.map(\.client) ?? []
    }

    // MARK: What clients want

    /// Adds a client's request for a peer, which was last received at this address. Another request of the
    /// same client for the same peer replaces the earlier one.
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

    /// Removes the request of a client, without an event.
    mutating func cancel(_ peer: PeerKey, by client: ClientID, at now: MonotonicInstant) {
        guard let index = index(of: peer) else { return }
        wanted[index].requests.removeAll { $0.client == client }
        proceed(at: now)
    }

    /// Removes all requests of a client, without events.
    mutating func cancelAll(by client: ClientID, at now: MonotonicInstant) {
        for index in wanted.indices { wanted[index].requests.removeAll { $0.client == client } }
        proceed(at: now)
    }

    /// Removes all requests; they fail.
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

    /// The controller is not available, and its attempt has ended; requests remain.
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

    /// Whether there may be another link has changed.
    mutating func roomChanged(_ hasRoom: Bool, at now: MonotonicInstant) {
        guard self.hasRoom != hasRoom else { return }
        self.hasRoom = hasRoom
        proceed(at: now)
    }

    /// The advertising of a connectable peer was received.
    mutating func heard(_ peer: PeerKey, _ address: DeviceAddress, at now: MonotonicInstant) {
        guard isReady, let index = index(of: peer) else { return }
        wanted[index].sighting = Sighting(address: address, at: now)
        proceed(at: now)
    }

    /// A link to a peer was established, by either side; requests for it are fulfilled. A link as Central
    /// ends the attempt.
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

    /// Scanning failed.
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
    private func index(of peer: PeerKey) -> Int? { wanted.firstIndex { $0.peer == peer } }

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

    /// The peer has to be found again, and after a refusal of the controller there is a pause as well.
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

    /// Takes the next step, if there is one.
    private mutating func proceed(at now: MonotonicInstant) {
        wanted.removeAll { $0.requests.isEmpty }
        // A pause that has ended is no longer a deadline, even if the controller is busy.
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
        outputs.append(.initiate(next.peer, sighting.address, timeout: configuration.attemptLimit))
    }

    /// Scans while there are peers to find, and restarts the scan for peers that may have been received
    /// before they were requested: an advertiser is reported once.
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
