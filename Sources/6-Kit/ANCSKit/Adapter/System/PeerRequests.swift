internal import BluetoothLE
internal import LinuxIO

/// A pending request of a client.
struct ClientRequest: Equatable, Sendable {
    /// Identifies it among all pending requests.
    struct ID: Hashable, Sendable { let rawValue: UInt64 }

    let id: ID
    let client: ClientID
}

/// Why reading the signal strength failed.
enum RSSIFailure: Error {
    /// The controller could not measure it.
    case unknown
    /// There is no link, it ended, or the client released the peer.
    case closed
    /// bluetoothd does not report it.
    case notSupported
}

/// The requests of clients to a peer on one link: procedures at its server, one exchange of ATT_MTU, one
/// subscription for all clients, another attempt once the link is protected, its services, its signal
/// strength.
///     start ──▶ waiting ──room──▶ running ──▶ completed
///                  ▲                 │ refused for lack of protection
///                  └── protected ── unprotected ──▶ cannot be protected: completed
///
/// The owner gets ``nextProcedure`` until it is `nil`, has the bearer start it and reports the result, then
/// calls ``pollOutput()`` until it returns `nil`.
struct PeerRequests: Sendable {
    enum Output: Equatable, Sendable {
        /// Protect the link, because the peer requires it; ``protectionBegan()`` or
        /// ``protectionImpossible()`` answers.
        case protect
        /// Read the signal strength of the peer.
        case readRSSI
        /// A procedure has ended.
        case completed(ClientRequest.ID, Result<GATTResult, GATTFailure>)
        /// The signal strength of the peer, in dBm.
        case rssiRead(ClientRequest.ID, Result<Int8, RSSIFailure>)
        /// The primary services of the peer; empty if it did not answer.
        case servicesFound(ClientRequest.ID, [BluetoothUUID])
    }

    /// The purpose of a procedure.
    enum Purpose: Equatable, Sendable {
        case request(ClientRequest)
        /// The client no longer needs it; what the bearer has started continues.
        case abandoned
        case exchangeMTU
        /// Write the subscriptions of all clients to a configuration descriptor.
        case configure(AttributeHandle, ClientCharacteristicConfiguration)
        case findServices
        /// Discover Generic Attribute, in order to subscribe to Service Changed.
        case discoverGenericAttribute
    }

    struct Job: Equatable, Sendable {
        var purpose: Purpose
        let procedure: GATTProcedure
        /// Whether to pair and try again if an attribute needs protection.
        var pairs: Bool

        /// Nobody needs the result any more.
        mutating func abandon() { (purpose, pairs) = (.abandoned, false) }
    }

    struct Refusal: Sendable {
        let job: Job
        let failure: GATTFailure
    }

    /// The effective ATT_MTU in octets.
    private(set) var mtu = ATT.defaultMTU
    private var mtuExchange = SharedProcedure.notWanted
    /// The procedures that the bearer has not started, in order.
    var waiting: [Job] = []
    /// Whether the bearer accepts no more procedures until one ends.
    private var isBearerFull = false
    /// The procedures that the bearer is running, in the order of their starts: an array, because there are few.
    var running: [(id: ProcedureID, job: Job)] = []
    /// The requests that the peer has just refused for lack of protection, which the owner has to answer.
    private var refused: [Refusal] = []
    /// The requests that failed for lack of protection, until the link is protected or cannot be.
    var unprotected: [Refusal] = []
    var subscriptions: [AttributeHandle: PeerSubscription] = [:]
    /// The requests that the next measurement answers.
    private var awaitingRSSI: [ClientRequest] = []
    var services = PeerServices()
    var outputs = Queue<Output>()

    mutating func pollOutput() -> Output? { outputs.popFirst() }

    // MARK: What clients want

    /// Queues a procedure. Invalid arguments fail with the error that the peer would return.
    mutating func start(_ procedure: GATTProcedure, for request: ClientRequest, pairs: Bool) {
        if procedure == .exchangeMTU { return exchangeMTU(for: request) }
        if procedure == .discoverGenericAttribute { return followServices(for: request) }
        add(.request(request), procedure, pairs: pairs)
    }

    mutating func add(_ purpose: Purpose, _ procedure: GATTProcedure, pairs: Bool = true) {
        waiting.append(Job(purpose: purpose, procedure: procedure, pairs: pairs))
    }

    /// Exchanges ATT_MTU, once for all requests.
    mutating func exchangeMTU(for request: ClientRequest? = nil) {
        switch mtuExchange.join(request) {
        case .begins: add(.exchangeMTU, .exchangeMTU, pairs: false)
        case .waits: break
        case .isLate: complete(request, .success(.mtu(mtu)))
        }
    }

    /// Ends a request; `nil` is one of the system's own.
    mutating func complete(_ request: ClientRequest?, _ result: Result<GATTResult, GATTFailure>) {
        if let request { outputs.append(.completed(request.id, result)) }
    }

