internal import BluetoothLE
internal import LinuxIO
internal import OpenSSLSecurity

/// Owns a host, its links, its bonds and the identities of peers, as bluetoothd does on an iPhone. Managers
/// and ports are its clients, and reach the host only through it.
///
/// A machine like the host: inputs report what happened and what clients request, ``pollOutput()`` is called
/// until it returns `nil`, and ``handleTimeout(at:)`` at ``nextDeadline``. ``SystemDriver`` does that.
///
///     packet ─▶ Host ─▶ links · requests · scans · air · connection queue · peers ─▶ events, packets
///
/// The users of a link determine how long it lasts:
///
/// * A link that this device established (as Central) is held by its users, the clients that requested it
///   with ``connect(_:by:timeout:at:)``, and by reasons of the system's own (``SystemReason``). It is ended
///   when there are no more of either.
/// * A link that the peer established (as Peripheral) belongs to the peer: ``release(_:by:at:)`` never ends
///   it.
/// * ``disconnect(_:at:)`` ends either by force.
struct BluetoothSystem: ~Copyable {
    /// What to do, or to report.
    enum Output: Sendable {
        /// Send the packet on the transport.
        case send(HCIPacket)
        /// Report the event to all clients.
        case report(SystemEvent)
        /// Report the event to one client.
        case reportClient(ClientID, SystemEvent)
        /// Drop events of this kind that the client has not received yet.
        case withdraw(ClientID, SystemDesk.Withdrawal)
        /// A procedure of a client has ended.
        case completed(ClientRequest.ID, Result<GATTResult, GATTFailure>)
        /// The signal strength of a peer, in dBm.
        case rssiRead(ClientRequest.ID, Result<Int8, RSSIFailure>)
        /// The primary services of a peer.
        case servicesFound(ClientRequest.ID, [BluetoothUUID])
        /// Store ``bondRecords`` and the peers.
        case store
        /// The controller is ready.
        case controllerReady
        /// The controller is back, but cannot be set up: it may still be starting.
        case controllerNotReady
    }

    let configuration: AdapterConfiguration
    /// The state of the adapter.
    var state = ManagerState.unknown
    var host: Host
    var peers: PeerRegistry
    /// All links, sorted by handle.
    var links: [SystemLink] = []
    var queue = ConnectionQueue()
    var scans = ScanArbiter()
    var services: [OwnedService] = []
    /// Bonded peers with which to pair again on their next link, because different keys broke the last one.
    var pairsAgain: Set<PeerKey> = []
    var pairingRequests = OpenPairingRequests()
    var pairingWindow: PairingWindowState
    var keyTroubles = KeyTroubles()
    var air: AdvertisingArbiter
    /// The controller has disappeared, and may come back.
    private var isControllerAway = false
    private var outputs = Queue<Output>(keepingOctets: 1_024)

    /// A system whose controller is not there yet, with its stored state.
    init(_ configuration: AdapterConfiguration, stored: DeviceState, toolbox: OpenSSLToolbox) {
        self.configuration = configuration
        var peers = PeerRegistry(
            stored.peers, maximumStrangers: configuration.maximumStrangers,
            toolbox: configuration.controller.toolbox)
        peers.bondsChanged(to: stored.bonds.map(\.bond.identityAddress))
        let pairingWindow = PairingWindowState(configuration.controller.pairing.window)
        let isPairable = pairingWindow.isOpen(hasPhone: !peers.bondedPhones.isEmpty)
        host = Host(
            configuration: configuration.host(stored, isPairable: isPairable), toolbox: toolbox,
            bonds: stored.bonds)
        air = AdvertisingArbiter(
            AdvertisingArbiter.Configuration(maximumLinks: configuration.maximumConnections))
        self.peers = peers
        self.pairingWindow = pairingWindow
    }

    mutating func pollOutput(at now: MonotonicInstant) -> Output? {
        if let output = outputs.popFirst() { return output }
        settle(at: now)
        return outputs.popFirst()
    }

    mutating func put(_ output: Output) { outputs.append(output) }

    /// Reports an event to all clients.
    mutating func report(_ event: SystemEvent) { outputs.append(.report(event)) }

    /// Reports an event to one client.
    mutating func report(_ client: ClientID, _ event: SystemEvent) {
        outputs.append(.reportClient(client, event))
    }

    // MARK: Time

    /// When ``handleTimeout(at:)`` is due.
    ///
    /// `mutating`, because Swift 6.3 copies a struct in a class to the stack in order to borrow it.
    var nextDeadline: MonotonicInstant? {
        mutating get {
            let first = MonotonicInstant.earliest(host.nextDeadline, queue.nextDeadline)
            return .earliest(first, .earliest(air.nextDeadline, pairingWindow.nextDeadline))
        }
    }

