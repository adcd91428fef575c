internal import BluetoothLE
internal import Octets

/// What a client of the system waits for.
struct ClientRequest: Hashable, Sendable {
    /// Names it, of all that any client waits for.
    struct ID: Hashable, Sendable {
        let rawValue: UInt64
    }

    let id: ID
    let client: ClientID
}

/// Why a client is not told how strong a peer is heard.
enum RSSIFailure: Error {
    /// The controller cannot say it.
    case unknown
    /// There is no link, it ended, or the client released the peer.
    case closed
}

/// What clients want of a peer on one link: procedures at its server, one exchange of ATT_MTU, one
/// subscription for all of them, one more attempt once the link is protected, its services, its signal.
///
///     start ──▶ waiting ──room──▶ running ──▶ completed
///                  ▲                 │ refused for lack of protection
///                  └── protected ── unprotected ──▶ cannot be protected: completed
///
/// The owner asks for ``nextProcedure`` until it is `nil`, has the bearer start it and says what came of
/// that, then drains ``pollOutput()``.
struct PeerRequests: Sendable {
    enum Output: Hashable, Sendable {
        /// Have the link protected, since the peer refuses without; ``protectionBegan()`` or
        /// ``protectionImpossible()`` answers.
        case protect
        /// Ask the controller how strong the peer is heard.
        case readRSSI
        /// What a procedure came to.
        case completed(ClientRequest.ID, Result<GATTResult, GATTFailure>)
        /// How strong the peer is heard, in dBm.
        case rssiRead(ClientRequest.ID, Result<Int8, RSSIFailure>)
        /// The primary services of the peer; none where it did not answer.
        case servicesFound(ClientRequest.ID, [BluetoothUUID])
    }

    /// What a procedure is for.
    enum Purpose: Hashable, Sendable {
        case request(ClientRequest)
        /// The client waits no more; what the bearer has begun goes on.
        case abandoned
        case exchangeMTU
        /// Write what clients want to be told to a configuration descriptor.
        case configure(AttributeHandle, ClientCharacteristicConfiguration)
        case findServices
        /// Discover Generic Attribute, to subscribe to Service Changed.
        case discoverGenericAttribute
    }

    struct Job: Hashable, Sendable {
        var purpose: Purpose
        let procedure: GATTProcedure
        /// Whether an attribute that needs protection is a reason to pair and to try once more.
        var pairs: Bool
    }

    private struct Refusal: Sendable {
        let job: Job
        let failure: GATTFailure
    }

    /// The effective ATT_MTU in octets.
    private(set) var mtu = ATTBearer.defaultMTU
    private var mtuExchange = SharedProcedure.notWanted
    /// What the bearer has not begun, the first one first.
    private var waiting: [Job] = []
    /// The bearer has taken as much as it takes, until something ends.
    private var isBearerFull = false
    /// What the bearer works on, by its names.
    private var running: [ProcedureID: Job] = [:]
    /// What the peer has just refused for lack of protection, of which the owner is asked.
    private var refused: [Refusal] = []
    /// What failed for lack of protection, until the link is protected or cannot be.
    private var unprotected: [Refusal] = []
    private var subscriptions: [AttributeHandle: PeerSubscription] = [:]
    /// One answer is for all of them.
    private var awaitingRSSI: [ClientRequest] = []
    var services = PeerServices()
    var outputs = Queue<Output>()

    mutating func pollOutput() -> Output? { outputs.popFirst() }

    // MARK: What clients want

    /// Has a procedure done. What the caller got wrong comes back as the error that the peer would answer.
    mutating func start(_ procedure: GATTProcedure, for request: ClientRequest, pairs: Bool) {
        if procedure == .exchangeMTU { return exchangeMTU(for: request) }
        if procedure == .discoverGenericAttribute { return followServices(for: request) }
        add(.request(request), procedure, pairs: pairs)
    }

    mutating func add(_ purpose: Purpose, _ procedure: GATTProcedure, pairs: Bool = true) {
        waiting.append(Job(purpose: purpose, procedure: procedure, pairs: pairs))
    }

    /// Agrees on ATT_MTU, once for all that want it.
    mutating func exchangeMTU(for request: ClientRequest? = nil) {
        switch mtuExchange.join(request) {
        case .begins: add(.exchangeMTU, .exchangeMTU, pairs: false)
        case .waits: break
        case .isLate: complete(request, .success(.mtu(mtu)))
        }
    }

    /// What a request came to; `nil` is one of the system's own.
    mutating func complete(_ request: ClientRequest?, _ result: Result<GATTResult, GATTFailure>) {
        if let request { outputs.append(.completed(request.id, result)) }
    }