    /// Sets the subscription of a client, by the configuration descriptor. The descriptor is written only if
    /// the subscriptions of all clients together have changed, or with `isForced`.
    mutating func subscribe(
        _ configuration: ClientCharacteristicConfiguration, at descriptor: AttributeHandle,
        by client: ClientID, for request: ClientRequest.ID?, pairs: Bool, isForced: Bool
    ) {
        var subscription = subscriptions[descriptor] ?? PeerSubscription()
        let before = subscription.requested[client] ?? []
        subscription.requested[client] = configuration.isEmpty ? nil : configuration
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

    /// Reads the signal strength; requests made before the answer share it.
    mutating func readRSSI(for request: ClientRequest) {
        awaitingRSSI.append(request)
        outputs.append(.readRSSI)
    }

    /// Ends everything that a client has requested of the peer.
    mutating func release(_ client: ClientID) {
        var dropped: [ClientRequest] = []
        let isDropped = { (purpose: Purpose) in
            if case .request(let request) = purpose { request.client == client } else { false }
        }
        for index in running.indices {
            guard case .request(let request) = running[index].job.purpose,
                request.client == client
            else { continue }
            running[index].job.abandon()
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
        for descriptor in subscriptions.keys.sorted(byNumber: \.rawValue) {
            guard var subscription = subscriptions[descriptor] else { continue }
            for waiter in subscription.waiters where waiter.client == client {
                end(waiter, .failure(.closed))
            }
            subscription.waiters.removeAll { $0.client == client }
            let wasWanted = subscription.requested.removeValue(forKey: client) != nil
            subscriptions[descriptor] = subscription
            guard wasWanted, subscription.wanted != subscription.written else { continue }
            configure(descriptor, pairs: false)
        }
    }

    // MARK: What came of it

    /// The next procedure for the bearer; `nil` if there is none or the bearer is full. Call ``started(as:)``
    /// or ``notStarted(because:)`` before reading it again.
    ///
    /// `mutating`, because Swift 6.3 copies a struct in a class to the stack in order to borrow it.
    var nextProcedure: GATTProcedure? {
        mutating get { isBearerFull ? nil : waiting.first?.procedure }
    }

    /// The bearer has started the next procedure.
    mutating func started(as id: ProcedureID) { running.append((id, waiting.removeFirst())) }

    /// The bearer has refused the next procedure.
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

    /// A procedure has ended; the bearer has room for another one.
    mutating func completed(_ id: ProcedureID, _ result: Result<GATTResult, GATTFailure>) {
        guard let index = running.firstIndex(where: { $0.id == id }) else { return }
        let job = running.remove(at: index).job
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

    /// The link is being protected; refused requests are tried again after that.
    mutating func protectionBegan() { unprotected += exchange(&refused, with: []) }

    /// The link cannot be protected for the refused requests.
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

    /// The controller measured the signal strength; `nil` if it could not.
    mutating func rssiRead(_ rssi: Int8?) {
        endRSSI(rssi.map { .success($0) } ?? .failure(.unknown))
    }

    /// The controller could not be asked.
    mutating func rssiNotRead(because error: HostUsageError) {
        endRSSI(.failure(error == .notSupported ? .unknown : .closed))
    }

    /// The link has ended. The bearer's procedures have completed before, unless this link was replaced by
    /// another one.
    mutating func ended() {
        fail(exchange(&refused, with: []) + exchange(&unprotected, with: []))
        let jobs = exchange(&running, with: []).map(\.job) + exchange(&waiting, with: [])
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
                subscription.requested[waiter.client] = waiter.before.isEmpty ? nil : waiter.before
            }
        }
        subscriptions[descriptor] = subscription
        for waiter in waiters { end(waiter, result) }
    }

    mutating func end(
        _ waiter: PeerSubscription.Waiter, _ result: Result<GATTResult, GATTFailure>
    ) {
        if let request = waiter.request {
            outputs.append(.completed(request, result))
        } else {
            serviceChangedFollowed(result)
        }
    }
}

/// The subscriptions of all clients to a characteristic of a peer, in one descriptor.
struct PeerSubscription: Sendable {
    /// A client that waits for its subscription.
    struct Waiter: Sendable {
        let client: ClientID
        /// The subscription that it had before.
        let before: ClientCharacteristicConfiguration
        /// `nil` for the system's own subscription to Service Changed.
        let request: ClientRequest.ID?
    }

    /// The subscription of each client.
    var requested: [ClientID: ClientCharacteristicConfiguration] = [:]
    /// The value that was written last, and the value that the peer confirmed last.
    var written: ClientCharacteristicConfiguration = []
    var confirmed: ClientCharacteristicConfiguration = []
    var writesUnderWay = 0
    /// The clients that wait for the last of these writes.
    var waiters: [Waiter] = []

    /// The value to write.
    var wanted: ClientCharacteristicConfiguration {
        requested.values.reduce(into: []) { $0.formUnion($1) }
    }
}