    /// Call it when ``nextDeadline`` has passed; an early call does nothing.
    mutating func handleTimeout(at now: MonotonicInstant) {
        if Self.isDue(host.nextDeadline, now) {
            host.handleTimeout(at: now)
            settle(at: now)
        }
        if Self.isDue(queue.nextDeadline, now) {
            updateQueue(at: now) { queue in queue.handleTimeout(at: now) }
        }
        if Self.isDue(air.nextDeadline, now) {
            updateAdvertising(at: now) { air in air.handleTimeout(at: now) }
        }
        if Self.isDue(pairingWindow.nextDeadline, now) { updatePairingWindow(at: now) }
    }

    private static func isDue(_ deadline: MonotonicInstant?, _ now: MonotonicInstant) -> Bool {
        guard let deadline else { return false }
        return deadline <= now
    }

    /// The machine was suspended and has resumed; what the controller did meanwhile is unknown.
    mutating func resumed(at now: MonotonicInstant) {
        updateAdvertising(at: now) { air in air.resumed(at: now) }
        report(.controller(.resumed))
    }

    // MARK: The controller

    /// The transport is open.
    mutating func start(at now: MonotonicInstant) { host.start(at: now) }

    /// Sets the controller up again: all links end.
    mutating func restart(at now: MonotonicInstant) { host.restart(at: now) }

    /// A packet arrived from the controller.
    mutating func receive(_ packet: HCIPacket, at now: MonotonicInstant) {
        host.receive(packet, at: now)
        // The next packet may depend on it.
        settle(at: now)
    }

    /// The controller has disappeared, and may come back; `error` is the reason if it has not been reported.
    mutating func transportLost(_ error: IOError?, at now: MonotonicInstant) {
        isControllerAway = true
        host.transportLost(at: now)
        settle(at: now)
        if let error { resetting(.lost(error)) }
    }

    /// The controller has disappeared for good.
    mutating func transportClosed(_ reason: IOError, at now: MonotonicInstant) {
        host.transportClosed(at: now)
        settle(at: now)
        setState(.poweredOff, .closed(reason))
        report(.controller(.failed(.transport(reason))))
    }

    /// Stops advertising, scanning and connecting, and ends all links.
    mutating func end(at now: MonotonicInstant) {
        updateAdvertising(at: now) { air in air.end() }
        updateScans(at: now) { scans in scans.stopAll() }
        updateQueue(at: now) { queue in queue.end(at: now) }
        for link in links { disconnect(link.handle, at: now) }
    }

    /// Closes the system: pending requests end, and `closed` is the last event to clients.
    mutating func close(at now: MonotonicInstant) {
        // What happened before comes before the end.
        settle(at: now)
        if exchange(&state, with: .poweredOff) != .poweredOff {
            report(.controller(.stateChanged(.poweredOff, nil)))
        }
        for link in exchange(&links, with: []) where !link.isRefused {
            updateRequests(of: link, at: now) { $0.ended() }
        }
        report(.controller(.closed))
    }

    /// Removes a client, and ends its scans, connect requests, use of links, services and advertisements.
    mutating func dismiss(_ client: ClientID, at now: MonotonicInstant) {
        stopScanning(by: client, at: now)
        stopAdvertising(by: client, at: now)
        removeServices(of: client, at: now)
        releaseAll(by: client, at: now)
    }

    // MARK: What follows

    /// Handles the outputs of the host until there are none.
    @inline(never) mutating func settle(at now: MonotonicInstant) {
        while let output = host.pollOutput() { handle(output, at: now) }
    }

    mutating func handle(_ event: HostOutput.ControllerEvent, at now: MonotonicInstant) {
        switch event {
        case .ready:
            isControllerAway = false
            outputs.append(.controllerReady)
            setState(.poweredOn)
            keyTroubles.begin(at: now)
            updatePairingWindow(at: now)
            updateQueue(at: now) { queue in queue.ready(at: now) }
            updateAdvertising(at: now) { air in air.ready(at: now) }
        case .resetting(let reason): resetting(ControllerFailure(reason))
        case .failed where isControllerAway: outputs.append(.controllerNotReady)
        case .failed(let failure):
            let unusable = ControllerFailure(failure)
            setState(.unsupported, unusable)
            report(.controller(.failed(.controller(unusable))))
        }
    }

    private mutating func resetting(_ failure: ControllerFailure) {
        queue.reset()
        air.reset()
        setState(.resetting, failure)
    }

    private mutating func setState(_ state: ManagerState, _ failure: ControllerFailure? = nil) {
        guard self.state != state else { return }
        self.state = state
        report(.controller(.stateChanged(state, failure)))
    }

    // MARK: Storage

    /// Requests to store the known peers if there is another one.
    mutating func storeIfChanged() { if peers.isChanged { outputs.append(.store) } }

    /// The bonds to store.
    var bondRecords: [BondRecord] { host.bonds }

    /// A peer's Device Name was read; most phones do not advertise a name.
    mutating func named(_ peer: PeerKey, _ name: String) {
        guard !name.isEmpty, let known = peers[peer], known.name != name else { return }
        peers.setName(name, of: peer)
        storeIfChanged()
        report(.peer(known.key, .changed))
    }
}
