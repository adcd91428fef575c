internal import BlueZ

/// The scans of all clients, which are one discovery at bluetoothd: it has one for each program, with one filter.
///
///     idle ─▶ filtering ─▶ starting ─▶ running ◀─▶ refiltering
///      ▲          │            ├─▶ clearing  │
///      ├─ pausing ◀────────────┴──────┘      ▼
///      └──────────────────────────── stopping
///
/// bluetoothd also reports what other programs look for, so each device is compared with the filter of each client.
struct DiscoveryBook: ~Copyable, Sendable {
    /// What bluetoothd is asked to look for.
    struct Filter: Equatable, Sendable {
        /// Services of which a device has to advertise one; empty for all devices.
        var services: [BluetoothUUID] = []
        /// Whether a device is reported each time it is heard.
        var reportsDuplicates = false
    }

    enum Call: Equatable, Sendable {
        case setFilter(Filter)
        case start
        case stop

        /// The limit for the reply.
        static let limit = Duration.seconds(10)
    }

    enum Output: Equatable, Sendable {
        case call(Call)
        case failed(ClientID, BusError)
    }

    enum State: Equatable, Sendable {
        case idle
        /// `SetDiscoveryFilter` is pending, before the start.
        case filtering(Filter)
        case starting(Filter)
        case running(Filter)
        /// The same, while the discovery runs.
        case refiltering(Filter)
        case stopping
        /// bluetoothd says that a discovery is in progress. Either one of this program is, whose reply was lost, or the
        /// kernel's still runs for a bluetoothd that was killed: then nothing is heard, and after ten seconds it ends.
        /// So `StopDiscovery` is pending, and there is another attempt.
        case clearing
        /// bluetoothd refused; there is another attempt at this time.
        case pausing(until: MonotonicInstant)
    }

    private static let pause = Duration.seconds(5)

    private(set) var state = State.idle
    private var scans: [ClientID: ClientScan] = [:]
    /// Whether bluetoothd is known to survive a filter with services.
    var mayNameServices = false
    /// Whether a peer is searched that bluetoothd does not know.
    private var isSearching = false
    private var outputs = Queue<Output>()

    mutating func pollOutput() -> Output? { outputs.popFirst() }

    /// Whether any client scans.
    var isScanning: Bool { !scans.isEmpty }

    // MARK: What is wanted

    mutating func scan(_ request: ScanRequest, by client: ClientID) {
        scans[client] = ClientScan(request, by: client)
        advance()
    }

    mutating func stopScanning(by client: ClientID) {
        guard scans.removeValue(forKey: client) != nil else { return }
        advance()
    }

    mutating func stopAll() {
        scans = [:]
        advance()
    }

    mutating func search(_ isSearching: Bool) {
        guard exchange(&self.isSearching, with: isSearching) != isSearching else { return }
        advance()
    }

    /// bluetoothd or its adapter is gone, and its discovery with it. Scans end.
    mutating func lost() {
        scans = [:]
        isSearching = false
        state = .idle
    }

    /// The filter that passes everything that any client looks for; `nil` for none.
    private var wanted: Filter? {
        guard isSearching || !scans.isEmpty else { return nil }
        var filter = Filter()
        // bluetoothd compares services, and neither what is solicited nor who is bonded.
        var isNarrow = mayNameServices && !isSearching
        for scan in scans.values {
            let request = scan.request
            filter.reportsDuplicates = filter.reportsDuplicates || request.allowsDuplicates
            filter.services += request.services
            if request.services.isEmpty || !request.solicitedServices.isEmpty
                || request.includesBonded
            {
                isNarrow = false
            }
        }
        filter.services = isNarrow ? Set(filter.services).sorted { $0.rawValue < $1.rawValue } : []
        return filter
    }

    // MARK: Steps

    private mutating func advance() {
        switch (state, wanted) {
        case (.idle, let filter?):
            state = .filtering(filter)
            outputs.append(.call(.setFilter(filter)))
        case (.running(let filter), let other?) where filter != other:
            state = .refiltering(other)
            outputs.append(.call(.setFilter(other)))
        case (.running, nil):
            state = .stopping
            outputs.append(.call(.stop))
        case (.pausing, nil): state = .idle
        // A new scan need not wait.
        case (.pausing, .some) where isScanning:
            state = .idle
            advance()
        case (.idle, nil), (.running, _), (.filtering, _), (.starting, _), (.refiltering, _),
            (.stopping, _), (.clearing, _), (.pausing, _):
            break
        }
    }

    mutating func replied(to call: Call, _ result: BusResult, at now: MonotonicInstant) {
        switch (state, call, result) {
        case (.filtering(let filter), .setFilter, .success):
            state = .starting(filter)
            outputs.append(.call(.start))
        case (.starting(let filter), .start, .success):
            state = .running(filter)
            advance()
        case (.starting, .start, .failure(let error)) where error.isInProgress:
            state = .clearing
            outputs.append(.call(.stop))
        // The scans stay: they begin with the next attempt.
        case (.clearing, .stop, _): state = .pausing(until: now + Self.pause)
        case (.filtering, .setFilter, .failure(let error)),
            (.starting, .start, .failure(let error)):
            failed(error, at: now)
        case (.refiltering(let filter), .setFilter, .success):
            state = .running(filter)
            advance()
        // The discovery goes on with the filter before, which may be too narrow.
        case (.refiltering, .setFilter, .failure(let error)):
            state = .stopping
            outputs.append(.call(.stop))
            failScans(error)
        case (.stopping, .stop, _):
            state = .idle
            advance()
        case (_, _, _): break
        }
    }

    private mutating func failed(_ error: BusError, at now: MonotonicInstant) {
        state = .pausing(until: now + Self.pause)
        failScans(error)
        advance()
    }

    private mutating func failScans(_ error: BusError) {
        for client in scans.keys.sorted(byNumber: \.rawValue) {
            outputs.append(.failed(client, error))
        }
        scans = [:]
    }

    var nextDeadline: MonotonicInstant? {
        if case .pausing(let until) = state { until } else { nil }
    }

    mutating func handleTimeout(at now: MonotonicInstant) {
        guard case .pausing(let until) = state, until <= now else { return }
        state = .idle
        advance()
    }

    // MARK: What is heard

    /// The clients to which a device is reported that was heard: all whose filters it passes, or one of them.
    mutating func heard(
        _ peer: PeerKey, _ discovery: Discovery, for only: ClientID? = nil
    ) -> [ClientID] {
        scans.keys.sorted(byNumber: \.rawValue).filter { client in
            (only == nil || only == client) && scans[client]?.admits(peer, discovery) == true
        }
    }

    /// A peer is forgotten.
    mutating func forget(_ peer: PeerKey) {
        for client in scans.keys { scans[client]?.forget(peer) }
    }
}
