internal import BluetoothLE
internal import LinuxIO
internal import Octets

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

    func restart() { update { machine, now in machine.restart(at: now) } }
    func end() { update { machine, now in machine.end(at: now) } }

    /// Protects the link to a peer; returns the error if that cannot start now.
    @discardableResult
    func pair(_ peer: PeerKey) -> HostUsageError? {
        attempt { machine, now throws(HostUsageError) in try machine.pair(peer, at: now) }
    }

    /// The question of pairing as a request that the user can answer.
    func request(_ request: UInt64, asking question: SecurityManager.Question) -> PairingRequest {
        PairingRequest(
            question,
            reply: PairingReply(to: request) { [weak self] answer in
                self?.answer(request, with: answer)
            })
    }

    /// Passes on the user's answer to a request. From any thread.
    private func answer(_ request: UInt64, with answer: PairingReply.Answer) {
        guard loop.isCurrent else {
            return loop.execute { self.answer(request, with: answer) }
        }
        update { machine, now in machine.answer(request, with: answer, at: now) }
    }

    /// Returns the error if that is impossible.
    @discardableResult
    func askForParameters(_ policy: LinkParameterPolicy, of peer: PeerKey) -> HostUsageError? {
        attempt { machine, now throws(HostUsageError) in
            try machine.askForParameters(policy, of: peer, at: now)
        }
    }

    /// Returns the error if that is impossible now.
    @discardableResult
    func updateParameters(
        _ parameters: ConnectionParameters, of peer: PeerKey
    ) -> HostUsageError? {
        attempt { machine, now throws(HostUsageError) in
            try machine.updateParameters(parameters, of: peer, at: now)
        }
    }

    /// From now on, requests of accessories are reported, and a client answers them with
    /// ``answerParameters(_:of:after:)``.
    func letClientsAnswerParameters() {
        update { machine, _ in machine.host.setParameterAnswer(nil) }
    }

    /// Answers an accessory's request; returns the error if there is none.
    @discardableResult
    func answerParameters(
        _ answer: ParameterAnswer, of peer: PeerKey, after delay: Duration
    ) -> HostUsageError? {
        attempt { machine, now throws(HostUsageError) in
            try machine.answerParameters(answer, of: peer, after: delay, at: now)
        }
    }

    func forget(_ peer: PeerKey) {
        update { machine, now in machine.forget(peer, at: now) }
    }

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

    /// Makes a call that may have become impossible since it was decided; returns the error if so.
    private func attempt(
        _ body: (inout BluetoothSystem, MonotonicInstant) throws(HostUsageError) -> Void
    ) -> HostUsageError? {
        do throws(HostUsageError) {
            try update(body)
            return nil
        } catch { return error }
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

    func fade(_ peer: PeerKey?, for length: Duration) -> Bool {
        update { machine, now in machine.fade(peer, for: length, at: now) }
    }

    func link(to peer: PeerKey) -> LinkDescription? { query { $0.link(to: peer) } }
    var connectedPeers: [PeerKey] { query { $0.connectedPeers } }
    var centralCount: Int { query { $0.centralCount } }
    var isFull: Bool { query { $0.isFull } }
    func mtu(of peer: PeerKey) -> Int? { query { $0.mtu(of: peer) } }

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
        _ procedure: GATTProcedure, on peer: PeerKey, by client: ClientID,
        pairs: Bool,
        completion: @escaping @Sendable (Result<GATTResult, GATTFailure>) -> Void
    ) {
        let request = ClientRequest(id: makeRequest(.procedure(completion)), client: client)
        update { machine, now in
            machine.start(procedure, on: peer, for: request, pairs: pairs, at: now)
        }
    }

    /// Writes a value of at most ATT_MTU - 3 octets with a Write Command; returns the error if that is
    /// impossible.
    @discardableResult
    func writeWithoutResponse(
        _ value: [UInt8], to attribute: AttributeHandle, of peer: PeerKey
    ) -> HostUsageError? {
        attempt { machine, now throws(HostUsageError) in
            try machine.writeWithoutResponse(value, to: attribute, of: peer, at: now)
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

    func remoteDatabase(of peer: PeerKey) -> RemoteDatabase? {
        query { $0.remoteDatabase(of: peer) }
    }

    func keep(_ database: RemoteDatabase?, of peer: PeerKey) {
        update { machine, now in machine.keep(database, of: peer, at: now) }
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
            machine.removeService(
                startingAt: handle, announcing: announcing, by: client, at: now)
        }
    }

    func setHiddenUntilEncrypted(
        _ isHidden: Bool, serviceAt handle: AttributeHandle, by client: ClientID
    ) {
        update { machine, now in
            machine.setHiddenUntilEncrypted(isHidden, serviceAt: handle, by: client, at: now)
        }
    }

    /// Notifies a peer of a value, if it has subscribed; returns the error if that is impossible.
    @discardableResult
    func notify(
        _ value: [UInt8], of attribute: AttributeHandle, to peer: PeerKey
    ) -> HostUsageError? {
        attempt { machine, now throws(HostUsageError) in
            try machine.notify(value, of: attribute, to: peer, at: now)
        }
    }

    /// Indicates a value to a peer, if it has subscribed; returns the error if that is impossible.
    @discardableResult
    func indicate(
        _ value: [UInt8], of attribute: AttributeHandle, to peer: PeerKey
    ) -> HostUsageError? {
        attempt { machine, now throws(HostUsageError) in
            try machine.indicate(value, of: attribute, to: peer, at: now)
        }
    }

    func hasRoom(to peer: PeerKey) -> Bool { query { $0.hasRoom(to: peer) } }

    func respond(
        to token: ATTBearer.RequestToken, with result: Result<[UInt8], ATTErrorCode>,
        refusing attribute: AttributeHandle? = nil, of peer: PeerKey
    ) {
        update { machine, now in
            machine.respond(to: token, with: result, refusing: attribute, of: peer, at: now)
        }
    }

    func clientConfiguration(of peer: PeerKey) -> ClientConfiguration? {
        query { $0.clientConfiguration(of: peer) }
    }
}

/// Collects the services of several peers. Confined to the loop.
private final class ConnectedSearch: @unchecked Sendable {
    // Unchecked: see the type's comment.

    private let peers: [PeerKey]
    private let completion: @Sendable ([PeerKey]) -> Void
    private var answers: [PeerKey: Bool] = [:]

    init(
        _ peers: [PeerKey], _ completion: @escaping @Sendable ([PeerKey]) -> Void
    ) {
        self.peers = peers
        self.completion = completion
    }

    func answered(by peer: PeerKey, matches: Bool) {
        answers[peer] = matches
        if answers.count == peers.count { completion(peers.filter { answers[$0] == true }) }
    }
}
