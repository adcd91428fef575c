internal import BluetoothLE
public import LinuxIO
internal import Octets

/// A Bluetooth controller and what the system does with it, for any number of managers: what
/// bluetoothd is for the apps of an iPhone.
///
///     let adapter = try BluetoothAdapter(name: "Desk", at: .hci("hci-socket:0"))
///     let central = CentralManager(adapter)
///     await adapter.start()
///     for try await event in adapter.events { … }
///
/// It owns the links, the bonds and who is who; managers on it share its links. What pairing asks the
/// user is asked here. Everything runs on one event loop.
public actor BluetoothAdapter {
    /// The executor of everything here, and of every manager on this adapter.
    public nonisolated let loop: EventLoop

    /// The loop's thread.
    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        loop.asUnownedSerialExecutor()
    }

    /// What does the work; on the loop's thread only.
    nonisolated let system: SystemDriver
    private nonisolated let client: ClientID
    private var life = DeviceLife()
    private nonisolated let channel: EventChannel<AdapterEvent, DeviceError>
    /// The test bench that the controller belongs to.
    nonisolated let hooks: TestHooks?
    /// The Device Name.
    nonisolated let name: String

    /// An adapter that does nothing yet. Reads the bonds, and creates their file for a new device.
    ///
    /// - Parameters:
    ///   - name: The Device Name: 0 to 248 octets of UTF-8.
    ///   - bluetooth: Where the controller is.
    ///   - appearance: Assigned Numbers, 2.6; 0 is unknown.
    ///   - maximumPendingEvents: How many events may wait for a slow reader; further ones are counted and
    ///     dropped.
    ///   - loop: One that it shares with others; `nil` for one of its own, or that of a virtual controller.
    /// - Throws: An invalid moniker, bonds that cannot be read, or what else cannot be as it is configured.
    public init(
        name: String, at bluetooth: Bluetooth, appearance: UInt16 = 0,
        maximumPendingEvents: Int = 1_000, on loop: EventLoop? = nil
    ) throws(DeviceError) {
        let controller = try bluetooth.controller()
        var configuration = AdapterConfiguration(controller, name: name, appearance: appearance)
        configuration.maximumPendingEvents = maximumPendingEvents
        try self.init(configuration, on: try controller.loop(sharing: loop))
    }

    /// An adapter that does nothing yet, on a loop that it may share with others.
    init(_ configuration: AdapterConfiguration, on loop: EventLoop) throws(DeviceError) {
        let system = try SystemDriver(configuration, on: loop)
        self.system = system
        self.loop = loop
        client = system.makeClientID()
        (hooks, name) = (configuration.hooks, configuration.name)
        channel = EventChannel(
            limit: configuration.maximumPendingEvents,
            told: hooks?.teller(of: "\(configuration.name), adapter")
        ) { .missed($0) }
        system.enroll(self, as: client)
        hooks?.made { [weak self] in await self?.stop() }
    }

    /// Who lets go of an adapter that runs has no use for its controller: it is closed, without ceremony.
    deinit { loop.execute { [system] in system.close() } }

    // MARK: Life

    /// Opens the controller. Again does nothing.
    public func start() {
        guard life.start() else { return }
        system.open()
    }

    /// What happens, until the end; throws why it ended, unless ``stop()`` did. Events that wait are limited
    /// by what it was made with: see ``EventSequence``.
    public nonisolated var events: EventSequence<AdapterEvent, DeviceError> {
        EventSequence(channel, of: self)
    }

    /// Ends the links, by whoever they are used, then the transport. Waits until that is done, two seconds
    /// at most.
    public func stop() async {
        let timer = LoopTimer(on: loop) { [weak self] in
            self?.assumeIsolated { adapter in adapter.finish() }
        }
        switch life.stop(within: timer, by: loop.now + .seconds(2)) {
        case .done: return
        case .finish: finish()
        case .endLinks:
            system.end()
            finishIfAlone()
        case .wait: break
        }
        await withCheckedContinuation { life.waitForEnd($0) }
    }

    private func finishIfAlone() {
        if life.isStopping, system.connectedPeers.isEmpty { finish() }
    }

    /// Ends at once.
    func finish() {
        guard life.finish() else { return }
        system.close()
    }

    // MARK: What it knows and does

    /// What the controller can be used for.
    public var state: ManagerState { system.state }

    /// The bonded peers, the one whose bond was used last at the end.
    public var bonds: [BondDescription] { system.bonds }

    /// The peers that are connected, by whoever.
    public var connectedPeers: [PeerIdentifier] {
        system.connectedPeers.compactMap { system.identifier(of: $0) }
    }

    /// The name of a peer, as it was heard last; untrusted. `nil` where none was heard.
    public func name(of peer: PeerIdentifier) -> String? { system.peers[peer]?.name }

    /// Removes the bond with a peer and ends its link. The peer keeps its identifier as long as its address
    /// tells who it is: one that changes private addresses is a stranger after the next change, as it is to
    /// an iPhone.
    public func forget(_ peer: PeerIdentifier) { system.peer(peer).map { system.forget($0) } }

    /// Pairs with a connected peer, or encrypts the link with the bond; as Peripheral, asks for that.
    public func pair(_ peer: PeerIdentifier) { system.peer(peer).map { _ = system.pair($0) } }

    /// Whether centrals may pair that connect to this device.
    public var isPairingWindowOpen: Bool { system.isPairingWindowOpen }

    /// Lets centrals pair that connect to this device: for this long, or until
    /// ``closePairingWindow()`` where no duration is given.
    public func openPairingWindow(for duration: Duration? = nil) {
        system.openPairingWindow(for: duration)
    }

    /// Lets no central pair any more, whatever the configuration says. Pairing that is under way goes on.
    public func closePairingWindow() { system.closePairingWindow() }

    /// Ends the link to a peer, whoever uses it.
    public func disconnect(_ peer: PeerIdentifier) {
        system.peer(peer).map { system.disconnect($0) }
    }
}

