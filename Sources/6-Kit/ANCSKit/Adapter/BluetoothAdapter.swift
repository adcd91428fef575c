internal import ANCSReceiver
internal import BluetoothLE
internal import DBus
public import LinuxIO
/// A Bluetooth controller, its links and its bonds, shared by any number of managers. It has the role that
/// bluetoothd has for the apps of an iPhone: as a host of our own at a controller (`.hci(…)`), or together with Linux'
/// own bluetoothd (`.bluez(…)`).
///
///     let adapter = try BluetoothAdapter(name: "Desk", at: .hci("hci-socket:0"))
///     let central = CentralManager(adapter)
///     await adapter.start()
///     for try await event in adapter.events { … }
///
/// The adapter owns the links, the bonds and the identities of peers; its managers share the links. Pairing
/// requests are events of the adapter. Everything runs on one event loop.
///
/// At bluetoothd the same program runs unchanged, for a Central, without privileges and beside other programs. Links
/// and bonds are those of the whole machine there, and outlive the program; see Documentation/FromAMac.md. A
/// ``PeripheralManager``, a phone, and an accessory on a shared adapter need a controller.
public actor BluetoothAdapter: LoopActor, LivingDevice {
    /// The executor of the adapter and of all its managers.
    public nonisolated let loop: EventLoop

    /// Does the work; only on the loop's thread.
    nonisolated let system: any CentralSystem
    /// The same, if it is a host of our own; `nil` at bluetoothd.
    nonisolated let host: SystemDriver?
    private nonisolated let client: ClientID
    package var life = DeviceLife()
    private nonisolated let channel: EventChannel<AdapterEvent, DeviceError>
    /// The test bench that the controller belongs to.
    nonisolated let hooks: TestHooks?
    /// The Device Name.
    nonisolated let name: String

    /// The adapter of programs for Core Bluetooth that a test runs.
    @TaskLocal package static var ofPrograms: BluetoothAdapter?

    /// An adapter that has not started. Reads the bonds, or creates their file for a new device.
    ///
    /// - Parameters:
    ///   - name: The Device Name: 0 to 248 octets of UTF-8. At bluetoothd it is that of the machine instead.
    ///   - bluetooth: The controller, or an adapter of bluetoothd.
    ///   - appearance: Assigned Numbers, 2.6; 0 is unknown. bluetoothd has its own, too.
    ///   - maximumPendingEvents: How many events may be queued for a slow reader; further ones are counted
    ///     and dropped.
    ///   - loop: An event loop to share; `nil` for a new one, or that of a virtual controller.
    /// - Throws: `DeviceError` if the moniker is invalid, the bonds cannot be read, or the configuration is
    ///   impossible: at bluetoothd, whatever it decides by itself (`window`, `authentication`, `textsOnBus`, `bonds`).
    public init(
        name: String, at bluetooth: Bluetooth, appearance: UInt16 = 0,
        maximumPendingEvents: Int = 1_000, on loop: EventLoop? = nil
    ) throws(DeviceError) {
        if let place = try bluetooth.adapterOfBlueZ() {
            let loop = try place.loop(sharing: loop)
            try self.init(
                name: name, maximumPendingEvents: maximumPendingEvents, atBlueZ: place, on: loop
            ) { () throws(IOError) in try BusConnection(.system, on: loop) }
            return
        }
        let controller = try bluetooth.controller()
        try self.init(
            AdapterConfiguration(
                name: name, controller: controller, appearance: appearance,
                maximumPendingEvents: maximumPendingEvents),
            on: try controller.loop(sharing: loop))
    }

    /// An adapter that has not started, on an event loop that it may share.
    init(_ configuration: AdapterConfiguration, on loop: EventLoop) throws(DeviceError) {
        let host = try SystemDriver(configuration, on: loop)
        self.init(
            host, host: host, name: configuration.name,
            maximumPendingEvents: configuration.maximumPendingEvents,
            hooks: configuration.controller.hooks)
    }

    /// An adapter of the bluetoothd on the bus that `makeBus` connects to, which has not started.
    init(
        name: String, maximumPendingEvents: Int = 1_000, atBlueZ place: BlueZConfiguration,
        on loop: EventLoop, root: String = "", digests: PhoneDigests = PhoneDigests(),
        makeBus: @escaping () throws(IOError) -> any MessageBus
    ) throws(DeviceError) {
        if let fault = place.faultWithManagers { throw .configuration(fault) }
        self.init(
            try BlueZDriver(place, on: loop, root: root, digests: digests, makeBus: makeBus),
            host: nil, name: name, maximumPendingEvents: maximumPendingEvents, hooks: nil)
    }

    /// An adapter with this system, which is a host of our own or not.
    private init(
        _ system: any CentralSystem, host: SystemDriver?, name: String, maximumPendingEvents: Int,
        hooks: TestHooks?
    ) {
        (self.system, self.host) = (system, host)
        loop = system.loop
        client = system.makeClientID()
        (self.hooks, self.name) = (hooks, name)
        channel = EventChannel(
            limit: maximumPendingEvents, observer: hooks?.observer(of: "\(name), adapter")
        ) { .device(.missed($0)) }
        system.enroll(self, as: client)
        hooks?.made { [weak self] in await self?.stop() }
    }

    /// A running adapter that is released closes its controller without waiting for the links to end.
    deinit { loop.execute { [system] in system.close() } }

    // MARK: Life

    /// Opens the controller. Further calls do nothing.
    public func start() {
        guard life.start() else { return }
        system.open()
    }

    /// The events, until the adapter ends; throws the reason, unless ``stop()`` ended it. The queue is
    /// limited: see `EventSequence`.
    public nonisolated var events: EventSequence<AdapterEvent, DeviceError> {
        channel.events(of: self)
    }

    /// Ends all links, whatever uses them, then closes the transport. Returns when this is done, after at
    /// most two seconds. At bluetoothd no link is ended but those that were released before: the others stay for
    /// other programs, and for the next run.
    public func stop() async { await end() }

    package func endLinks() {
        system.end()
        finishIfAlone()
    }

    private func finishIfAlone() { if life.isStopping, !system.hasLinksToEnd { finish() } }

    /// Closes the transport at once.
    package func finish() {
        guard life.finish() else { return }
        system.close()
    }

    // MARK: What it knows and does

    /// The state of the adapter.
    public var state: ManagerState { system.state }

    /// Whether it has ended, and never starts again.
    package var hasEnded: Bool { system.isClosed }

    /// The bonded peers, in the order of the last use of their bonds, the most recent one last.
    public var bonds: [BondDescription] { system.bonds }

    /// The connected peers, whatever uses their links.
    public var connectedPeers: [PeerIdentifier] {
        system.connectedPeers.compactMap { system.identifier(of: $0) }
    }

    /// The name of a peer, as last received; untrusted. `nil` if none was received.
    public func name(of peer: PeerIdentifier) -> String? {
        system.peer(peer).flatMap { system.known($0)?.name }
    }

    /// Removes the bond with a peer and ends its link. The peer keeps its identifier as long as its address
    /// identifies it: after the next change of a private address it is an unknown device, as with an iPhone.
    /// bluetoothd removes the device and its bond for all programs: call this on the user's word only.
    public func forget(_ peer: PeerIdentifier) { system.peer(peer).map { system.forget($0) } }

    /// Protects the link to a connected peer: encrypts with the bond or pairs, or as Peripheral requests
    /// that. bluetoothd does not say how a link is protected, so `secured` never follows there.
    public func pair(_ peer: PeerIdentifier) {
        system.peer(peer).map { system.protectLink(to: $0) }
    }

    /// Whether centrals that connect to this device may pair; `false` at bluetoothd, which has a setting of its own.
    public var isPairingWindowOpen: Bool { host?.isPairingWindowOpen ?? false }

    /// Allows centrals that connect to this device to pair, for this duration or, without one, until
    /// ``closePairingWindow()``. Has no effect at bluetoothd, nor has that.
    public func openPairingWindow(for duration: Duration? = nil) {
        host?.openPairingWindow(for: duration)
    }

    /// Forbids centrals to pair, whatever the configuration says. A pairing in progress continues.
    public func closePairingWindow() { host?.closePairingWindow() }

    /// Ends the link to a peer, whatever uses it. At bluetoothd, a link that another program made, or may use, is
    /// not ended.
    public func disconnect(_ peer: PeerIdentifier) {
        system.peer(peer).map { system.disconnect($0) }
    }
}