    /// Sets what a client wants to be told of a characteristic by its configuration descriptor, which is
    /// written only where that is not what the peer was told for others, or `isForced`.
    mutating func subscribe(
        _ wish: ClientCharacteristicConfiguration, at descriptor: AttributeHandle,
        by client: ClientID,
        for request: ClientRequest.ID?, pairs: Bool, isForced: Bool
    ) {
        var subscription = subscriptions[descriptor] ?? PeerSubscription()
        let before = subscription.wishes[client] ?? []
        subscription.wishes[client] = wish.isEmpty ? nil : wish
        let mustWrite = isForced || subscription.wanted != subscription.written
        let waits = mustWrite || subscription.writesUnderWay > 0
        let waiter = PeerSubscription.Waiter(client: client, before: before, request: request)
        if waits { subscription.waiters.append(waiter) }
        subscriptions[descriptor] = subscription
        if mustWrite { configure(descriptor, pairs: pairs) }
        if !waits { end(waiter, .success(.done)) }
    }

    private mutating func configure(_ descriptor: AttributeHandle, pairs: Bool) {
        guard let value = subscriptions[descriptor]?.wanted else { return }
        subscriptions[descriptor]?.written = value
        subscriptions[descriptor]?.writesUnderWay += 1
        add(.configure(descriptor, value), .writeValue(descriptor, value.octets), pairs: pairs)
    }

    /// Asks how strong the peer is heard; requests that come before the answer get the same one.
    mutating func readRSSI(for request: ClientRequest) {
        awaitingRSSI.append(request)
        outputs.append(.readRSSI)
    }

    /// A client wants nothing of the peer any more.
    mutating func release(_ client: ClientID) {
        var dropped: [ClientRequest] = []
        let isDropped = { (purpose: Purpose) in
            if case .request(let request) = purpose { request.client == client } else { false }
        }
        for id in running.keys.sorted(by: { $0.rawValue < $1.rawValue }) {
            guard let job = running[id], case .request(let request) = job.purpose,
                request.client == client
            else { continue }
            running[id]?.purpose = .abandoned
            running[id]?.pairs = false
            dropped.append(request)
        }
        let jobs =
            waiting.filter { isDropped($0.purpose) }
            + unprotected.map(\.job).filter { isDropped($0.purpose) }
        waiting.removeAll { isDropped($0.purpose) }
        unprotected.removeAll { isDropped($0.job.purpose) }
        for job in jobs { if case .request(let request) = job.purpose { dropped.append(request) } }
        dropped += mtuExchange.release(client) + services.following.release(client)
        for request in dropped { outputs.append(.completed(request.id, .failure(.closed))) }
        endRSSI(.failure(.closed), for: client)
        unsubscribe(client)
    }

    private mutating func unsubscribe(_ client: ClientID) {
        for descriptor in subscriptions.keys.sorted() {
            guard var subscription = subscriptions[descriptor] else { continue }
            for waiter in subscription.waiters where waiter.client == client {
                end(waiter, .failure(.closed))
            }
            subscription.waiters.removeAll { $0.client == client }
            let wasWanted = subscription.wishes.removeValue(forKey: client) != nil
            subscriptions[descriptor] = subscription
            guard wasWanted, subscription.wanted != subscription.written else { continue }
            configure(descriptor, pairs: false)
        }
    }

    // MARK: What came of it

    /// The procedure that the bearer is to start next; ``started(as:)`` or ``notStarted(because:)``
    /// answers before this is asked again.
    var nextProcedure: GATTProcedure? { isBearerFull ? nil : waiting.first?.procedure }

    /// The bearer has taken the next procedure.
    mutating func started(as id: ProcedureID) { running[id] = waiting.removeFirst() }

    /// The bearer has not.
    mutating func notStarted(because error: HostUsageError) {
        let failure: GATTFailure
        switch error {
        case .bearer(.queueFull):
            isBearerFull = true
            return
        case .bearer(.valueTooLong):
            failure = .errorResponse(.invalidAttributeValueLength, AttributeHandle(0))
        case .bearer(.invalidArgument): failure = .errorResponse(.invalidHandle, AttributeHandle(0))
        case .bearer(.closed), .bearer(.notSubscribed), .notReady, .unknownConnection,
            .addressNotAvailable, .alreadyConnected, .tooManyConnections, .connecting,
            .advertising, .security, .attributes, .signalling, .controllerBusy, .notSupported:
            failure = .closed
        }
        complete(waiting.removeFirst(), .failure(failure))
    }

    /// The effective ATT_MTU changed.
    mutating func mtuChanged(to mtu: Int) { self.mtu = mtu }

    /// A procedure ended; there is room for another one.
    mutating func completed(_ id: ProcedureID, _ result: Result<GATTResult, GATTFailure>) {
        guard let job = running.removeValue(forKey: id) else { return }
        isBearerFull = false
        if job.pairs, case .failure(let failure) = result,
            case .errorResponse(let code, _) = failure, code.asksForProtection
        {
            refused.append(Refusal(job: job, failure: failure))
            outputs.append(.protect)
        } else {
            complete(job, result)
        }
    }

