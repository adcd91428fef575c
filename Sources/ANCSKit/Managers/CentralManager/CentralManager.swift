public import BluetoothLE
public import LinuxIO
internal import Octets

/// An app that scans for and connects to devices, as `CBCentralManager`. A program may have several at one
/// ``BluetoothAdapter``: they share its links, and none sees what another does with them.
///
///     let manager = CentralManager(adapter)
///     for await event in manager.events {
///         switch event {
///         case .stateUpdated(.poweredOn): try await manager.scanForPeripherals(withServices: [uuid])
///         case .discovered(let peripheral, let data, let rssi): …
///         …
///
/// What an app asks for is a call that returns when it is done; what happens by itself is an event.
/// A manager that is let go takes back what it asked for, as if it had cancelled its connections. As in
/// Core Bluetooth, a ``Peripheral`` that was discovered has to be kept by the app if it is to stay the
/// same object.
public actor CentralManager {
    /// The adapter whose client it is.
    public nonisolated let adapter: BluetoothAdapter
    /// The executor of everything here.
    public nonisolated let loop: EventLoop

    /// The loop's thread.
    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        loop.asUnownedSerialExecutor()
    }

    /// What happens, told to those in this program that cannot wait for events.
    typealias Observer = @Sendable (CentralManagerEvent) -> Void

    let system: SystemDriver
    nonisolated let client: ClientID
    private nonisolated let channel: EventChannel<CentralManagerEvent, Never>
    private var observers: [(owner: ObjectIdentifier, tell: Observer)] = []
    var peripherals = PeripheralTable()
    var scan: PeripheralScan?
    /// The attempts to connect, by the objects that stand for the devices: those stay what they are,
    /// whatever pairing reveals.
    var attempts: [Peripheral: ConnectionAttempt] = [:]
    private var lastWaiter: UInt64 = 0

    /// A manager at an adapter, which has to be started for it to be of use. Its first event is the state
    /// of the adapter. At most `maximumPendingEvents` wait for a slow reader; further ones are counted and
    /// dropped.
    public init(_ adapter: BluetoothAdapter, maximumPendingEvents: Int = 1_000) {
        self.adapter = adapter
        loop = adapter.loop
        system = adapter.system
        client = adapter.system.makeClientID()
        channel = EventChannel(
            limit: maximumPendingEvents,
            // One without room for events has no readers to tell.
            told: maximumPendingEvents > 0
                ? adapter.hooks?.teller(of: "\(adapter.name), central manager") : nil
        ) { .missed($0) }
        system.enroll(self, as: client)
        loop.execute { [weak self] in self?.assumeIsolated { $0.tellState() } }
    }

    deinit {
        // Who still holds a peripheral may wait for an answer that nobody would pass on.
        let (system, client, held) = (system, client, peripherals.held)
        loop.execute {
            system.dismiss(client)
            for peripheral in held {
                peripheral.assumeIsolated { $0.disconnected(BluetoothError(.notConnected)) }
            }
        }
    }

    /// What the adapter can do at the moment. (`state`)
    public var state: ManagerState { system.state }

    private func tellState() {
        tell(.stateUpdated(state))
        if state == .poweredOff { finishEvents() }
    }

    // MARK: Events

    /// What happens, the state of the adapter first, until the end of the adapter. Events that wait are
    /// limited by `maximumPendingEvents`: see ``EventSequence``.
    public nonisolated var events: EventSequence<CentralManagerEvent, Never> {
        EventSequence(channel, of: self)
    }

    /// Nothing more happens.
    func finishEvents() { channel.finish() }

    func tell(_ event: CentralManagerEvent) {
        channel.send(event)
        for observer in observers { observer.tell(event) }
    }

    /// Tells `owner`, at once and on the loop, whatever happens; it does not hold it.
    func observe(for owner: AnyObject, _ tell: @escaping Observer) {
        observers.append((ObjectIdentifier(owner), tell))
    }

    func stopObserving(for owner: ObjectIdentifier) {
        observers.removeAll { $0.owner == owner }
    }

    // MARK: Retrieving

    /// The peripherals with these identifiers that the system knows, in range or not, in the order of the
    /// identifiers: those that are bonded, or were ever connected, or were heard since the adapter was
    /// started. (`retrievePeripherals(withIdentifiers:)`)
    public func retrievePeripherals(
        withIdentifiers identifiers: [PeerIdentifier]
    ) -> [Peripheral] {
        identifiers.compactMap { system.peer($0).flatMap { peripheral($0) } }
    }

    /// The peripherals that are connected to the *system*, by whichever part of it or by themselves, and
    /// have one of these services, in the order in which the controller numbers their links. For this
    /// manager they have to be connected still (``connect(_:timeout:)``), which then needs no radio.
    /// (`retrieveConnectedPeripherals(withServices:)`)
    ///
    /// The services of a device that nobody has asked for them yet are discovered meanwhile; who does not
    /// answer is left out.
    public func retrieveConnectedPeripherals(
        withServices services: [BluetoothUUID]
    ) async -> [Peripheral] {
        let peers = await withCheckedContinuation { waiting in
            system.findConnected(withServices: services) { waiting.resume(returning: $0) }
        }
        return peers.compactMap { peripheral($0) }
    }

    /// The object that stands for a device; `nil` where the system does not remember that any more.
    func peripheral(_ peer: PeerKey) -> Peripheral? {
        if let known = peripherals[peer] { return known }
        guard let device = system.peers[peer] else { return nil }
        let peripheral = Peripheral(device, at: system, for: client)
        peripherals.insert(peripheral)
        return peripheral
    }

    /// Whether a peripheral is one of this manager's, and the one that stands for the device.
    func check(_ peripheral: Peripheral) throws(BluetoothError) {
        guard peripheral.client == client, peripheral.system === system else {
            throw BluetoothError(
                .invalidParameters, "the peripheral is that of another manager")
        }
        guard peripherals[peripheral.peer] === peripheral else {
            throw BluetoothError(.unknownDevice)
        }
    }

    func makeWaiter() -> UInt64 {
        lastWaiter += 1
        return lastWaiter
    }
}
