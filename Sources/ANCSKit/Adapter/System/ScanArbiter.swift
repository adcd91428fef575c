internal import BluetoothLE
internal import Octets

/// One scanner for several clients, and for the connection queue: looks for all that any of them wants to
/// hear, and tells each what is news to it.
struct ScanArbiter: Sendable {
    /// What to do, or to tell.
    enum Output: Sendable {
        /// Have the host look for advertisers so; all of them count as new.
        case start(ScanParameters)
        case stop
        case tell(ClientID, SystemEvent.ScanEvent)
    }

    private var scans: [ClientScan] = []
    /// Those that have stopped scanning, and are told when the controller has as well.
    private var leaving: [ClientID] = []
    /// Whether the connection queue wants advertisers to be looked for.
    private var isListening = false
    /// What the host was told to do for all of them together.
    private var parameters: ScanParameters?
    /// Whether the controller has said that it does.
    private var isOnAir = false
    private var outputs = Queue<Output>()

    mutating func pollOutput() -> Output? { outputs.popFirst() }

    // MARK: What clients want

    /// Looks for advertisers on behalf of a client until ``stop(by:)``, or in another way than before;
    /// everything is news to it.
    mutating func scan(_ request: ScanRequest, by client: ClientID) {
        var scan = ClientScan(request, by: client)
        if let index = leaving.firstIndex(of: client) {
            // It comes back before the controller has stopped: as if it had stayed.
            leaving.remove(at: index)
            scan.isTold = true
        }
        if let index = scans.firstIndex(where: { $0.client == client }) {
            scan.isTold = scans[index].isTold
            scans[index] = scan
        } else {
            scans.append(scan)
        }
        // Advertisers that were heard already are to be heard again.
        update(again: true)
        tellThatItIsOnAir()
    }

    /// Looks no longer on behalf of a client.
    mutating func stop(by client: ClientID) {
        guard let index = scans.firstIndex(where: { $0.client == client }) else { return }
        let scan = scans.remove(at: index)
        update(again: false)
        guard scan.isTold else { return }
        // Where it was on air for no other client, this one is told when the controller has stopped.
        if parameters == nil, isOnAir {
            leaving.append(client)
        } else {
            outputs.append(.tell(client, .changed(isScanning: false)))
        }
    }

    /// Looks no longer on behalf of any client.
    mutating func stopAll() {
        for client in scans.map(\.client) { stop(by: client) }
    }

    /// Whether advertisers are looked for on behalf of a client.
    func isScanning(_ client: ClientID) -> Bool { scans.contains { $0.client == client } }

    /// Looks for advertisers on behalf of the connection queue, or no longer.
    mutating func setListening(_ isListening: Bool) {
        self.isListening = isListening
        update(again: isListening)
    }

    /// What the controller is to do for all together; `nil` where nothing is wanted.
    private var wantedParameters: ScanParameters? {
        guard isListening || !scans.isEmpty else { return nil }
        return ScanParameters(
            isActive: scans.contains { $0.request.isActive },
            filtersDuplicates: !scans.contains { $0.request.allowsDuplicates })
    }

    /// Has the controller do what is wanted; `again` makes what was heard news.
    private mutating func update(again: Bool) {
        let wanted = wantedParameters
        guard again || wanted != parameters else { return }
        parameters = wanted
        outputs.append(wanted.map { .start($0) } ?? .stop)
    }

    private mutating func tellThatItIsOnAir() {
        guard isOnAir else { return }
        for index in scans.indices where !scans[index].isTold {
            scans[index].isTold = true
            outputs.append(.tell(scans[index].client, .changed(isScanning: true)))
        }
    }

    // MARK: What happens

    /// The controller looks for advertisers.
    mutating func started() {
        isOnAir = true
        tellThatItIsOnAir()
    }

    /// The controller looks for advertisers no longer.
    mutating func stopped() {
        isOnAir = false
        for client in exchange(&leaving, with: []) {
            outputs.append(.tell(client, .changed(isScanning: false)))
        }
        for index in scans.indices where scans[index].isTold {
            scans[index].isTold = false
            outputs.append(.tell(scans[index].client, .changed(isScanning: false)))
        }
    }

    /// The controller refuses. Clients may ask again; the queue does so by itself.
    mutating func failed(_ failure: Scanner.Failure) {
        isOnAir = false
        parameters = nil
        isListening = false
        for client in exchange(&leaving, with: []) {
            outputs.append(.tell(client, .changed(isScanning: false)))
        }
        for scan in exchange(&scans, with: []) {
            outputs.append(.tell(scan.client, .failed(failure)))
        }
    }

    /// An advertiser was heard.
    mutating func heard(_ peer: PeerKey, _ discovery: Discovery) {
        for index in scans.indices where scans[index].admits(peer, discovery) {
            outputs.append(.tell(scans[index].client, .discovered(peer, discovery)))
        }
    }

    /// When a peer is heard again, that is news.
    mutating func forget(_ peer: PeerKey) {
        for index in scans.indices { scans[index].forget(peer) }
    }
}

/// What one client wants to hear, and was told.
struct ClientScan: Sendable {
    let client: ClientID
    var request: ScanRequest
    /// Whether it was told that advertisers are looked for.
    var isTold = false
    /// What it was told last of each peer; bounded.
    private var told: [PeerKey: Discovery] = [:]
    private var order = Queue<PeerKey>()
    /// As many as a ``Scanner`` remembers.
    private static let limit = 256

    init(_ request: ScanRequest, by client: ClientID) {
        self.request = request
        self.client = client
    }

    /// Whether the client wants to be told of this.
    mutating func admits(_ peer: PeerKey, _ discovery: Discovery) -> Bool {
        guard passes(discovery.advertisement) else { return false }
        // A signal that is stronger is no news.
        var content = discovery
        content.rssi = nil
        if let known = told[peer] {
            if !known.saysMore(than: content) { told[peer] = content }
            return request.allowsDuplicates || told[peer] != known
        }
        while order.count >= Self.limit, let oldest = order.popFirst() { told[oldest] = nil }
        order.append(peer)
        told[peer] = content
        return true
    }

    /// Whatever a peer says next is news.
    mutating func forget(_ peer: PeerKey) {
        guard told[peer] != nil else { return }
        told[peer] = Discovery(address: DeviceAddress(0, kind: .public))
    }

    private func passes(_ data: AdvertisingData) -> Bool {
        let wanted = request.solicitedServices
        guard !request.services.isEmpty || !wanted.isEmpty else { return true }
        let services = data.services
        let overflow = data.overflowArea
        return data.solicitedServices.contains(where: wanted.contains)
            || request.services.contains { uuid in
                services.contains(uuid) || overflow?.mayContain(uuid) == true
            }
    }
}

extension Discovery {
    /// Whether this is the other one and its scan response: of an advertiser that is heard again, that
    /// comes later.
    fileprivate func saysMore(than other: Discovery) -> Bool {
        guard hasScanResponse, !other.hasScanResponse else { return false }
        let structures = other.advertisement.structures
        guard advertisement.structures.starts(with: structures) else { return false }
        var whole = other
        whole.advertisement = advertisement
        whole.hasScanResponse = true
        return whole == self
    }
}