// MARK: - What happens

extension BluetoothAdapter: SystemClient {
    nonisolated func receive(_ event: SystemEvent) {
        assumeIsolated { $0.received(event) }
    }

    private func received(_ event: SystemEvent) {
        switch event {
        case .controller(let event): received(event)
        case .link(let peer, let event): received(event, of: peer)
        case .peer(let peer, .identified(let merger)):
            send(of: peer) { .identified(merger.formerIdentifier, as: $0) }
        case .security(let peer, let event): received(event, of: peer)
        case .advertising(.onAir(let isOnAir)): channel.send(.advertising(isOnAir))
        // These are for managers.
        case .scan, .peer(_, .changed), .value, .server,
            .advertising(.changed), .advertising(.failed), .advertising(.ended):
            break
        }
    }

    private func received(_ event: SystemEvent.ControllerEvent) {
        switch event {
        case .listening(let place): channel.send(.listening(at: place))
        case .stateChanged(let state, let trouble): channel.send(.stateChanged(state, trouble))
        case .warning(let warning): channel.send(.warning(warning))
        case .pairingWindow(let isOpen): channel.send(.pairingWindow(isOpen: isOpen))
        case .failed(let error):
            life.fail(error)
            finish()
        case .closed: life.end(channel)
        case .resumed: break
        }
    }

    /// Tells what a peer did, by the identifier that it has.
    private func send(of peer: PeerKey, _ event: (PeerIdentifier) -> AdapterEvent) {
        if let identifier = system.identifier(of: peer) { channel.send(event(identifier)) }
    }

    private func received(_ event: SystemEvent.LinkEvent, of peer: PeerKey) {
        switch event {
        case .up: send(of: peer) { .connected($0) }
        case .down(let reason):
            send(of: peer) { .disconnected($0, .link(reason)) }
            finishIfAlone()
        case .changed, .mtuChanged, .hasRoom, .servicesChanged, .serviceChangedSubscribed,
            .connected,
            .connectFailed:
            break
        }
    }

    private func received(_ event: SystemEvent.SecurityEvent, of peer: PeerKey) {
        switch event {
        case .changed(let security): send(of: peer) { .secured($0, LinkProtection(security)) }
        case .ask(let question, let request):
            send(of: peer) { .pairing($0, system.request(request, asking: question)) }
        case .paired: send(of: peer) { .paired($0) }
        case .bondRestored: send(of: peer) { .bondRestored($0) }
        case .failed(let failure): send(of: peer) { .securityFailed($0, failure) }
        }
    }
}
