internal import BluetoothLE
internal import LinuxIO
internal import Octets

/// What one client wants to hear, and was told.
struct ClientScan {
    let client: ClientID
    var request: ScanRequest
    /// Whether it was told that somebody looks.
    var isTold = false
    /// What it was told last of whom; bounded.
    private var told: [PeerIdentifier: Discovery] = [:]
    private var order = Queue<PeerIdentifier>()
    /// As many as a ``Scanner`` remembers.
    private static let limit = 256

    init(_ request: ScanRequest, by client: ClientID) {
        self.request = request
        self.client = client
    }

    /// Whether the client wants to be told of this.
    mutating func admits(_ peer: PeerIdentifier, _ discovery: Discovery) -> Bool {
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
    mutating func forget(_ peer: PeerIdentifier) {
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
    /// Whether this is the other one and its scan response: of an advertiser that is heard anew, that comes
    /// later.
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

// Looking for advertisers, for several clients at once.
extension BluetoothSystem {
    /// Looks for advertisers on behalf of a client until ``stopScanning(by:)``, or in another way than
    /// before; everybody is news to it. Does nothing where the adapter is not powered on.
    func scan(_ request: ScanRequest, by client: ClientID) {
        guard state == .poweredOn else { return }
        var scan = ClientScan(request, by: client)
        if let index = leavingScanners.firstIndex(of: client) {
            // It comes back before the controller has stopped: as if it had stayed.
            leavingScanners.remove(at: index)
            scan.isTold = true
        }
        if let index = scans.firstIndex(where: { $0.client == client }) {
            scan.isTold = scans[index].isTold
            scans[index] = scan
        } else {
            scans.append(scan)
        }
        // Who was heard already is to be heard again.
        updateScanner(anew: true)
        tellScanning()
    }

    /// Looks no longer on behalf of a client.
    func stopScanning(by client: ClientID) {
        guard let index = scans.firstIndex(where: { $0.client == client }) else { return }
        let scan = scans.remove(at: index)
        updateScanner(anew: false)
        guard scan.isTold else { return }
        // Where it was on air for nobody else, the client is told when the controller has stopped.
        if scanParameters == nil, isRadioScanning {
            leavingScanners.append(client)
        } else {
            tell(client, .scan(.changed(isScanning: false)))
        }
    }

    /// Whether advertisers are looked for on behalf of a client.
    func isScanning(_ client: ClientID) -> Bool { scans.contains { $0.client == client } }

    /// Has advertisers looked for on behalf of the connection queue.
    func setListening(_ isListening: Bool) {
        self.isListening = isListening
        updateScanner(anew: isListening)
    }

    /// What the controller is to do for everybody together; `nil` where nobody wants anything.
    private var wantedScanParameters: ScanParameters? {
        guard isListening || !scans.isEmpty else { return nil }
        return ScanParameters(
            isActive: scans.contains { $0.request.isActive },
            filtersDuplicates: !scans.contains { $0.request.allowsDuplicates })
    }

    /// Has the controller do what is wanted; `anew` has it tell again of whom it has told.
    private func updateScanner(anew: Bool) {
        let wanted = wantedScanParameters
        guard anew || wanted != scanParameters else { return }
        scanParameters = wanted
        if let wanted {
            driver.attempt { host, now throws(HostUsageError) in
                try host.startScanning(wanted, at: now)
            }
        } else {
            driver.input { host, now in host.stopScanning(at: now) }
        }
    }

    private func tellScanning() {
        guard isRadioScanning else { return }
        for client in scans.filter({ !$0.isTold }).map(\.client) { tellScanning(true, to: client) }
    }

    private func tellScanning(_ isScanning: Bool, to client: ClientID) {
        if let index = scans.firstIndex(where: { $0.client == client }) {
            scans[index].isTold = isScanning
        }
        tell(client, .scan(.changed(isScanning: isScanning)))
    }
}

// What the host tells of advertisers.
extension BluetoothSystem {
    func scanningStarted() {
        isRadioScanning = true
        tellScanning()
    }

    func scanningStopped() {
        isRadioScanning = false
        let told = exchange(&leavingScanners, with: []) + scans.filter(\.isTold).map(\.client)
        for client in told { tellScanning(false, to: client) }
    }

    /// Whoever scans may ask again; the queue does so by itself.
    func scanningFailed(_ failure: Scanner.Failure) {
        isRadioScanning = false
        scanParameters = nil
        isListening = false
        let scanning = exchange(&scans, with: []).map(\.client)
        for client in exchange(&leavingScanners, with: []) {
            tell(client, .scan(.changed(isScanning: false)))
        }
        for client in scanning { tell(client, .scan(.failed(failure))) }
        updateQueue { queue, now in queue.listeningFailed(at: now) }
    }

    func discovered(_ discovery: Discovery) {
        let peer = peers.heard(
            discovery.address, identity: discovery.identity,
            name: discovery.advertisement.localName,
            isNameShortened: discovery.advertisement.isLocalNameShortened,
            isConnectable: discovery.isConnectable, at: loop.now)
        var admitting: [ClientID] = []
        for index in scans.indices where scans[index].admits(peer, discovery) {
            admitting.append(scans[index].client)
        }
        for client in admitting { tell(client, .scan(.discovered(peer, discovery))) }
        guard discovery.isConnectable, queue.isWanted(peer) else { return }
        updateQueue { queue, now in queue.heard(peer, discovery.address, at: now) }
    }

    /// When a peer is heard again, that is news.
    func forgetHeard(_ peer: PeerIdentifier) {
        for index in scans.indices { scans[index].forget(peer) }
    }
}
