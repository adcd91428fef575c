internal import BluetoothLE

// Calls of clients; ``BluetoothSystem`` documents each of them.

// The controller, bonds and pairing.
extension SystemDriver {
    var configuration: AdapterConfiguration { query { $0.configuration } }
    var state: ManagerState { query { $0.state } }
    var peers: PeerRegistry { query { $0.peers } }
    /// The public identifier of a peer; `nil` if the peer is no longer remembered.
    func identifier(of peer: PeerKey) -> PeerIdentifier? { query { $0.peers[peer]?.identifier } }
    /// The peer with a public identifier; `nil` if it is not known.
    func peer(_ identifier: PeerIdentifier) -> PeerKey? { query { $0.peers[identifier]?.key } }
    var bonds: [BondDescription] { query { $0.bonds } }

    /// The other bonded peers, and which of them has the identity resolving key of this one too.
    func comparedIdentityKey(of peer: PeerKey) -> (others: Int, same: PeerKey?) {
        query { $0.comparedIdentityKey(of: peer) }
    }

    func restart() { update { machine, now in machine.restart(at: now) } }
    func end() { update { machine, now in machine.end(at: now) } }

    /// Protects the link to a peer: the Central encrypts with the bond or pairs, the Peripheral requests it from the
    /// Central. Returns the error if that cannot start now; most callers may ignore `.security(.busy)`, which means that
    /// it is in progress.
    @discardableResult func pair(_ peer: PeerKey) -> HostUsageError? {
        attempt(at: peer) { host, link, now throws(HostUsageError) in
            try host.pair(link, at: now)
        }
    }

    func answer(_ request: UInt64, with answer: PairingReply.Answer) {
        update { machine, now in machine.answer(request, with: answer, at: now) }
    }

    func dismissed(_ id: ClientID) { update { machine, now in machine.dismiss(id, at: now) } }

    /// Asks a Central for connection parameters with which its link lasts; ``SystemEvent/LinkEvent/parameters`` may
    /// follow. Returns the error if that is impossible.
    @discardableResult
    func askForParameters(_ policy: LinkParameterPolicy, of peer: PeerKey) -> HostUsageError? {
        attempt(at: peer) { host, link, now throws(HostUsageError) in
            try host.askForParameters(policy, of: link, at: now)
        }
    }

    /// As Central, changes the connection parameters of the link to a peer; returns the error if that is impossible now.
    @discardableResult func updateParameters(
        _ parameters: ConnectionParameters, of peer: PeerKey
    ) -> HostUsageError? {
        attempt(at: peer) { host, link, now throws(HostUsageError) in
            try host.updateParameters(parameters, of: link, at: now)
        }
    }

    /// From now on, requests of accessories are reported, and a client answers them with
    /// ``answerParameters(_:of:after:)``.
    func letClientsAnswerParameters() {
        update { machine, _ in machine.host.setParameterAnswer(nil) }
    }

    /// The largest ATT_MTU of later links, at most that of the configuration.
    func setMaximumMTU(_ maximum: Int) {
        update { machine, _ in
            machine.host.setMaximumMTU(min(maximum, machine.configuration.controller.maximumMTU))
        }
    }

    /// As Central, answers a peer that requested connection parameters; what is accepted is applied after the delay.
    /// Returns the error if there is no request.
    @discardableResult func answerParameters(
        _ answer: ParameterAnswer, of peer: PeerKey, after delay: Duration
    ) -> HostUsageError? {
        attempt(at: peer) { host, link, now throws(HostUsageError) in
            try host.answerParameters(answer, of: link, after: delay, at: now)
        }
    }

    func forget(_ peer: PeerKey) { update { machine, now in machine.forget(peer, at: now) } }

    func named(_ peer: PeerKey, _ name: String) {
        update { machine, _ in machine.named(peer, name) }
    }

    func isBonded(_ peer: PeerKey) -> Bool { query { $0.isBonded(peer) } }
    func isProven(_ peer: PeerKey) -> Bool { query { $0.isProven(peer) } }
    func mayPair(_ peer: PeerKey) -> Bool { query { $0.mayPair(peer) } }

    func offersANCS(_ peer: PeerKey) {
        update { machine, now in machine.offersANCS(peer, at: now) }
    }

    var isPairingWindowOpen: Bool { query { $0.isPairingWindowOpen } }

    func openPairingWindow(for duration: Duration?) {
        update { machine, now in machine.openPairingWindow(for: duration, at: now) }
    }

    func closePairingWindow() { update { machine, now in machine.closePairingWindow(at: now) } }

    /// Uses the host at the link to a peer; returns the error if that is impossible by now, as without a link.
    @discardableResult private func attempt(
        at peer: PeerKey,
        _ body: (inout Host, ConnectionHandle, MonotonicInstant) throws(HostUsageError) -> Void
    ) -> HostUsageError? {
        do throws(HostUsageError) {
            try update { machine, now throws(HostUsageError) in
                guard let link = machine.link(of: peer) else { throw .unknownConnection }
                try body(&machine.host, link.handle, now)
            }
            return nil
        } catch { return error }
    }