    /// The link is being protected: what was refused is tried once more then.
    mutating func protectionBegan() { unprotected += exchange(&refused, with: []) }

    /// The link is not going to be protected for what was refused.
    mutating func protectionImpossible() { fail(exchange(&refused, with: [])) }

    /// The link is protected now.
    mutating func protected() {
        for refusal in exchange(&unprotected, with: []) {
            add(refusal.job.purpose, refusal.job.procedure, pairs: false)
        }
    }

    /// The link could not be protected.
    mutating func protectionFailed() { fail(exchange(&unprotected, with: [])) }

    private mutating func fail(_ refusals: [Refusal]) {
        for refusal in refusals { complete(refusal.job, .failure(refusal.failure)) }
    }

    /// The controller has measured the signal; `nil` where it could not.
    mutating func rssiRead(_ rssi: Int8?) {
        endRSSI(rssi.map { .success($0) } ?? .failure(.unknown))
    }

    /// The controller was not asked.
    mutating func rssiNotRead(because error: HostUsageError) {
        endRSSI(.failure(error == .notSupported ? .unknown : .closed))
    }

    /// The link is gone. What the bearer worked on was completed before, unless another link took the
    /// place of this one.
    mutating func ended() {
        fail(exchange(&refused, with: []) + exchange(&unprotected, with: []))
        let ids = running.keys.sorted { $0.rawValue < $1.rawValue }
        let jobs = ids.compactMap { running[$0] } + exchange(&waiting, with: [])
        running = [:]
        for job in jobs { complete(job, .failure(.closed)) }
        endRSSI(.failure(.closed))
        subscriptions = [:]
    }

    private mutating func endRSSI(_ result: Result<Int8, RSSIFailure>, for client: ClientID? = nil)
    {
        let meant = awaitingRSSI.filter { client == nil || $0.client == client }
        awaitingRSSI.removeAll { client == nil || $0.client == client }
        for request in meant { outputs.append(.rssiRead(request.id, result)) }
    }

    private mutating func complete(_ job: Job, _ result: Result<GATTResult, GATTFailure>) {
        switch job.purpose {
        case .request(let request): complete(request, result)
        case .abandoned: break
        case .exchangeMTU: for request in mtuExchange.end() { complete(request, result) }
        case .configure(let descriptor, let value): configured(descriptor, as: value, result)
        case .findServices: servicesFound(result)
        case .discoverGenericAttribute: genericAttributeDiscovered(result)
        }
    }

    private mutating func configured(
        _ descriptor: AttributeHandle, as value: ClientCharacteristicConfiguration,
        _ result: Result<GATTResult, GATTFailure>
    ) {
        guard var subscription = subscriptions[descriptor] else { return }
        subscription.writesUnderWay -= 1
        if case .success = result { subscription.confirmed = value }
        guard subscription.writesUnderWay == 0 else {
            subscriptions[descriptor] = subscription
            return
        }
        let waiters = exchange(&subscription.waiters, with: [])
        if case .failure = result {
            subscription.written = subscription.confirmed
            for waiter in waiters.reversed() {
                subscription.wishes[waiter.client] = waiter.before.isEmpty ? nil : waiter.before
            }
        }
        subscriptions[descriptor] = subscription
        for waiter in waiters { end(waiter, result) }
    }

    private mutating func end(
        _ waiter: PeerSubscription.Waiter, _ result: Result<GATTResult, GATTFailure>
    ) {
        if let request = waiter.request {
            outputs.append(.completed(request, result))
        } else {
            serviceChangedFollowed(result)
        }
    }
}

/// What clients want to be told of a characteristic of a peer: one descriptor for all of them.
struct PeerSubscription: Sendable {
    /// A client that waits for its wish to be fulfilled.
    struct Waiter: Sendable {
        let client: ClientID
        /// What it wanted before.
        let before: ClientCharacteristicConfiguration
        /// `nil` where the system itself follows Service Changed.
        let request: ClientRequest.ID?
    }

    /// What each of them wants.
    var wishes: [ClientID: ClientCharacteristicConfiguration] = [:]
    /// What the peer was told last, and what it has confirmed.
    var written: ClientCharacteristicConfiguration = []
    var confirmed: ClientCharacteristicConfiguration = []
    var writesUnderWay = 0
    /// Those that wait for the last of these writes.
    var waiters: [Waiter] = []

    /// What the peer is to be told.
    var wanted: ClientCharacteristicConfiguration {
        wishes.values.reduce(into: []) { $0.formUnion($1) }
    }
}
