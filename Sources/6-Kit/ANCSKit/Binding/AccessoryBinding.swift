public import LinuxIO

/// Binds an app to one accessory: finds it, connects it whenever possible, and remembers it from one launch
/// to the next. An ANCS accessory stays connected to the system when its app ends, so it does not advertise;
/// unbinding is therefore a matter of the app alone.
///
///     let binding = try AccessoryBinding(
///         AccessoryBinding.Configuration(app: "org.example.band", services: [band], store: store),
///         manager: CentralManager(adapter))
///     await binding.launch()                 // when the app is launched
///     try await binding.bind()               // when the user asks for an accessory
///     try await binding.unbind()             // when the user no longer wants it
///
/// See Documentation/Binding.md for the flow. The manager belongs to the app: values are reported by the
/// manager's events, for the binding's ``peripheral``. A manager has at most one binding; while that looks
/// for an accessory, it uses the manager's scan. To end the connection for good, unbind: if only the manager
/// cancels it, the binding connects again. When a binding is released, it stops, and its connection stays
/// with the manager.
public actor AccessoryBinding: LoopActor {
    /// The accessory that an app needs, and where the binding is stored.
    public struct Configuration: Sendable {
        /// The name of the app in the store.
        public var app: String
        /// The services of the accessory: it is looked for by these, among connected and advertising devices.
        public var services: [BluetoothUUID]
        /// Services that the accessory solicits, if it does not advertise its own.
        public var solicitedServices: [BluetoothUUID]
        /// Where the binding is stored; `nil` keeps it only in memory.
        public var store: BindingStore?
        /// The binding to start with, if there is no store.
        public var remembered = StoredBinding.unbound
        /// How long after the first discovered accessory a scan continues; then the one with the strongest
        /// signal is connected. Zero connects the first one.
        public var candidateTime: Duration
        /// How many events may be queued for a slow reader; further ones are counted and dropped.
        public var maximumPendingEvents: Int

        /// An accessory with one of these services; by default the strongest one of those discovered within
        /// half a second.
        public init(
            app: String, services: [BluetoothUUID], solicitedServices: [BluetoothUUID] = [],
            store: BindingStore?, candidateTime: Duration = .milliseconds(500),
            maximumPendingEvents: Int = 100
        ) {
            (self.app, self.services, self.solicitedServices) = (app, services, solicitedServices)
            (self.store, self.candidateTime) = (store, candidateTime)
            self.maximumPendingEvents = maximumPendingEvents
        }
    }

    /// The state of a binding.
    public enum State: Equatable, Sendable {
        /// No accessory is bound, and none is being looked for.
        case unbound
        /// The user has unbound an accessory; the binding does nothing until ``AccessoryBinding/bind()``.
        case justUnbound
        /// This accessory is bound; nothing happens before the launch.
        case bound(PeerIdentifier)
        /// Looks for an accessory, first among connected devices, then by scanning.
        case searching
        /// Is connecting to this accessory, or waiting until that is possible.
        case connecting(PeerIdentifier)
        /// This accessory is connected.
        case connected(PeerIdentifier)
    }

    /// An event of a binding. Events are in order.
    public enum Event: Equatable, Sendable {
        /// The state changed.
        case stateChanged(State)
        /// An accessory was bound, and the binding was stored.
        case bound(PeerIdentifier, name: String?)
        /// The accessory was unbound, and that was stored.
        case unbound
        /// The launch does nothing, because the user has unbound an accessory and not asked for one since.
        case justUnbound
        /// The system no longer knows the bound accessory, so the binding looks for one as if none were
        /// bound. It stays stored until another one is bound.
        case accessoryUnknown(PeerIdentifier)
        /// A problem that the user should know about; the binding continues.
        case warning(DeviceWarning)
        /// The reader was so slow that this many events were dropped.
        case missed(Int)
    }

    /// The executor, which is that of the manager.
    public nonisolated let loop: EventLoop

    /// The manager that connects the accessory.
    public nonisolated let manager: CentralManager
    private let configuration: Configuration
    private var flow: BindingFlow
    private nonisolated let channel: EventChannel<Event, Never>
    private var timer: LoopTimer?
    /// The number of the current attempt to connect; earlier ones were cancelled.
    private var attempt: UInt64 = 0
    /// A binding that could not be stored; it is stored with the next link.
    private var unsaved: StoredBinding?

    /// The accessory, while it is connected or being connected to.
    public private(set) var peripheral: Peripheral?

    /// A binding that has not been launched. Reads the store; throws if that fails.
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
            observer: manager.adapter.hooks?.observer(of: configuration.app)
        ) { .missed($0) }
    }

    deinit {
        let (manager, owner) = (manager, ObjectIdentifier(self))
        loop.execute { manager.assumeOnLoop { $0.stopObserving(for: owner) } }
    }

    /// The state of the binding.
    public var state: State { flow.publicState }

    /// The stored binding.
    public var stored: StoredBinding { flow.stored }

    /// The events, until the adapter ends. The queue is limited by ``Configuration/maximumPendingEvents``:
    /// see `EventSequence`.
    public nonisolated var events: EventSequence<Event, Never> { channel.events(of: self) }

    // MARK: What the app and its user want

    /// The app was launched: connects to the bound accessory or, if none was ever bound, looks for one. After
    /// the user has unbound one, only reports ``Event/justUnbound``. Further calls do nothing.
    public func launch() {
        observe()
        input { flow, _ in flow.launch() }
    }

    /// The user asks for an accessory: like ``launch()``, but also after one was unbound. A bound accessory
    /// stays bound. If this cannot be stored, throws and does nothing.
    public func bind() throws(BindingStore.Failure) {
        if flow.stored == .justUnbound {
            try configuration.store?.save(.unbound, of: configuration.app)
        }
        observe()
        input { flow, _ in flow.bind() }
    }

    /// The user no longer wants the accessory: the app stops using it, whether or not the system stays
    /// connected to it, forgets it, and binds none until ``bind()``. If this cannot be stored, throws and
    /// does nothing.
    public func unbind() throws(BindingStore.Failure) {
        try configuration.store?.save(.justUnbound, of: configuration.app)
        unsaved = nil
        input { flow, _ in flow.unbind() }
        // It may be waiting for an attempt that is no longer wanted.
        peripheral = nil
    }

    // MARK: The flow

    /// Observes the manager, from the first call on.
    private func observe() {
        guard timer == nil else { return }
        timer = LoopTimer(on: loop) { [weak self] in
            self?.assumeOnLoop { $0.input { flow, now in flow.handleTimeout(at: now) } }
        }
        let state = manager.assumeOnLoop { manager in
            manager.observe(for: self) { [weak self] event in
                self?.assumeOnLoop { binding in
                    if let event { binding.received(event) } else { binding.channel.finish() }
                }
            }
            return manager.state
        }
        input { flow, now in flow.powerChanged(isOn: state == .poweredOn, at: now) }
    }

    private func received(_ event: CentralManagerEvent) {
        switch event {
        case .stateUpdated(let state):
            input { flow, now in flow.powerChanged(isOn: state == .poweredOn, at: now) }
        case .discovered(let peripheral, let data, let rssi):
            guard data.isConnectable != false else { return }
            let isCertain =
                data.serviceUUIDs.contains(where: configuration.services.contains)
                || data.solicitedServiceUUIDs.contains(
                    where: configuration.solicitedServices.contains)
            input { flow, now in
                flow.discovered(peripheral.identifier, rssi: rssi, isCertain: isCertain, at: now)
            }
        case .disconnected(let peripheral, _):
            input { flow, now in flow.disconnected(peripheral.identifier, at: now) }
        case .identified(let peripheral, let former):
            // It may be a new object for the accessory that was waited for.
            if self.peripheral?.identifier == peripheral.identifier { self.peripheral = peripheral }
            input { flow, _ in flow.identified(former, as: peripheral.identifier) }
        case .nameUpdated(let peripheral):
            let name = peripheral.assumeOnLoop { $0.name }
            input { flow, _ in flow.named(peripheral.identifier, name) }
        case .scanningStopped(let error):
            channel.send(.warning(DeviceWarning(.scanning, error.message)))
            input { flow, now in flow.scanningFailed(at: now) }
        case .connected, .valueUpdated, .notificationsEnded, .servicesModified,
            .isReadyToSendWriteWithoutResponse, .missed:
            break
        }
    }

    /// Calls the flow, and carries out its outputs.
    private func input(_ body: (inout BindingFlow, MonotonicInstant) -> Void) {
        body(&flow, loop.now)
        settle()
    }

    // Not inlined: outputs lead to inputs, and their copies would multiply.
    @inline(never) private func settle() {
        while let output = flow.pollOutput() { carryOut(output) }
        timer?.deadline = flow.nextDeadline
    }

    private func carryOut(_ output: BindingFlow.Output) {
        switch output {
        case .retrieve(let identifier):
            let known = manager.assumeOnLoop {
                $0.retrievePeripherals(withIdentifiers: [identifier]).first
            }
            peripheral = known
            input { flow, _ in flow.retrieved(isKnown: known != nil) }
        case .retrieveConnected: retrieveConnected()
        case .startScanning: startScanning()
        case .stopScanning: manager.assumeOnLoop { $0.stopScan() }
        case .connect(let identifier, let timeout): connect(identifier, timeout: timeout)
        case .verify(let identifier): verify(identifier)
        case .cancel: cancel()
        case .store(let binding): store(binding)
        case .report(let event): channel.send(event)
        }
    }

    private func retrieveConnected() {
        let services = configuration.services
        manager.assumeOnLoop { manager in
            let system = manager.system
            system.findConnected(withServices: services) { [weak self] peers in
                let identifiers = peers.compactMap { system.identifier(of: $0) }
                self?.assumeOnLoop {
                    $0.input { flow, _ in flow.retrievedConnected(identifiers) }
                }
            }
        }
    }

    private func verify(_ identifier: PeerIdentifier) {
        guard let peer = peripheral?.peer else { return }
        let wanted = configuration.services
        manager.assumeOnLoop { manager in
            manager.system.findServices(of: peer) { [weak self] services in
                let isOurs = services.contains(where: wanted.contains)
                self?.assumeOnLoop {
                    $0.input { flow, now in flow.verified(identifier, isOurs, at: now) }
                }
            }
        }
    }

    private func startScanning() {
        let (services, solicited) = (configuration.services, configuration.solicitedServices)
        let hasBegun = manager.assumeOnLoop { manager in
            let options = ScanOptions(solicitedServices: solicited)
            return (try? manager.scanForPeripherals(withServices: services, options: options))
                != nil
        }
        if !hasBegun { input { flow, now in flow.scanningFailed(at: now) } }
    }

    private func connect(_ identifier: PeerIdentifier, timeout: Duration?) {
        attempt += 1
        let attempt = attempt
        let accessory = manager.assumeOnLoop {
            $0.retrievePeripherals(withIdentifiers: [identifier]).first
        }
        peripheral = accessory
        guard let accessory else {
            return input { flow, now in flow.connectingFailed(identifier, at: now) }
        }
        manager.assumeOnLoop { manager in
            let waiter = manager.makeWaiter()
            manager.beginConnecting(accessory, timeout: timeout, waiter: waiter) {
                [weak self] error in self?.assumeOnLoop { $0.connectionEnded(attempt, error) }
            }
        }
    }

    /// The attempt ended with a link or an error.
    private func connectionEnded(_ attempt: UInt64, _ error: BluetoothError?) {
        guard attempt == self.attempt, let peripheral else { return }
        let identifier = peripheral.identifier
        if error == nil {
            if let unsaved { store(unsaved) }
            let name = peripheral.assumeOnLoop { $0.name }
            input { flow, now in flow.connected(identifier, name: name, at: now) }
        } else {
            input { flow, now in flow.connectingFailed(identifier, at: now) }
        }
    }

    private func cancel() {
        attempt += 1
        guard let peripheral = exchange(&peripheral, with: nil) else { return }
        manager.assumeOnLoop { $0.cancelPeripheralConnection(peripheral) }
    }

    private func store(_ binding: StoredBinding) {
        unsaved = nil
        do throws(BindingStore.Failure) {
            try configuration.store?.save(binding, of: configuration.app)
        } catch {
            unsaved = binding
            channel.send(
                .warning(
                    DeviceWarning(.storage, "the binding could not be stored: \(error.message)")))
        }
    }
}
