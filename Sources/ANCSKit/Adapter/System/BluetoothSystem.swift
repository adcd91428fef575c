internal import BluetoothLE
internal import LinuxIO
internal import Octets

/// What bluetoothd is on an iPhone: the one owner of a host, its links, its bonds and of who is who.
/// Managers and ports are its clients and have no other way to the air.
///
/// A machine like the host that it owns: it is told what happened and what clients want, drained by
/// ``pollOutput()`` until `nil` and woken at ``nextDeadline``. ``SystemDriver`` does that.
///
///     packet ─▶ Host ─▶ links · requests · scans · air · connection queue · peers ─▶ events, packets
///
/// Who uses a link, and until when it stands:
///
/// * A link that this device made (as Central) is held by its users, the clients that asked for it with
///   ``connect(_:by:timeout:at:)``, and by reasons of the system's own (``SystemReason``). When the last of
///   either goes, the link is ended.
/// * A link that the peer made (as Peripheral) is the peer's: ``release(_:by:at:)`` never ends it.
/// * ``disconnect(_:at:)`` ends either by force.
struct BluetoothSystem: ~Copyable {
    /// What to do, or to tell.
    enum Output: Sendable {
        /// Give the packet to the transport.
        case send(HCIPacket)
        /// Tell all clients.
        case tell(SystemEvent)
        /// Tell one client.
        case tellClient(ClientID, SystemEvent)
        /// What one client has not been told of this is void.
        case withdraw(ClientID, Withdrawal)
        /// What a procedure came to that a client waits for.
        case completed(ClientRequest.ID, Result<GATTResult, GATTFailure>)
        /// How strong a peer is heard, in dBm.
        case rssiRead(ClientRequest.ID, Result<Int8, RSSIFailure>)
        /// The primary services of a peer.
        case servicesFound(ClientRequest.ID, [BluetoothUUID])
        /// Store ``bondRecords`` and the peers.
        case store
        /// The controller is set up.
        case controllerReady
        /// The controller that was away is back, but cannot be set up: it may still be starting.
        case controllerNotReady
    }

    /// What a client does not want to hear any more, since it has taken back what it was about.
    enum Withdrawal: Sendable {
        /// What its request for a link came to.
        case connection(PeerKey)
        /// That its scan failed.
        case scanFailure
        /// What its scan came to.
        case scan
        /// That what it wanted on air has ended.
        case advertisingEnd
        /// What became of what it wanted on air.
        case advertising
    }

    let configuration: AdapterConfiguration
    /// What the controller can be used for.
    var state = ManagerState.unknown
    var host: Host
    var peers: PeerRegistry
    /// All links, in the order of their handles.
    var links: [SystemLink] = []
    var queue = ConnectionQueue()
    var scans = ScanArbiter()
    var services: [OwnedService] = []
    /// The bonded peers that are paired with again on their next link, since other keys broke the last one.
    var pairsAgain: Set<PeerKey> = []
    var pairingRequests = OpenPairingRequests()
    var pairingWindow: PairingWindowState
    var air: AirTime
    /// The controller was there, and is gone; it may come back.
    private var isControllerAway = false
    private var outputs = Queue<Output>()

    /// A system whose controller is not there yet, with what was stored of it.
    init(_ configuration: AdapterConfiguration, stored: DeviceState, toolbox: OpenSSLToolbox) {
        self.configuration = configuration
        var peers = PeerRegistry(stored.peers, toolbox: configuration.toolbox)
        peers.bondsChanged(to: stored.bonds.map(\.bond.identityAddress))
        let pairingWindow = PairingWindowState(configuration.pairingWindow)
        let isPairable = pairingWindow.isOpen(hasPhone: !peers.bondedPhones.isEmpty)
        host = Host(
            configuration: configuration.host(stored, isPairable: isPairable), toolbox: toolbox,
            bonds: stored.bonds)
        air = AirTime(AirTime.Configuration(maximumLinks: configuration.maximumConnections))
        self.peers = peers
        self.pairingWindow = pairingWindow
    }

    mutating func pollOutput() -> Output? { outputs.popFirst() }

    mutating func put(_ output: Output) { outputs.append(output) }

    /// Tells all clients.
    mutating func tell(_ event: SystemEvent) { outputs.append(.tell(event)) }

    /// Tells one client.
    mutating func tell(_ client: ClientID, _ event: SystemEvent) {
        outputs.append(.tellClient(client, event))
    }

    // MARK: Time

    /// When ``handleTimeout(at:)`` is due.
    var nextDeadline: MonotonicInstant? {
        let first = MonotonicInstant.earliest(host.nextDeadline, queue.nextDeadline)
        return .earliest(first, .earliest(air.nextDeadline, pairingWindow.nextDeadline))
    }