    /// Reads from the host at the link to a peer; `nil` without a link.
    private func query<Value>(
        at peer: PeerKey, _ body: (borrowing Host, ConnectionHandle) -> Value?
    ) -> Value? {
        query { machine in
            guard let link = machine.link(of: peer) else { return nil }
            return body(machine.host, link.handle)
        }
    }
}

// Advertising and scanning.
extension SystemDriver {
    func advertise(
        _ request: AdvertisingArbiter.Request, by client: ClientID
    ) throws(AdvertisementPlan.PlanningError) {
        try update { machine, now throws(AdvertisementPlan.PlanningError) in
            try machine.advertise(request, by: client, at: now)
        }
    }

    func stopAdvertising(by client: ClientID) {
        update { machine, now in machine.stopAdvertising(by: client, at: now) }
    }

    /// What is advertised for all clients together.
    var advertisingState: AdvertisingState { query { $0.air.advertisingState } }

    /// Whether the request of a client is on air.
    func isOnAir(_ client: ClientID) -> Bool { query { $0.air.isOnAir(client) } }

    func scan(_ request: ScanRequest, by client: ClientID) {
        update { machine, now in machine.scan(request, by: client, at: now) }
    }

    func stopScanning(by client: ClientID) {
        update { machine, now in machine.stopScanning(by: client, at: now) }
    }
}

// Links.
extension SystemDriver {
    func connect(_ peer: PeerKey, by client: ClientID, timeout: Duration?) {
        update { machine, now in machine.connect(peer, by: client, timeout: timeout, at: now) }
    }

    func release(_ peer: PeerKey, by client: ClientID) {
        update { machine, now in machine.release(peer, by: client, at: now) }
    }

    func setReason(_ reason: SystemReason, _ isGiven: Bool, for peer: PeerKey) {
        update { machine, now in machine.setReason(reason, isGiven, for: peer, at: now) }
    }

    func disconnect(_ peer: PeerKey) {
        update { machine, now in machine.disconnect(peer, at: now) }
    }

    /// Makes a virtual controller hear nothing for a time, from a peer or, for `nil`, at all. Returns `false` if there is
    /// no link to the peer, or the controller is of another kind.
    func fade(_ peer: PeerKey?, for length: Duration) -> Bool {
        if let peer {
            return attempt(at: peer) { host, link, now throws(HostUsageError) in
                try host.fade(link, for: length, at: now)
            } == nil
        }
        return update { machine, now in (try? machine.host.fade(nil, for: length, at: now)) != nil }
    }

    func link(to peer: PeerKey) -> LinkDescription? { query { $0.link(to: peer) } }
    var connectedPeers: [PeerKey] { query { $0.connectedPeers } }
    var centralCount: Int { query { $0.centralCount } }
    var isFull: Bool { query { $0.isFull } }
    func mtu(of peer: PeerKey) -> Int? { query(at: peer) { $0.mtu(of: $1) } }

    /// Reads the strength of a peer's signal. `completion` is called once, in order with events.
    func readRSSI(
        of peer: PeerKey, by client: ClientID,
        completion: @escaping @Sendable (Result<Int8, RSSIFailure>) -> Void
    ) {
        let request = ClientRequest(id: makeRequest(.rssi(completion)), client: client)
        update { machine, now in machine.readRSSI(of: peer, for: request, at: now) }
    }
}

// Attributes of peers.
extension SystemDriver {
    /// Runs a procedure at the server of a peer. `completion` is called once, in order with events.
    func start(
        _ procedure: GATTProcedure, on peer: PeerKey, by client: ClientID, pairs: Bool,
        completion: @escaping @Sendable (Result<GATTResult, GATTFailure>) -> Void
    ) {
        let request = ClientRequest(id: makeRequest(.procedure(completion)), client: client)
        update { machine, now in
            machine.start(procedure, on: peer, for: request, pairs: pairs, at: now)
        }
    }

    /// Writes a value of at most ATT_MTU - 3 octets with a Write Command; returns the error if that is
    /// impossible.
    @discardableResult func writeWithoutResponse(
        _ value: [UInt8], to attribute: AttributeHandle, of peer: PeerKey
    ) -> HostUsageError? {
        attempt(at: peer) { host, link, now throws(HostUsageError) in
            try host.writeWithoutResponse(value, to: attribute, on: link, at: now)
        }
    }

    /// Sets the subscription of a client to a characteristic of a peer. `completion` is called once, in order
    /// with events.
    func subscribe(
        _ configuration: ClientCharacteristicConfiguration, at descriptor: AttributeHandle,
        of peer: PeerKey, by client: ClientID, pairs: Bool, isForced: Bool = false,
        completion: @escaping @Sendable (Result<GATTResult, GATTFailure>) -> Void
    ) {
        let request = ClientRequest(id: makeRequest(.procedure(completion)), client: client)
        update { machine, now in
            machine.subscribe(
                configuration, at: descriptor, of: peer, for: request, pairs: pairs,
                isForced: isForced,
                at: now)
        }
    }

    /// The services of a bonded peer as last discovered; `nil` if none are stored.
    func remoteDatabase(of peer: PeerKey) -> RemoteDatabase? {
        query(at: peer) { $0.remoteDatabase(of: $1) }
    }

