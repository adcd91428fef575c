internal import ANCSReceiver
internal import BlueZ
internal import BluetoothLE
// Calls of clients; ``CentralSystem`` documents each of them.
extension BlueZDriver: CentralSystem {
    /// Only those that were released and are about to end; the others are not this program's alone.
    var hasLinksToEnd: Bool { query { $0.isEndingLinks } }

    var state: ManagerState { isClosed ? .poweredOff : query { $0.state } }

    // MARK: Clients

    func dismissed(_ id: ClientID) { update { $0.dismiss(id, at: $1) } }

    // MARK: Peers

    func peer(_ identifier: PeerIdentifier) -> PeerKey? { query { $0.peer(identifier) } }

    func known(_ peer: PeerKey) -> KnownDevice? { query { $0.describe(peer) } }

    /// bluetoothd reads names itself, and keeps the service with the name to itself.
    func named(_ peer: PeerKey, _ name: String) {}

    var connectedPeers: [PeerKey] { query { $0.connectedPeers } }

    /// bluetoothd does not tell how the keys of a bond were made, nor when they were last used.
    var bonds: [BondDescription] {
        query { $0.bondedPeers }.compactMap { id in
            query { $0.describe(id) }.map { peer in
                BondDescription(
                    identifier: peer.identifier, name: peer.name, identity: peer.address.text,
                    isAuthenticated: nil, usesSecureConnections: nil)
            }
        }
    }

    func describe(_ peer: PeerKey, on link: LinkDescription?) -> PeerDescription? {
        known(peer).map { [digests] peer in
            PeerDescription(
                name: peer.name, address: peer.address.text,
                hasResolvableAddress: peer.address.randomKind == .resolvablePrivate,
                identity: peer.identity?.text, digest: digests.digest(of: peer.address.text))
        }
    }

    func paired(_ peer: PeerKey, isBonded: Bool, replacesBond: Bool) -> PeerEvent? {
        describe(peer, on: nil).map { .paired($0, isBonded: isBonded, replacing: nil) }
    }

    // MARK: Scanning

    func scan(_ request: ScanRequest, by client: ClientID) {
        desk.withdraw(.scan, from: client)
        update { $0.scan(request, by: client, at: $1) }
    }

    func stopScanning(by client: ClientID) {
        desk.withdraw(.scan, from: client)
        update { $0.stopScanning(by: client, at: $1) }
    }

    // MARK: Links

    func connect(_ peer: PeerKey, by client: ClientID, timeout: Duration?) {
        guard !isClosed else { return }
        update { $0.connect(peer, by: client, timeout: timeout, at: $1) }
    }

    func release(_ peer: PeerKey, by client: ClientID) {
        desk.withdraw(.connection(peer), from: client)
        change(peer) { $0.release(client, at: $1) }
    }

    func disconnect(_ peer: PeerKey) { change(peer) { $0.endOwnLink(at: $1) } }

    func mtu(of peer: PeerKey) -> Int? { query { $0.mtu(of: peer) } }

    /// bluetoothd tells the strength of advertising only.
    func readRSSI(
        of peer: PeerKey, by client: ClientID,
        completion: @escaping @Sendable (Result<Int8, RSSIFailure>) -> Void
    ) { desk.later { completion(.failure(.notSupported)) } }

    // MARK: Security

    func protectLink(to peer: PeerKey) { change(peer) { $0.pairForClient(at: $1) } }

    func answer(_ request: UInt64, with answer: PairingReply.Answer) {
        update { $0.passOn(answer, to: request, at: $1) }
    }

    func forget(_ peer: PeerKey) {
        guard let removal = query({ $0.removal(of: peer) }) else { return }
        runner.call(removal, within: .seconds(10)) { [weak self] result in
            guard case .failure(let error) = result else { return }
            self?.warn(.bluetoothd, "bluetoothd does not remove the device: \(error.text)")
        }
    }

    // MARK: Attributes

    func start(
        _ procedure: GATTProcedure, on peer: PeerKey, by client: ClientID,
        completion: @escaping RequestCompletion
    ) { request(completion, of: peer) { $0.start(procedure, $1, by: client, at: $2) } }

    func writeWithoutResponse(
        _ value: [UInt8], to attribute: AttributeHandle, of peer: PeerKey, by client: ClientID,
        completion: @escaping RequestCompletion
    ) {
        request(completion, of: peer) {
            $0.writeWithoutResponse(value, to: attribute, $1, by: client, at: $2)
        }
    }

    func hasRoom(to peer: PeerKey) -> Bool { query { $0.hasRoom(to: peer) } }

    func subscribe(
        _ isSubscribed: Bool, to characteristic: RemoteDatabase.Characteristic, of peer: PeerKey,
        by client: ClientID, completion: @escaping RequestCompletion
    ) {
        request(completion, of: peer) {
            $0.subscribe(isSubscribed, to: characteristic.value, $1, by: client, at: $2)
        }
    }

    /// bluetoothd always does that.
    func followServices(of peer: PeerKey) {}

    func findServices(
        of peer: PeerKey, then completion: @escaping @Sendable ([BluetoothUUID]) -> Void
    ) {
        start(.discoverPrimaryServices, on: peer, by: ownClient) { result in
            guard case .success(.services(let services)) = result else { return completion([]) }
            completion(services.map(\.uuid))
        }
    }

    func findConnected(
        withServices wanted: [BluetoothUUID],
        then completion: @escaping @Sendable ([PeerKey]) -> Void
    ) {
        let peers = query { $0.connectedPeers(withServices: wanted) }
        desk.later { completion(peers) }
    }
}
