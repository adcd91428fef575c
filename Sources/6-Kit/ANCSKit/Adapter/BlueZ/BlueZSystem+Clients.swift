internal import BlueZ

// What clients want.
extension BlueZSystem {
    // MARK: Scans

    /// Scans for a client until ``stopScanning(by:at:)``. A second call replaces the first, and reports every device
    /// again. Devices that another program's discovery hears at present are reported at once.
    mutating func scan(_ request: ScanRequest, by client: ClientID, at now: MonotonicInstant) {
        guard state == .poweredOn else { return }
        scans.scan(request, by: client)
        for id in book.peers.keys.sorted(byNumber: \.rawValue) { heard(id, reportsTo: client) }
        settle(at: now)
    }

    /// Stops the scan of a client.
    mutating func stopScanning(by client: ClientID, at now: MonotonicInstant) {
        scans.stopScanning(by: client)
        settle(at: now)
    }

    // MARK: Links

    /// Changes a peer for a client, and what all peers share; `false` if it is not known.
    @discardableResult
    mutating func change(
        _ peer: PeerKey, at now: MonotonicInstant, _ body: (inout RemotePeer) -> Void
    ) -> Bool {
        defer { settle(at: now) }
        return update(book.aliases[peer], at: now, body)
    }

    /// Requests the link to a peer for a client, and waits for it without a limit or until a timeout. The request
    /// remains when Bluetooth is switched off, and when bluetoothd ends. If there is a link, the client uses that, no
    /// matter which program made it.
    mutating func connect(
        _ peer: PeerKey, by client: ClientID, timeout: Duration? = nil, at now: MonotonicInstant
    ) {
        let isKnown = change(peer, at: now) { peer in
            peer.connect(client, until: timeout.map { now + $0 }, at: now)
        }
        if !isKnown { report(.link(peer, .connectFailed(.unknownPeer)), to: client) }
    }

    /// Removes a client, and ends its scan, requests, subscriptions and use of links.
    mutating func dismiss(_ client: ClientID, at now: MonotonicInstant) {
        scans.stopScanning(by: client)
        for id in active.keys.sorted(byNumber: \.rawValue) {
            update(id, at: now) { peer in
                peer.endRequests(of: client)
                peer.release(client, at: now)
            }
        }
        settle(at: now)
    }

    /// Ends all scans, and all requests to connect: an attempt to connect would go on without this program. Links
    /// remain.
    mutating func end(at now: MonotonicInstant) {
        scans.stopAll()
        for id in active.keys.sorted(byNumber: \.rawValue) {
            update(id, at: now) { peer in peer.giveUpConnecting(at: now) }
        }
        settle(at: now)
    }

    /// Undoes what would outlive the connection to the bus, which is closed next: an attempt to connect, and that the
    /// adapter can be paired with. Links remain.
    mutating func close(at now: MonotonicInstant) {
        end(at: now)
        for id in active.filter(\.value.isPairing).keys.sorted(byNumber: \.rawValue) {
            if let path = book.peers[id]?.path { cancelPairing(with: path) }
        }
        restorePairable()
    }

    /// The call that makes bluetoothd end the link to a peer and remove its bond, which is that of all programs; `nil`
    /// if bluetoothd does not know it.
    func removal(of peer: PeerKey) -> BusCall? {
        guard let adapter, let path = book[peer]?.path else { return nil }
        return .removal(of: path, at: adapter)
    }

    // MARK: Attributes

    /// Counts a request of a client, and passes it on to a peer; ``Report/completed(_:_:)`` follows.
    mutating func request(
        _ request: RequestID, of peer: PeerKey, at now: MonotonicInstant,
        _ body: (inout RemotePeer) -> Void
    ) {
        requestCount += 1
        if requestCount > maximumRequests {
            complete(request, .failure(.tooManyRequests))
        } else if !change(peer, at: now, body) {
            complete(request, .failure(.gatt(.closed)))
        }
    }

    // MARK: What is known

    /// A peer; `nil` if it is not known any more.
    func describe(_ peer: PeerKey) -> KnownDevice? {
        book[peer].map { peer in
            KnownDevice(
                key: peer.id, identifier: peer.identifier, name: peer.object.name,
                address: peer.address, identity: peer.object.isPaired ? peer.address : nil)
        }
    }

    /// The peer with an identifier, of this run or an earlier one; `nil` if it is not known.
    mutating func peer(_ identifier: PeerIdentifier) -> PeerKey? {
        book.id(identifier) ?? book.recall(identifier)
    }

    /// The peers with links that have one of these services; any program may have made the links.
    func connectedPeers(withServices services: [BluetoothUUID]) -> [PeerKey] {
        connectedPeers.filter {
            book.peers[$0]?.object.services.contains(where: services.contains) == true
        }
    }

    /// The peers with links, in the order in which they were first seen; any program may have made the links.
    var connectedPeers: [PeerKey] {
        active.keys.filter { book.peers[$0]?.isLinked == true }.sorted(byNumber: \.rawValue)
    }

    /// Whether links that clients have released are ended at present.
    var isEndingLinks: Bool { active.keys.contains { book.peers[$0]?.isEnding == true } }

    /// The peers that bluetoothd has bonds with, in the order in which they were first seen.
    var bondedPeers: [PeerKey] {
        book.peers.values.filter(\.object.isPaired).map(\.id).sorted(byNumber: \.rawValue)
    }

    /// The ATT_MTU of a link in octets; `nil` without a link.
    func mtu(of peer: PeerKey) -> Int? { book[peer].flatMap { $0.isLinked ? $0.mtu : nil } }

    /// Whether a write without a response would be taken.
    func hasRoom(to peer: PeerKey) -> Bool { book[peer].map { $0.isUp && $0.hasRoom } ?? false }
}