    /// Time passed.
    mutating func handleTimeout(at now: MonotonicInstant) {
        if Self.isDue(host.nextDeadline, now) {
            host.handleTimeout(at: now)
            settle(at: now)
        }
        if Self.isDue(queue.nextDeadline, now) {
            updateQueue(at: now) { queue in queue.handleTimeout(at: now) }
        }
        if Self.isDue(air.nextDeadline, now) {
            updateAir(at: now) { air in air.handleTimeout(at: now) }
        }
        if Self.isDue(pairingWindow.nextDeadline, now) { updatePairingWindow(at: now) }
        settle(at: now)
    }

    private static func isDue(_ deadline: MonotonicInstant?, _ now: MonotonicInstant) -> Bool {
        guard let deadline else { return false }
        return deadline <= now
    }

    /// The machine was suspended, and is awake again; what the controller did meanwhile is not known.
    mutating func resumed(at now: MonotonicInstant) {
        updateAir(at: now) { air in air.resumed() }
        tell(.controller(.resumed))
        settle(at: now)
    }

    // MARK: The controller

    /// The transport is open.
    mutating func start(at now: MonotonicInstant) {
        host.start(at: now)
        settle(at: now)
    }

    /// Sets the controller up again: all links end.
    mutating func restart(at now: MonotonicInstant) {
        host.restart(at: now)
        settle(at: now)
    }

    /// A packet came from the controller.
    mutating func receive(_ packet: HCIPacket, at now: MonotonicInstant) {
        host.receive(packet, at: now)
        settle(at: now)
    }

    /// The controller is gone, and may come back; the reason where that is news.
    mutating func transportLost(_ error: IOError?, at now: MonotonicInstant) {
        isControllerAway = true
        host.transportLost(at: now)
        settle(at: now)
        if let error { resetting(.lost(error)) }
    }

    /// The controller is gone for good.
    mutating func transportClosed(_ reason: IOError, at now: MonotonicInstant) {
        host.transportClosed(at: now)
        settle(at: now)
        setState(.poweredOff, .closed(reason))
        tell(.controller(.failed(.transport(reason))))
    }

    /// Nothing is let in or looked for any more, and all links end.
    mutating func end(at now: MonotonicInstant) {
        updateAir(at: now) { air in air.end() }
        updateScans(at: now) { scans in scans.stopAll() }
        updateQueue(at: now) { queue in queue.end(at: now) }
        for link in links { disconnect(link.handle, at: now) }
        settle(at: now)
    }

    /// It is over: what waits for an answer of a peer waits no longer, and that it is closed is the last
    /// that clients are told.
    mutating func close(at now: MonotonicInstant) {
        if exchange(&state, with: .poweredOff) != .poweredOff {
            tell(.controller(.stateChanged(.poweredOff, nil)))
        }
        for link in exchange(&links, with: []) where !link.isRefused {
            updateRequests(of: link, at: now) { $0.ended() }
        }
        tell(.controller(.closed))
    }

    /// A client is gone, with all that it wanted: scans, connect requests, the use of links, services and
    /// advertisements.
    mutating func dismiss(_ client: ClientID, at now: MonotonicInstant) {
        stopScanning(by: client, at: now)
        stopAdvertising(by: client, at: now)
        removeServices(of: client, at: now)
        releaseAll(by: client, at: now)
    }

    // MARK: What follows

    /// Translates what the host puts out until it rests: the last thing that each input does.
    mutating func settle(at now: MonotonicInstant) {
        while let output = host.pollOutput() { handle(output, at: now) }
    }

    mutating func handle(_ event: HostOutput.ControllerEvent, at now: MonotonicInstant) {
        switch event {
        case .ready:
            isControllerAway = false
            outputs.append(.controllerReady)
            setState(.poweredOn)
            updatePairingWindow(at: now)
            updateQueue(at: now) { queue in queue.ready(at: now) }
            updateAir(at: now) { air in air.ready() }
        case .resetting(let reason): resetting(ControllerTrouble(reason))
        case .failed where isControllerAway: outputs.append(.controllerNotReady)
        case .failed(let failure):
            let trouble = ControllerTrouble(failure)
            setState(.unsupported, trouble)
            tell(.controller(.failed(.controller(trouble))))
        }
    }

    private mutating func resetting(_ trouble: ControllerTrouble) {
        queue.reset()
        air.reset()
        setState(.resetting, trouble)
    }

    private mutating func setState(_ state: ManagerState, _ trouble: ControllerTrouble? = nil) {
        guard self.state != state else { return }
        self.state = state
        tell(.controller(.stateChanged(state, trouble)))
    }

    // MARK: Storage

    /// Has the peers stored where there is another one.
    mutating func storeIfChanged() {
        if peers.isChanged { outputs.append(.store) }
    }

    /// The bonds, as they are stored.
    var bondRecords: [BondRecord] { host.bonds }

    /// A peer's Device Name was read: most phones have no name on air.
    mutating func named(_ peer: PeerKey, _ name: String) {
        guard !name.isEmpty, let known = peers[peer], known.name != name else { return }
        peers.setName(name, of: peer)
        storeIfChanged()
        tell(.peer(known.key, .changed))
    }
}