extension BluetoothAdapter {
    /// The host of our own; throws for an adapter at bluetoothd.
    nonisolated func hostForANCS() throws(DeviceError) -> SystemDriver {
        guard let host else {
            throw .configuration(
                "a phone, or an accessory on a shared adapter, needs a controller of its own, by HCI, and "
                    + "this adapter is bluetoothd's")
        }
        return host
    }
}

// MARK: - What happens

extension BluetoothAdapter: SystemClient {
    static let topics: SystemTopics = [.controller, .link, .peer, .security, .advertising]

    nonisolated func receive(_ event: SystemEvent) { assumeOnLoop { $0.received(event) } }

    private func received(_ event: SystemEvent) {
        switch event {
        case .controller(let event): received(event)
        case .link(let peer, let event): received(event, of: peer)
        case .peer(let peer, .identified(let merger)):
            send(.identified(formerly: merger.formerIdentifier), of: peer)
        case .security(let peer, let event): received(event, of: peer)
        case .advertising(.onAir(let isOnAir)): channel.send(.device(.advertising(isOnAir)))
        // These are for managers.
        case .scan, .peer(_, .changed), .value, .server,
            .advertising(.changed), .advertising(.failed), .advertising(.ended):
            break
        }
    }

    private func received(_ event: SystemEvent.ControllerEvent) {
        if let event = event.forPrograms { channel.send(.device(event)) }
        switch event {
        case .failed(let error):
            life.fail(error)
            finish()
        case .closed: life.end(channel)
        case .listening, .stateChanged, .warning, .resumed, .pairingWindow: break
        }
    }

