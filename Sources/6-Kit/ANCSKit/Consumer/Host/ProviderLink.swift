internal import ANCS
internal import BluetoothLE

/// Handles a link to a Notification Provider before and while ANCS runs on it: has it secured, finds the
/// service, and follows its changes.
///
///     securing ─▶ preparing ─▶ searching ─▶ available
///                                  ▲  └──▶ waiting ──┐ Service Changed, or a while later
///                                  └─────────────────┘
///
/// Nothing is discovered before the link is encrypted: iOS shows ANCS only to bonded accessories (S1).
struct ProviderLink: ~Copyable, Sendable {
    enum Output: Equatable, Sendable {
        /// Request the Central to encrypt or to pair.
        case requestSecurity
        /// Start a procedure; report its result with the same purpose.
        case start(GATTProcedure, Purpose)
        /// Store the discovered services with the bond.
        case keep(RemoteDatabase)
        /// The provider offers ANCS.
        case available(hasControlPoint: Bool, hasDataSource: Bool)
        /// The provider does not offer ANCS, or not yet; the search continues (R5, S2).
        case waiting
        /// The provider has more services of ANCS than any phone, and none of them is used.
        case tooManyServices
        /// ANCS was removed, or has moved: the session is over.
        case unavailable
        /// The provider's name was read, in octets that should be UTF-8.
        case named([UInt8])
        /// Report this to the session.
        case report(ConsumerSession.LinkReport)
        /// The link cannot be used for ANCS, or no longer can. End it.
        case disconnect(EndReason)
    }

    /// Why this side ends a link.
    enum EndReason: Equatable, Sendable {
        /// The Central neither encrypted nor paired in time.
        case notSecured
        /// A request was not answered, which ends the bearer. Core Vol 3, Part F, 3.3.3.
        case notAnswered
        /// The bearer was closed, for a reason that is reported elsewhere.
        case closed
        /// The session was ended by this side.
        case left
    }

    /// The purpose of a procedure.
    enum Purpose: Equatable, Sendable {
        case exchangeMTU
        /// The system then subscribes to Service Changed.
        case discoverGenericAttribute
        case readDatabaseHash
        case discoverANCS
        /// A request of the session.
        case request(ConsumerSession.LinkRequest)
        /// Unsubscribe before the end of the link.
        case leave
        case readName
    }

    /// Times; none is prescribed by a specification.
    struct Configuration: Equatable, Sendable {
        /// How long a bonded Central may take to encrypt on its own, as iOS does.
        var bondedPatience = Duration.seconds(2)
        /// How long pairing may take before the link is ended; people have to read and type.
        var securingLimit = Duration.seconds(90)
        /// How long a Central that may not pair keeps its link without encryption: long enough to ask to
        /// pair, so that its user gets an answer.
        var strangerLimit = Duration.seconds(10)
        /// How long it keeps the link after pairing was refused: long enough for the refusal to arrive.
        var refusedLimit = Duration.seconds(2)
        /// The first interval between searches; it doubles each time, up to the limit.
        var firstSearchInterval = Duration.seconds(2)
        var searchIntervalLimit = Duration.seconds(30)
    }

    /// The handles of the characteristics.
    struct Handles: Equatable, Sendable {
        var range: AttributeHandleRange
        var notificationSource: AttributeHandle
        var notificationSourceConfiguration: AttributeHandle
        var controlPoint: AttributeHandle?
        var dataSource: AttributeHandle?
        var dataSourceConfiguration: AttributeHandle?
    }

    enum State: Equatable, Sendable {
        case securing(requestAt: MonotonicInstant?, giveUpAt: MonotonicInstant)
        /// The procedures before the search, in the order of ``Purpose``.
        case preparing
        case searching(isStale: Bool)
        case waiting(searchAt: MonotonicInstant)
        case available(Handles)
        case ended
    }

    let configuration: Configuration
    var state: State
    /// What an earlier session discovered, until its hash was checked.
    var cached: RemoteDatabase?
    var discovered = RemoteDatabase()
    private var hasReadName = false
    var searchInterval: Duration
    /// Whether the Control Point was not where it was discovered, and has accepted no command since.
    var hasMoved = false
    var outputs = Queue<Output>(keepingOctets: 256)

