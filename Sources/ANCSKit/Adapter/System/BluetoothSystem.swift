internal import BluetoothLE
internal import LinuxIO
internal import Octets
internal import Synchronization

/// What bluetoothd is on an iPhone: the one owner of a controller, its links, its bonds and of who is
/// who. Managers and ports are its clients and have no other way to the air.
///
/// Confined to the loop's thread but for ``makeClientID()``, ``enroll(_:as:)`` and ``dismiss(_:)``, and
/// synchronous: a call has had its effect when it returns, and what follows from it may be told to
/// clients before that. All time is the loop's.
///
/// Who uses a link, and until when it stands:
///
/// * A link that this device made (as Central) is held by its users, the clients that asked for it with
///   ``connect(_:by:timeout:)``, and by reasons of the system's own (``SystemReason``). When the last of
///   either goes, the link is ended.
/// * A link that the peer made (as Peripheral) is the peer's: ``release(_:by:)`` never ends it.
/// * ``disconnect(_:)`` ends either by force.
final class BluetoothSystem: @unchecked Sendable {
    // Unchecked: confined to the loop's thread, which the driver's transport checks, but for the counter.

    let loop: EventLoop
    let configuration: AdapterConfiguration
    let storage: DeviceStorage
    /// What the controller can be used for.
    var state = ManagerState.unknown
    var peers: PeerRegistry
    /// The links by their handles, and the same by their peers; a peer has one link.
    var links: [ConnectionHandle: SystemLink] = [:]
    var linksOfPeers: [PeerIdentifier: SystemLink] = [:]
    var queue: ConnectionQueue
    var queueTimer: LoopTimer?
    var scans: [ClientScan] = []
    /// Who has stopped scanning, and is told when the controller has as well.
    var leavingScanners: [ClientID] = []
    /// Whether the connection queue wants advertisers to be looked for.
    var isListening = false
    /// What the host was told to do for everybody together.
    var scanParameters: ScanParameters?
    /// Whether the controller has said that it does.
    var isRadioScanning = false
    var services: [OwnedService] = []
    /// The bonded peers that are paired with again on their next link, since other keys broke the last one.
    var pairsAgain: Set<PeerIdentifier> = []
    var pairingWindow: PairingWindowState
    var pairingTimer: LoopTimer?
    var air: AirTime
    var airTimer: LoopTimer?
    /// How long the machine had been suspended when that was looked at last.
    var suspended = Duration.zero
    var suspensionTimer: LoopTimer?
    private(set) lazy var driver = makeDriver()
    private var clients: [(id: ClientID, client: WeakClient)] = []
    private let lastClient = Atomic<UInt64>(0)
    private var isOpen = false
    private var isClosed = false

    private struct WeakClient {
        weak var value: (any SystemClient)?
    }

    /// A system that has not been opened. Reads the state, and locks its file.
    init(_ configuration: AdapterConfiguration, on loop: EventLoop) throws(DeviceError) {
        self.loop = loop
        self.configuration = configuration
        if let fault = configuration.requiredProtection.fault(with: configuration.pairingAbility) {
            throw .configuration("the required protection cannot be had: " + fault)
        }
        storage = try DeviceStorage(configuration.store, toolbox: configuration.toolbox)
        peers = PeerRegistry(storage.initial.peers, toolbox: configuration.toolbox)
        queue = ConnectionQueue()
        pairingWindow = PairingWindowState(configuration.pairingWindow)
        air = AirTime(AirTime.Configuration(maximumLinks: configuration.maximumConnections))
    }

    private func makeDriver() -> HostDriver {
        peers.bondsChanged(to: storage.initial.bonds.map(\.bond.identityAddress))
        return HostDriver(
            moniker: configuration.transport, capture: configuration.capture,
            configuration: configuration.host(
                storage.initial, isPairable: isPairingWindowOpen), bonds: storage.initial.bonds,
            toolbox: storage.toolbox, on: loop,
            transportEvent: { [weak self] _, event in self?.handle(event) },
            deliver: { [weak self] _, output in self?.handle(output) })
    }

    // MARK: Life

    /// Opens the transport and sets the controller up. Again does nothing.
    func open() {
        guard !isOpen, !isClosed else { return }
        isOpen = true
        queueTimer = LoopTimer(on: loop) { [unowned self] in
            updateQueue { queue, now in queue.handleTimeout(at: now) }
        }
        pairingTimer = LoopTimer(on: loop) { [unowned self] in updatePairingWindow() }
        openAir()
        driver.open()
    }

    /// Sets the controller up anew: all links end.
    func restart() { driver.input { host, now in host.restart(at: now) } }

    /// Lets nobody in any more, looks for nobody, and ends all links.
    func end() {
        updateAir { air, _ in air.end() }
        for client in scans.map(\.client) { stopScanning(by: client) }
        updateQueue { queue, now in queue.end(at: now) }
        for link in links.values { driver.disconnect(link.handle) }
    }

    /// Closes the transport and lets go of the state's file; that it is off is the last thing told.
    func close() {
        guard !exchange(&isClosed, with: true) else { return }
        if exchange(&state, with: .poweredOff) != .poweredOff {
            tell(.controller(.stateChanged(.poweredOff, reason: "")))
        }
        clients = []
        queueTimer?.deadline = nil
        queueTimer = nil
        pairingTimer?.deadline = nil
        pairingTimer = nil
        closeAir()
        // Who waits for an answer of a peer waits no longer.
        for link in sortedLinks { endProcedures(on: link) }
        links = [:]
        linksOfPeers = [:]
        if isOpen { driver.close() }
        storage.close()
    }

    // MARK: Clients

    /// A name for a client to be. From any thread.
    func makeClientID() -> ClientID {
        ClientID(rawValue: lastClient.wrappingAdd(1, ordering: .relaxed).newValue)
    }

    /// Tells a client what happens from now on. From any thread: at once on the loop, else as soon as the
    /// loop turns, before anything that the caller asks of an actor on it afterwards.
    func enroll(_ client: any SystemClient, as id: ClientID) {
        guard loop.isCurrent else {
            return loop.execute { [weak client] in
                if let client { self.enroll(client, as: id) }
            }
        }
        guard !isClosed else { return }
        clients.append((id, WeakClient(value: client)))
    }

    /// A client is gone, with all that it wanted: scans, connect requests, the use of links, services and
    /// advertisements. From any thread.
    func dismiss(_ id: ClientID) {
        guard loop.isCurrent else { return loop.execute { self.dismiss(id) } }
        clients.removeAll { $0.id == id }
        guard !isClosed else { return }
        stopScanning(by: id)
        stopAdvertising(by: id)
        removeServices(of: id)
        releaseAll(by: id)
    }

    /// Tells everybody.
    func tell(_ event: SystemEvent) {
        for (_, client) in clients { client.value?.receive(event) }
    }

    /// Tells one client; whether it is there.
    @discardableResult
    func tell(_ id: ClientID, _ event: SystemEvent) -> Bool {
        guard let client = clients.first(where: { $0.id == id })?.client.value else { return false }
        client.receive(event)
        return true
    }
}