    /// Sends an event of a peer, with the peer's current identifier.
    private func send(_ event: PeerEvent, of peer: PeerKey) {
        if let identifier = system.identifier(of: peer) { channel.send(.peer(identifier, event)) }
    }

    private func received(_ event: SystemEvent.LinkEvent, of peer: PeerKey) {
        switch event {
        case .up(let link):
            if let known = system.describe(peer, on: link) { send(.connected(known), of: peer) }
        case .down(let reason):
            send(.disconnected(reason), of: peer)
            finishIfAlone()
        case .changed, .parameters, .parametersRequested, .mtuChanged, .hasRoom, .servicesChanged,
            .serviceChangedSubscribed, .serviceChangedConfirmed, .unsubscribed, .connected,
            .connectFailed:
            break
        }
    }

    private func received(_ event: SystemEvent.SecurityEvent, of peer: PeerKey) {
        switch event {
        case .changed(let security): send(.secured(LinkProtection(security)), of: peer)
        case .ask(let question, let request):
            send(.pairing(system.request(request, asking: question)), of: peer)
        case .paired(let isBonded, let replacesBond):
            if let event = system.paired(peer, isBonded: isBonded, replacesBond: replacesBond) {
                send(event, of: peer)
            }
        case .withdrawn: send(.pairingWithdrawn, of: peer)
        case .bondRestored: send(.bondRestored, of: peer)
        case .failed(let failure), .keyTrouble(let failure, news: .some):
            send(.securityFailed(failure), of: peer)
        case .keyTrouble(_, news: nil): break
        }
    }
}