    /// Stores the services of a bonded peer, or removes them for `nil`; does nothing for other peers.
    func keep(_ database: RemoteDatabase?, of peer: PeerKey) {
        attempt(at: peer) { host, link, _ in host.keep(database, of: link) }
    }

    /// Discovers the primary services of a connected peer; the result is empty if it does not answer. With
    /// `isWatching`, nothing is subscribed to, and no refusal is a reason to pair.
    func findServices(
        of peer: PeerKey, isWatching: Bool,
        then completion: @escaping @Sendable ([BluetoothUUID]) -> Void
    ) {
        let request = makeRequest(.services(completion))
        update { machine, now in
            machine.findServices(of: peer, for: request, isWatching: isWatching, at: now)
        }
    }

    /// Finds the connected peers that have one of these services. Peers that do not answer are left out.
    func findConnected(
        withServices wanted: [BluetoothUUID],
        then completion: @escaping @Sendable ([PeerKey]) -> Void
    ) {
        let peers = connectedPeers
        guard !wanted.isEmpty, !peers.isEmpty else { return later { completion([]) } }
        let search = ConnectedSearch(peers, completion)
        for peer in peers {
            findServices(of: peer) { uuids in
                search.answered(by: peer, matches: uuids.contains(where: wanted.contains))
            }
        }
    }

    func followServices(of peer: PeerKey) {
        update { machine, now in machine.followServices(of: peer, at: now) }
    }
}

// Our own attributes.
extension SystemDriver {
    func addService(
        _ definition: ServiceDefinition, startingAt start: AttributeHandle? = nil,
        announcing: Bool = true, by client: ClientID
    ) throws(HostUsageError) -> ServiceHandles {
        try update { machine, now throws(HostUsageError) in
            try machine.addService(
                definition, startingAt: start, announcing: announcing, by: client, at: now)
        }
    }

    func removeService(
        startingAt handle: AttributeHandle, announcing: Bool = true, by client: ClientID
    ) {
        update { machine, now in
            machine.removeService(startingAt: handle, announcing: announcing, by: client, at: now)
        }
    }

    func setHiddenUntilEncrypted(
        _ isHidden: Bool, serviceAt handle: AttributeHandle, by client: ClientID
    ) {
        update { machine, now in
            machine.setHiddenUntilEncrypted(isHidden, serviceAt: handle, by: client, at: now)
        }
    }

    /// Notifies a peer of a value of at most ATT_MTU - 3 octets, if it has subscribed; returns the error if that is impossible.
    @discardableResult func notify(
        _ value: [UInt8], of attribute: AttributeHandle, to peer: PeerKey
    ) -> HostUsageError? {
        attempt(at: peer) { host, link, now throws(HostUsageError) in
            try host.notify(value, of: attribute, on: link, at: now)
        }
    }

    /// Indicates a value to a peer, if it has subscribed; `indicationConfirmed` follows. Returns the error if that is
    /// impossible.
    @discardableResult func indicate(
        _ value: [UInt8], of attribute: AttributeHandle, to peer: PeerKey
    ) -> HostUsageError? {
        attempt(at: peer) { host, link, now throws(HostUsageError) in
            try host.indicate(value, of: attribute, on: link, at: now)
        }
    }

    /// Whether the link has room for more values; if not, `hasRoom` follows.
    func hasRoom(to peer: PeerKey) -> Bool { query(at: peer) { $0.hasRoom(on: $1) } ?? false }

    /// Whether nothing waits for the controller to take it.
    func isIdle(to peer: PeerKey) -> Bool {
        query(at: peer) { $0.queuedOctets(on: $1) == 0 } ?? false
    }

    /// Answers a read with the whole value, a write with an empty one, or either with an error, which refers to the
    /// attribute that is `refusing`. Ignored if the peer is no longer connected.
    func respond(
        to token: ATTBearer.RequestToken, with result: Result<[UInt8], ATTErrorCode>,
        refusing attribute: AttributeHandle? = nil, of peer: PeerKey
    ) {
        attempt(at: peer) { host, link, now throws(HostUsageError) in
            try host.respond(to: token, with: result, refusing: attribute, on: link, at: now)
        }
    }

    /// A peer's configuration of our attributes, by descriptor handle; `nil` if there is no link.
    func clientConfiguration(of peer: PeerKey) -> ClientConfiguration? {
        query(at: peer) { $0.clientConfiguration(of: $1) }
    }
}

/// Collects the services of several peers. Confined to the loop.
private final class ConnectedSearch: @unchecked Sendable {
    // Unchecked: see the type's comment.

    private let peers: [PeerKey]
    private let completion: @Sendable ([PeerKey]) -> Void
    private var answers: [PeerKey: Bool] = [:]

    init(_ peers: [PeerKey], _ completion: @escaping @Sendable ([PeerKey]) -> Void) {
        self.peers = peers
        self.completion = completion
    }

    func answered(by peer: PeerKey, matches: Bool) {
        answers[peer] = matches
        if answers.count == peers.count { completion(peers.filter { answers[$0] == true }) }
    }
}
