public import BluetoothLE
public import LinuxIO
internal import Octets

/// Binds an app to one accessory, for good: finds it, connects it whenever it can be, and remembers it
/// from one launch to the next. An ANCS accessory stays connected to the system when its app ends, so that
/// it does not advertise; letting it go therefore is a matter of the app alone.
///
///     let binding = try AccessoryBinding(
///         AccessoryBinding.Configuration(app: "org.example.band", services: [band], store: store),
///         manager: CentralManager(adapter))
///     await binding.launch()                 // when the app is launched
///     try await binding.bind()               // when the user asks for an accessory
///     try await binding.unbind()             // when the user lets it go
///
/// See Documentation/Binding.md for the flow. The manager is the app's: its events tell of values, and its
/// ``peripheral`` is the one to use. A manager has one binding at most: while it looks for an accessory, the
/// manager's scan is the binding's. To end the connection for good, unbind: one that only the manager cancels
/// is made again. A binding that is let go does nothing any more, and leaves its connection to the manager.
public actor AccessoryBinding {
    /// Which accessory an app wants, and what it remembers.
    public struct Configuration: Sendable {
        /// The name of the app in the store.
        public var app: String
        /// The accessory has one of these services: those it is looked for by, connected or advertising.
        public var services: [BluetoothUUID]
        /// If it does not advertise its services: it solicits one of these.
        public var solicitedServices: [BluetoothUUID]
        /// Where the binding is remembered; `nil` forgets it at the end.
        public var store: BindingStore?
        /// What is remembered to begin with, where there is no store.
        public var remembered = StoredBinding.unbound
        /// How long further accessories may be heard of after the first one of a scan: the one with the
        /// strongest signal is connected. Zero connects the first one.
        public var candidateTime: Duration
        /// How many events may wait for a slow reader; further ones are counted and dropped.
        public var maximumPendingEvents: Int

        /// An accessory with one of these services, unless said otherwise the strongest of those that are
        /// heard within half a second.
        public init(
            app: String, services: [BluetoothUUID], solicitedServices: [BluetoothUUID] = [],
            store: BindingStore?, candidateTime: Duration = .milliseconds(500),
            maximumPendingEvents: Int = 100
        ) {
            self.app = app
            self.services = services
            self.solicitedServices = solicitedServices
            self.store = store
            self.candidateTime = candidateTime
            self.maximumPendingEvents = maximumPendingEvents
        }
    }

    /// How far the binding is.
    public enum State: Hashable, Sendable {
        /// Nothing is bound and nothing under way.
        case unbound
        /// The user let an accessory go; nothing happens until they ask for one.
        case justUnbound
        /// This accessory is bound, and nothing under way since the app was not launched.
        case bound(PeerIdentifier)
        /// An accessory is looked for, among those that are connected to the system and then on air.
        case searching
        /// This accessory is waited for.
        case connecting(PeerIdentifier)
        /// This accessory is connected.
        case connected(PeerIdentifier)
    }

    /// What happens, in the order in which it happens.
    public enum Event: Hashable, Sendable {
        /// The binding is in another state.
        case stateChanged(State)
        /// An accessory was bound, which is remembered from now on.
        case bound(PeerIdentifier, name: String?)
        /// The user let the accessory go, which is remembered.
        case unbound
        /// The launch does nothing, since the user let an accessory go and has not asked for one since.
        case justUnbound
        /// The system does not know the bound accessory any more: one is looked for as if none were
        /// bound. It stays remembered until another one is bound.
        case accessoryUnknown(PeerIdentifier)
        /// Something that the user should know, but that stops nothing.
        case warning(DeviceWarning)
        /// The reader of events was so slow that this many events were dropped.
        case missed(Int)
    }

    /// The executor, which is that of the manager.
    public nonisolated let loop: EventLoop

    /// The loop's thread.
    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        loop.asUnownedSerialExecutor()
    }

    /// The manager that connects the accessory.
    public nonisolated let manager: CentralManager
    private let configuration: Configuration
    private var flow: BindingFlow
    private nonisolated let channel: EventChannel<Event, Never>
    private var timer: LoopTimer?
    /// The attempt to connect that counts; those before were given up.
    private var attempt: UInt64 = 0
    /// What could not be remembered; it is tried again with the next link.
    private var unsaved: StoredBinding?

    /// The accessory, as long as it is waited for or connected: the object that has to be kept.
    public private(set) var peripheral: Peripheral?

    /// A binding that does nothing yet. Reads the store.
    public init(
        _ configuration: Configuration, manager: CentralManager
    ) throws(BindingStore.Failure) {
        let stored =
            try configuration.store?.binding(of: configuration.app) ?? configuration.remembered
        self.configuration = configuration
        self.manager = manager
        loop = manager.loop
        var times = BindingFlow.Configuration()
        times.candidateTime = configuration.candidateTime
        flow = BindingFlow(stored: stored, configuration: times)
        channel = EventChannel(
            limit: configuration.maximumPendingEvents,
            told: manager.adapter.hooks?.teller(of: configuration.app)
        ) { .missed($0) }
    }

    deinit {
        let (manager, owner) = (manager, ObjectIdentifier(self))
        loop.execute { manager.assumeIsolated { $0.stopObserving(for: owner) } }
    }

    /// How far the binding is.
    public var state: State { flow.publicState }

    /// What the app is bound to, as it is remembered.
    public var stored: StoredBinding { flow.stored }

    /// What happens, until the end of the adapter. Events that wait are limited by
    /// ``Configuration/maximumPendingEvents``: see ``EventSequence``.
    public nonisolated var events: EventSequence<Event, Never> {
        EventSequence(channel, of: self)
    }

    // MARK: What the app and its user want

    /// The app was launched: connects the accessory that is bound or, if none ever was, finds one. Does
    /// nothing after the user let one go, but says so (``Event/justUnbound``). Again does nothing.
    public func launch() {
        observe()
        input { flow, _ in flow.launch() }
    }

    /// The user asks for an accessory: as ``launch()``, also after one was let go. An accessory that is
    /// bound stays bound. Throws, and does nothing, where that the user asked cannot be remembered.
    public func bind() throws(BindingStore.Failure) {
        if flow.stored == .justUnbound {
            try configuration.store?.save(.unbound, of: configuration.app)
        }
        observe()
        input { flow, _ in flow.bind() }
    }

    /// The user lets the accessory go: the app does not use it any more, whether or not the system stays
    /// connected to it, forgets it, and binds none by itself until ``bind()``. Throws, and does nothing,
    /// where that cannot be remembered.
    public func unbind() throws(BindingStore.Failure) {
        try configuration.store?.save(.justUnbound, of: configuration.app)
        unsaved = nil
        input { flow, _ in flow.unbind() }
        // It may be one that is waited for no more, or to be tried again.
        peripheral = nil
    }

    // MARK: The flow

    /// Follows the manager, from the first time on.
    private func observe() {
        guard timer == nil else { return }
        timer = LoopTimer(on: loop) { [weak self] in
            self?.assumeIsolated { $0.input { flow, now in flow.handleTimeout(at: now) } }
        }
        let state = manager.assumeIsolated { manager in
            manager.observe(for: self) { [weak self] event in
                self?.assumeIsolated { $0.received(event) }
            }
            return manager.state
        }
        input { flow, now in flow.powerChanged(isOn: state == .poweredOn, at: now) }
    }

    private func received(_ event: CentralManagerEvent) {
        switch event {
        case .stateUpdated(let state):
            input { flow, now in flow.powerChanged(isOn: state == .poweredOn, at: now) }
            if state == .poweredOff { channel.finish() }
        case .discovered(let peripheral, let data, let rssi):
            guard data.isConnectable != false else { return }
            let isCertain =
                data.serviceUUIDs.contains(where: configuration.services.contains)
                || data.solicitedServiceUUIDs.contains(
                    where: configuration.solicitedServices.contains)
            input { flow, now in
                flow.discovered(
                    peripheral.identifier, rssi: rssi, isCertain: isCertain, at: now)
            }
        case .disconnected(let peripheral, _):
            input { flow, now in flow.disconnected(peripheral.identifier, at: now) }
        case .identified(let peripheral, let former):
            // It may have taken the place of the object that was waited for.
            if self.peripheral?.identifier == peripheral.identifier { self.peripheral = peripheral }
            input { flow, _ in flow.identified(former, as: peripheral.identifier) }
        case .nameUpdated(let peripheral):
            let name = peripheral.assumeIsolated { $0.name }
            input { flow, _ in flow.named(peripheral.identifier, name) }
        case .scanningStopped(let error):
            channel.send(.warning(DeviceWarning(.scanning, error.message)))
            input { flow, now in flow.scanningFailed(at: now) }
        case .connected, .valueUpdated, .servicesModified, .isReadyToSendWriteWithoutResponse,
            .missed:
            break
        }
    }

    /// Tells the flow something, and carries out what it then wants.
    private func input(_ body: (inout BindingFlow, MonotonicInstant) -> Void) {
        body(&flow, loop.now)
        while let output = flow.pollOutput() { carryOut(output) }
        timer?.deadline = flow.nextDeadline
    }

    private func carryOut(_ output: BindingFlow.Output) {
        switch output {
        case .retrieve(let identifier):
            let known = manager.assumeIsolated {
                $0.retrievePeripherals(withIdentifiers: [identifier]).first
            }
            peripheral = known
            input { flow, _ in flow.retrieved(isKnown: known != nil) }
        case .retrieveConnected: retrieveConnected()
        case .startScanning: startScanning()
        case .stopScanning: manager.assumeIsolated { $0.stopScan() }
        case .connect(let identifier, let timeout): connect(identifier, timeout: timeout)
        case .verify(let identifier): verify(identifier)
        case .cancel: cancel()
        case .store(let binding): store(binding)
        case .tell(let event): channel.send(event)
        }
    }

    private func retrieveConnected() {
        let services = configuration.services
        manager.assumeIsolated { manager in
            let system = manager.system
            system.findConnected(withServices: services) { [weak self] peers in
                let identifiers = peers.compactMap { system.identifier(of: $0) }
                self?.assumeIsolated {
                    $0.input { flow, _ in flow.retrievedConnected(identifiers) }
                }
            }
        }
    }

    private func verify(_ identifier: PeerIdentifier) {
        guard let peer = peripheral?.peer else { return }
        let wanted = configuration.services
        manager.assumeIsolated { manager in
            manager.system.findServices(of: peer) { [weak self] services in
                let isOurs = services.contains(where: wanted.contains)
                self?.assumeIsolated {
                    $0.input { flow, now in flow.verified(identifier, isOurs, at: now) }
                }
            }
        }
    }

    private func startScanning() {
        let (services, solicited) = (configuration.services, configuration.solicitedServices)
        let hasBegun = manager.assumeIsolated { manager in
            let options = ScanOptions(solicitedServices: solicited)
            return (try? manager.scanForPeripherals(withServices: services, options: options))
                != nil
        }
        if !hasBegun { input { flow, now in flow.scanningFailed(at: now) } }
    }

    private func connect(_ identifier: PeerIdentifier, timeout: Duration?) {
        attempt += 1
        let attempt = attempt
        let accessory = manager.assumeIsolated {
            $0.retrievePeripherals(withIdentifiers: [identifier]).first
        }
        peripheral = accessory
        guard let accessory else {
            return input { flow, now in flow.connectingFailed(identifier, at: now) }
        }
        manager.assumeIsolated { manager in
            let waiter = manager.makeWaiter()
            manager.beginConnecting(accessory, timeout: timeout, waiter: waiter) {
                [weak self] error in
                self?.assumeIsolated { $0.connectionEnded(attempt, error) }
            }
        }
    }

    /// The attempt brought a link, or an error.
    private func connectionEnded(_ attempt: UInt64, _ error: BluetoothError?) {
        guard attempt == self.attempt, let peripheral else { return }
        let identifier = peripheral.identifier
        if error == nil {
            if let unsaved { store(unsaved) }
            let name = peripheral.assumeIsolated { $0.name }
            input { flow, now in flow.connected(identifier, name: name, at: now) }
        } else {
            input { flow, now in flow.connectingFailed(identifier, at: now) }
        }
    }

    private func cancel() {
        attempt += 1
        guard let peripheral = exchange(&peripheral, with: nil) else { return }
        manager.assumeIsolated { $0.cancelPeripheralConnection(peripheral) }
    }

    private func store(_ binding: StoredBinding) {
        unsaved = nil
        do throws(BindingStore.Failure) {
            try configuration.store?.save(binding, of: configuration.app)
        } catch {
            unsaved = binding
            channel.send(
                .warning(
                    DeviceWarning(.storage, "the binding is not remembered: \(error.message)")))
        }
    }
}
