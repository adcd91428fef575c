public import LinuxIO
/// Scans for devices and connects to them, like `CBCentralManager`. A program may have several on one
/// ``BluetoothAdapter``: they share its links, but not their operations.
///
///     let manager = CentralManager(adapter)
///     for await event in manager.events {
///         switch event {
///         case .stateUpdated(.poweredOn): try await manager.scanForPeripherals(withServices: [uuid])
///         case .discovered(let peripheral, let data, let rssi): …
///         …
///
/// Requests are calls that return when they are done; anything else is an event. When a manager is released,
/// its connections are cancelled. As in Core Bluetooth, an app has to keep a discovered ``Peripheral``, so
/// that it remains the same object.
///
/// At bluetoothd, links are those of the whole machine: one that another program made is used, and never ended; one
/// that this program made outlives it, unless a manager cancels it.
public actor CentralManager: LoopActor {
    /// The adapter that it uses.
    public nonisolated let adapter: BluetoothAdapter
    /// The executor of the manager.
    public nonisolated let loop: EventLoop

    /// A function that receives events without reading them, and `nil` when they end.
    package typealias Observer = @Sendable (CentralManagerEvent?) -> Void

    let system: any CentralSystem
    nonisolated let client: ClientID
    private nonisolated let channel: EventChannel<CentralManagerEvent, Never>
    private var observers: [(owner: ObjectIdentifier, observer: Observer)] = []
    var peripherals = PeripheralTable()
    var scan: PeripheralScan?
    /// The attempts to connect, by object: objects stay the same, whatever pairing reveals.
    var attempts: [Peripheral: ConnectionAttempt] = [:]
    private var lastWaiter: UInt64 = 0
    /// Called when a peripheral gets a link or loses it, of any client.
    package var onLink: (@Sendable (Peripheral, _ isUp: Bool) -> Void)?

    /// A manager on an adapter, which has to be started separately. The first event is the state of the
    /// adapter. At most `maximumPendingEvents` are queued for a slow reader; further ones are counted and
    /// dropped.
    public init(_ adapter: BluetoothAdapter, maximumPendingEvents: Int = 1_000) {
        self.adapter = adapter
        loop = adapter.loop
        system = adapter.system
        client = adapter.system.makeClientID()
        channel = EventChannel(
            limit: maximumPendingEvents,
            // Without room for events there are no readers.
            observer: maximumPendingEvents > 0
                ? adapter.hooks?.observer(of: "\(adapter.name), central manager") : nil
        ) { .missed($0) }
        system.enroll(self, as: client)
        loop.execute { [weak self] in self?.assumeOnLoop { $0.reportState() } }
    }

    deinit {
        // A peripheral that is still held may have calls that no manager would complete any more.
        let (system, client, held) = (system, client, peripherals.held)
        loop.execute {
            system.dismiss(client)
            for peripheral in held {
                peripheral.assumeOnLoop { $0.disconnected(BluetoothError(.notConnected)) }
            }
        }
    }

    /// The state of the adapter. (`state`)
    public var state: ManagerState { system.state }

    /// Why ``state`` is not `poweredOn`, for people, if that is known.
    public internal(set) var stateReason: String?

    /// The error for what needs an adapter that is on.
    var notPoweredOn: BluetoothError { BluetoothError(notPoweredOnBecause: stateReason) }

    private func reportState() {
        report(.stateUpdated(state))
        if system.isClosed { finishEvents() }
    }

    // MARK: Events

    /// The events, starting with the state of the adapter, until the adapter ends. The queue is limited by
    /// `maximumPendingEvents`: see `EventSequence`.
    public nonisolated var events: EventSequence<CentralManagerEvent, Never> {
        channel.events(of: self)
    }

    /// Ends the events.
    func finishEvents() {
        channel.finish()
        for observer in observers { observer.observer(nil) }
    }

    func report(_ event: CentralManagerEvent) {
        channel.send(event)
        for observer in observers { observer.observer(event) }
    }

    /// Calls `observer` with every event, at once and on the loop, while `owner` exists; it is held weakly.
    package func observe(for owner: AnyObject, _ observer: @escaping Observer) {
        observers.append((ObjectIdentifier(owner), observer))
    }

    func stopObserving(for owner: ObjectIdentifier) { observers.removeAll { $0.owner == owner } }

    // MARK: Retrieving

    /// The peripherals with these identifiers that the system knows, in range or not, in the order of the
    /// identifiers: those that are bonded, were ever connected, or were discovered since the adapter was
    /// started. (`retrievePeripherals(withIdentifiers:)`)
    public func retrievePeripherals(withIdentifiers identifiers: [PeerIdentifier]) -> [Peripheral] {
        identifiers.compactMap { system.peer($0).flatMap { peripheral($0) } }
    }

    /// The peripherals that are connected to the *system*, by any client or on their own, and have one of
    /// these services, in the order of the controller's handles. This manager still has to connect them
    /// (``connect(_:timeout:)``), which needs no radio. (`retrieveConnectedPeripherals(withServices:)`)
    ///
    /// The services of devices are discovered if they are not known yet; devices that do not answer are left
    /// out.
    public func retrieveConnectedPeripherals(
        withServices services: [BluetoothUUID]
    ) async -> [Peripheral] {
        let peers = await withCheckedContinuation { waiting in
            system.findConnected(withServices: services) { waiting.resume(returning: $0) }
        }
        return peers.compactMap { peripheral($0) }
    }

    /// The peripherals with a link of any client.
    package var connectedPeripherals: [Peripheral] {
        system.connectedPeers.compactMap { peripheral($0) }
    }

    /// Finds the services of a peripheral with a link; there are none if it does not answer.
    package func findServices(
        of peripheral: Peripheral, then completion: @escaping @Sendable ([BluetoothUUID]) -> Void
    ) { system.findServices(of: peripheral.peer, then: completion) }

    /// The object of a device; `nil` if the system no longer remembers the device.
    func peripheral(_ peer: PeerKey) -> Peripheral? {
        if let known = peripherals[peer] { return known }
        guard let device = system.known(peer) else { return nil }
        let peripheral = Peripheral(device, at: system, for: client)
        peripherals.insert(peripheral)
        return peripheral
    }

    /// Throws unless the peripheral belongs to this manager and is the current object of its device.
    func check(_ peripheral: Peripheral) throws(BluetoothError) {
        guard peripheral.client == client, peripheral.system === system else {
            throw BluetoothError(.invalidParameters, "the peripheral belongs to another manager")
        }
        guard peripherals[peripheral.peer] === peripheral else {
            throw BluetoothError(.unknownDevice)
        }
    }

    package func makeWaiter() -> UInt64 {
        lastWaiter += 1
        return lastWaiter
    }
}