    /// A new link. `cached` is what was stored with the peer's bond.
    init(
        isBonded: Bool, mayPair: Bool = true, cached: RemoteDatabase?,
        configuration: Configuration = Configuration(), at now: MonotonicInstant
    ) {
        self.configuration = configuration
        self.cached = cached
        searchInterval = configuration.firstSearchInterval
        let limit = mayPair ? configuration.securingLimit : configuration.strangerLimit
        let patience = isBonded ? configuration.bondedPatience : .zero
        state = .securing(
            requestAt: isBonded || mayPair ? now + patience : nil, giveUpAt: now + limit)
        handleTimeout(at: now)
    }

    mutating func pollOutput() -> Output? { outputs.popFirst() }

    var nextDeadline: MonotonicInstant? {
        switch state {
        case .securing(let requestAt, let giveUpAt): .earliest(requestAt, giveUpAt)
        case .waiting(let searchAt): searchAt
        case .preparing, .searching, .available, .ended: nil
        }
    }

    mutating func handleTimeout(at now: MonotonicInstant) {
        switch state {
        case .securing(_, let giveUpAt) where giveUpAt <= now:
            state = .ended
            outputs.append(.disconnect(.notSecured))
        case .securing(let requestAt?, let giveUpAt) where requestAt <= now:
            state = .securing(requestAt: nil, giveUpAt: giveUpAt)
            outputs.append(.requestSecurity)
        case .waiting(let searchAt) where searchAt <= now: search()
        case .securing, .waiting, .preparing, .searching, .available, .ended: break
        }
    }

    /// The security request cannot be sent before `instant`.
    mutating func securityDelayed(until instant: MonotonicInstant) {
        guard case .securing(_, let giveUpAt) = state else { return }
        state = .securing(requestAt: instant, giveUpAt: giveUpAt)
    }

    /// The Central may now pair.
    mutating func pairingAllowed(at now: MonotonicInstant) {
        guard case .securing = state else { return }
        state = .securing(requestAt: now, giveUpAt: now + configuration.securingLimit)
        handleTimeout(at: now)
    }

    /// The Central asked to pair, and was refused.
    mutating func pairingRefused(at now: MonotonicInstant) {
        guard case .securing(_, let giveUpAt) = state else { return }
        state = .securing(requestAt: nil, giveUpAt: min(giveUpAt, now + configuration.refusedLimit))
    }

    /// The protection of the link has changed.
    mutating func securityChanged(_ security: LinkSecurity) {
        guard case .securing = state, security.isEncrypted else { return }
        state = .preparing
        outputs.append(.start(.exchangeMTU, .exchangeMTU))
    }

    /// The link has ended.
    mutating func ended() { state = .ended }
}

// MARK: - What the provider did

extension ProviderLink {
    /// What the session is to know of a notification or an indication of the provider; `nil` if it is not of ANCS.
    ///
    /// `mutating`, because Swift 6.3 copies a struct in a class to the stack in order to borrow it.
    mutating func report(of event: ATTBearer.ValueEvent) -> ConsumerSession.LinkReport? {
        guard case .available(let handles) = state,
            case .notification(let handle, let value) = event
        else { return nil }
        if handle == handles.notificationSource { return .notificationSource(value) }
        return handle == handles.dataSource ? .dataSource(value) : nil
    }

    /// The provider's services in this range have changed (R5).
    mutating func servicesChanged(in range: AttributeHandleRange) {
        cached = nil
        // The hash was read before the change, so it is not that of what is found after it.
        discovered.hash = nil
        searchInterval = configuration.firstSearchInterval
        switch state {
        case .available(let handles):
            guard range.overlaps(handles.range) else { return }
            outputs.append(.unavailable)
            search()
        case .waiting: search()
        case .searching: state = .searching(isStale: true)
        case .securing, .preparing, .ended: break
        }
    }

    /// A procedure has ended.
    mutating func completed(
        _ purpose: Purpose, _ result: Result<GATTResult, GATTFailure>, at now: MonotonicInstant
    ) {
        if case .ended = state { return }
        guard !endsBearer(result) else { return }
        switch purpose {
        case .exchangeMTU:
            outputs.append(.start(.discoverGenericAttribute, .discoverGenericAttribute))
        case .discoverGenericAttribute: genericAttributeDiscovered(result)
        case .readDatabaseHash: databaseHashRead(result, at: now)
        case .discoverANCS: searchEnded(result, at: now)
        case .request(let request): completed(request, result, at: now)
        case .readName: nameRead(result)
        case .leave: outputs.append(.disconnect(.left))
        }
    }

