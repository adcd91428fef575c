internal import BluetoothLE

/// Shares one scanner among several clients and the connection queue: scans for everything that any of them
/// wants, and reports to each what is news to it.
struct ScanArbiter: Sendable {
    /// What to do, or to report.
    enum Output: Sendable {
        /// Scan with these parameters; all advertisers are news.
        case start(ScanParameters)
        case stop
        case report(ClientID, SystemEvent.ScanEvent)
    }

    private var scans: [ClientScan] = []
    /// Clients that have stopped scanning, and are informed when the controller has stopped too.
    private var leaving: [ClientID] = []
    /// Whether the connection queue needs scanning.
    private var isListening = false
    /// The parameters that the host was given, for all together.
    private var parameters: ScanParameters?
    /// Whether the controller has confirmed that it scans.
    private var isOnAir = false
    private var outputs = Queue<Output>()

    mutating func pollOutput() -> Output? { outputs.popFirst() }

    // MARK: What clients want

    /// Scans for a client until ``stop(by:)``, or changes its scan; everything is news to it.
    mutating func scan(_ request: ScanRequest, by client: ClientID) {
        var scan = ClientScan(request, by: client)
        if let index = leaving.firstIndex(of: client) {
            // It returns before the controller has stopped, as if it had never stopped.
            leaving.remove(at: index)
            scan.isReported = true
        }
        if let index = scans.firstIndex(where: { $0.client == client }) {
            scan.isReported = scans[index].isReported
            scans[index] = scan
        } else {
            scans.append(scan)
        }
        // Advertisers that were received before have to be reported again.
        update(again: true)
        reportThatItIsOnAir()
    }

    /// Stops scanning for a client.
    mutating func stop(by client: ClientID) {
        guard let index = scans.firstIndex(where: { $0.client == client }) else { return }
        let scan = scans.remove(at: index)
        update(again: false)
        guard scan.isReported else { return }
        // If the scan ends with this client, it is informed when the controller has stopped.
        if parameters == nil, isOnAir {
            leaving.append(client)
        } else {
            outputs.append(.report(client, .changed(isScanning: false)))
        }
    }

    /// Stops scanning for all clients.
    mutating func stopAll() { for client in scans.map(\.client) { stop(by: client) } }

    /// Whether there is a scan for a client.
    func isScanning(_ client: ClientID) -> Bool { scans.contains { $0.client == client } }

    /// Starts or stops scanning for the connection queue.
    mutating func setListening(_ isListening: Bool) {
        self.isListening = isListening
        update(again: isListening)
    }

    /// The scan parameters for all together; `nil` if no scan is needed.
    private var wantedParameters: ScanParameters? {
        guard isListening || !scans.isEmpty else { return nil }
        var parameters = ScanParameters(
            isActive: scans.contains { $0.request.isActive },
            filtersDuplicates: !scans.contains { $0.request.allowsDuplicates })
        if scans.contains(where: \.request.isContinuous) { parameters.window = parameters.interval }
        return parameters
    }

    /// Brings the controller in line with the scans; with `again`, known advertisers are news.
    private mutating func update(again: Bool) {
        let wanted = wantedParameters
        guard again || wanted != parameters else { return }
        parameters = wanted
        outputs.append(wanted.map { .start($0) } ?? .stop)
    }

    private mutating func reportThatItIsOnAir() {
        guard isOnAir else { return }
        for index in scans.indices where !scans[index].isReported {
            scans[index].isReported = true
            outputs.append(.report(scans[index].client, .changed(isScanning: true)))
        }
    }

    // MARK: What happens

    /// The controller scans.
    mutating func started() {
        isOnAir = true
        reportThatItIsOnAir()
    }

    /// The controller no longer scans.
    mutating func stopped() {
        isOnAir = false
        for client in exchange(&leaving, with: []) {
            outputs.append(.report(client, .changed(isScanning: false)))
        }
        for index in scans.indices where scans[index].isReported {
            scans[index].isReported = false
            outputs.append(.report(scans[index].client, .changed(isScanning: false)))
        }
    }

    /// The controller refused. Clients may request it again; the queue does so on its own.
    mutating func failed(_ failure: Scanner.Failure) {
        isOnAir = false
        parameters = nil
        isListening = false
        for client in exchange(&leaving, with: []) {
            outputs.append(.report(client, .changed(isScanning: false)))
        }
        for scan in exchange(&scans, with: []) {
            outputs.append(.report(scan.client, .failed(BluetoothError(failure))))
        }
    }

    /// Whether any client scans for such an advertiser.
    func looks(for discovery: Discovery) -> Bool { scans.contains { $0.passes(discovery) } }

    /// Advertising was received.
    mutating func heard(_ peer: PeerKey, _ discovery: Discovery) {
        for index in scans.indices where scans[index].admits(peer, discovery) {
            outputs.append(.report(scans[index].client, .discovered(peer, discovery)))
        }
    }

    /// Advertising was received that no client looks for.
    mutating func passedOver(_ discovery: Discovery) {
        for scan in scans where scan.request.reportsOthers {
            outputs.append(.report(scan.client, .passedOver(discovery)))
        }
    }

    /// The next advertising of a peer is news.
    mutating func forget(_ peer: PeerKey) {
        for index in scans.indices { scans[index].forget(peer) }
    }
}

/// The scan of a client, and what was reported to it.
struct ClientScan: Sendable {
    let client: ClientID
    var request: ScanRequest
    /// Whether the client was informed that its scan has started.
    var isReported = false
    /// The last report of each peer; bounded.
    private var reported: [PeerKey: Discovery] = [:]
    private var order = Queue<PeerKey>()
    /// As many as a `Scanner` remembers.
    private static let limit = 256

    init(_ request: ScanRequest, by client: ClientID) {
        self.request = request
        self.client = client
    }

    /// Whether to report a discovery to the client.
    mutating func admits(_ peer: PeerKey, _ discovery: Discovery) -> Bool {
        guard passes(discovery) else { return false }
        // A changed signal strength is not news.
        var content = discovery
        content.rssi = nil
        if let known = reported[peer] {
            if !known.saysMore(than: content) { reported[peer] = content }
            return request.allowsDuplicates || reported[peer] != known
        }
        while order.count >= Self.limit, let oldest = order.popFirst() { reported[oldest] = nil }
        order.append(peer)
        reported[peer] = content
        return true
    }

    /// The next advertising of the peer is news.
    mutating func forget(_ peer: PeerKey) {
        guard reported[peer] != nil else { return }
        reported[peer] = Discovery(address: DeviceAddress(0, kind: .public))
    }

    /// Whether an advertiser is one that the client scans for.
    func passes(_ discovery: Discovery) -> Bool {
        let wanted = request.solicitedServices
        guard !request.services.isEmpty || !wanted.isEmpty else { return true }
        if request.includesBonded, discovery.identity != nil { return true }
        let data = discovery.advertisement
        let services = data.services
        let overflow = data.overflowArea
        return data.solicitedServices.contains(where: wanted.contains)
            || request.services.contains { uuid in
                services.contains(uuid) || overflow?.mayContain(uuid) == true
            }
    }
}

extension Discovery {
    /// Whether this discovery is the other one with its scan response added, which arrives later when an
    /// advertiser is received again.
    fileprivate func saysMore(than other: Discovery) -> Bool {
        guard hasScanResponse == true, other.hasScanResponse == false else { return false }
        let structures = other.advertisement.structures
        guard advertisement.structures.starts(with: structures) else { return false }
        var whole = other
        whole.advertisement = advertisement
        whole.hasScanResponse = true
        return whole == self
    }
}