    /// Reads the name of the provider once, when everything else is done.
    mutating func readName() {
        guard !exchange(&hasReadName, with: true) else { return }
        outputs.append(.start(.readByUUID(.all, .deviceName), .readName))
    }

    private mutating func nameRead(_ result: Result<GATTResult, GATTFailure>) {
        guard case .success(.values(let values)) = result,
            let octets = values.first?.value, !octets.isEmpty
        else { return }
        outputs.append(.named(octets))
    }

    /// Ends the link if the result of a procedure shows that its bearer has ended; returns whether.
    mutating func endsBearer(_ result: Result<GATTResult, GATTFailure>) -> Bool {
        guard let reason = Self.endOfBearer(result) else { return false }
        if state == .ended { return true }
        // Queued requests were not refused: they end with the link (Core Vol 3, Part F, 3.3.3).
        state = .ended
        outputs.append(.disconnect(reason))
        return true
    }

    /// What an earlier session stored of another service, if that is still valid; `nil` otherwise.
    func stored(_ service: BluetoothUUID) -> RemoteDatabase.Service? {
        discovered.hash == nil ? nil : discovered.service(service)
    }

    /// Another service was found: stores it beside ANCS.
    mutating func keep(_ service: RemoteDatabase.Service) {
        guard case .available = state, discovered.hash != nil else { return }
        discovered.services.removeAll { $0.uuid == service.uuid }
        discovered.services.append(service)
        outputs.append(.keep(discovered))
    }

    private static func endOfBearer(_ result: Result<GATTResult, GATTFailure>) -> EndReason? {
        switch result {
        case .failure(.transactionTimedOut): .notAnswered
        case .failure(.closed): .closed
        case .success, .failure(.errorResponse), .failure(.malformedResponse),
            .failure(.tooManyResults), .failure(.valueMismatch):
            nil
        }
    }

    private mutating func genericAttributeDiscovered(_ result: Result<GATTResult, GATTFailure>) {
        guard case .success(.database(let database)) = result,
            database.service(.genericAttribute)?.characteristic(.databaseHash) != nil
        else { return search() }
        outputs.append(.start(.readByUUID(.all, .databaseHash), .readDatabaseHash))
    }

    /// Core Vol 3, Part G, 2.5.2.1: only the hash proves that the stored services are still valid.
    private mutating func databaseHashRead(
        _ result: Result<GATTResult, GATTFailure>, at now: MonotonicInstant
    ) {
        var hash: [UInt8]?
        if case .success(.values(let values)) = result { hash = values.first?.value }
        discovered.hash = hash
        guard let cached = exchange(&cached, with: nil), cached.isValid(hash: hash),
            Self.usableService(in: cached) != nil
        else {
            search()
            return
        }
        state = .searching(isStale: false)
        searchEnded(.success(.database(cached)), at: now)
    }

    mutating func search() {
        state = .searching(isStale: false)
        outputs.append(.start(.discoverDatabase(service: .ancs), .discoverANCS))
    }

    /// Searches again after a pause, which grows each time.
    mutating func wait(at now: MonotonicInstant) {
        state = .waiting(searchAt: now + searchInterval)
        searchInterval = min(searchInterval + searchInterval, configuration.searchIntervalLimit)
        outputs.append(.waiting)
    }

    private mutating func searchEnded(
        _ result: Result<GATTResult, GATTFailure>, at now: MonotonicInstant
    ) {
        guard case .searching(let isStale) = state else { return }
        guard !isStale else {
            search()
            return
        }
        let hasTooMany = Self.hasTooManyServices(result)
        if hasTooMany { outputs.append(.tooManyServices) }
        guard !hasTooMany, case .success(.database(let database)) = result,
            let (service, handles) = Self.usableService(in: database)
        else {
            wait(at: now)
            return
        }
        state = .available(handles)
        // What was stored of another service is as valid as this one.
        discovered.services = [service] + database.services.filter { $0.uuid != .ancs }
        if discovered.hash != nil { outputs.append(.keep(discovered)) }
        let hasDataSource = handles.dataSourceConfiguration != nil
        outputs.append(
            .available(
                hasControlPoint: handles.controlPoint != nil, hasDataSource: hasDataSource))
    }
}
