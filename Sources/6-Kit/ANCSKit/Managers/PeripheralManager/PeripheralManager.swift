internal import BluetoothLE
internal import LinuxIO
/// Publishes services and advertises them, like `CBPeripheralManager`. Any number of managers can share a
/// ``BluetoothAdapter``.
///
///     let manager = PeripheralManager(adapter)
///     let email = MutableCharacteristic(
///         type: uuid, properties: [.read, .notifyEncryptionRequired],
///         permissions: .readEncryptionRequired)
///     let profile = MutableService(type: service)
///     profile.characteristics = [email]
///     try await manager.add(profile)
///     for await event in manager.events {
///         switch event {
///         case .stateUpdated(.poweredOn):
///             try await manager.startAdvertising(AdvertisementData(serviceUUIDs: [service]))
///         case .didReceiveRead(let request):
///             request.value = …
///             await manager.respond(to: request, withResult: .success)
///         …
///
/// The calls of Core Bluetooth's delegate are ``events``. If a central needs protection for a value, the
/// adapter has it pair, and the adapter's owner answers the pairing requests; the app receives the read or
/// write once it is allowed.
///
/// It needs a controller of its own. At bluetoothd, whose server cannot choose handles and application errors, its
/// ``state`` is `ManagerState.unsupported`, as on a device without this role, and ``add(_:)`` and
/// ``startAdvertising(_:options:)`` throw `BluetoothError.Code.operationNotSupported`.
public actor PeripheralManager: LoopActor {
    /// The adapter that it uses.
    public nonisolated let adapter: BluetoothAdapter

    /// The executor of the manager.
    public nonisolated var loop: EventLoop { adapter.loop }

    /// A published service and its handles.
    struct Published {
        let service: MutableService
        let handles: ServiceHandles
        let characteristics: [MutableCharacteristic]
    }

    /// A request that the app has not answered.
    struct Question {
        let central: Central
        let token: ATTBearer.RequestToken
        let isRead: Bool
    }

    nonisolated let client: ClientID
    /// The host of the adapter; `nil` at bluetoothd, where there is no server of our own.
    nonisolated var system: SystemDriver? { adapter.host }
    private nonisolated let channel: EventChannel<PeripheralManagerEvent, Never>
    /// Receives events instead of a reader, at once and on the loop.
    private var observer: (@Sendable (PeripheralManagerEvent) -> Void)?
    private var isStateReported = false
    var published: [Published] = []
    /// By value handle.
    var characteristics: [AttributeHandle: MutableCharacteristic] = [:]
    /// The connected peers that have used this manager.
    var centrals: [PeerKey: Central] = [:]
    var book = SubscriptionBook()
    /// At most one per link: a client waits for its response (Core Vol 3, Part F, 3.3.2).
    var questions: [UInt64: Question] = [:]
    var lastQuestion: UInt64 = 0
    /// The request to the system.
    var request: AdvertisingArbiter.Request?
    var isAppInBackground = false

    /// A manager on an adapter, which has to be started separately. The first event is the state of the
    /// adapter. At most `maximumPendingEvents` are queued for a slow reader; further ones are counted and
    /// dropped, and requests among them refused.
    public init(_ adapter: BluetoothAdapter, maximumPendingEvents: Int = 1_000) {
        self.adapter = adapter
        client = adapter.system.makeClientID()
        channel = EventChannel(
            limit: maximumPendingEvents,
            // Without room for events there are no readers.
            observer: maximumPendingEvents > 0
                ? adapter.hooks?.observer(of: "\(adapter.name), peripheral manager") : nil
        ) { .missed($0) }
        adapter.system.enroll(self, as: client)
        adapter.loop.execute { [weak self] in self?.assumeOnLoop { $0.reportStateOnce() } }
    }

    deinit { adapter.system.dismiss(client) }

    /// The state of the adapter; `unsupported` at bluetoothd. (`state`)
    public var state: ManagerState { system?.state ?? .unsupported }

    /// Why ``state`` is not `poweredOn`, for people, if that is known.
    public private(set) var stateReason: String?

    /// The events, starting with the state of the adapter, until the adapter ends. The queue is limited by
    /// `maximumPendingEvents`; a request that does not fit is refused: see `EventSequence`.
    public nonisolated var events: EventSequence<PeripheralManagerEvent, Never> {
        channel.events(of: self)
    }

    /// The first event is the current state.
    private func reportStateOnce() {
        guard !exchange(&isStateReported, with: true) else { return }
        report(.stateUpdated(state))
        if adapter.system.isClosed { channel.finish() }
    }

    /// Sends all events to an observer from now on, on the loop; the end of the adapter as `poweredOff`.
    package func observe(_ observer: @escaping @Sendable (PeripheralManagerEvent) -> Void) {
        self.observer = observer
    }

    /// Sends an event to the app; returns whether there was room.
    @discardableResult func report(_ event: PeripheralManagerEvent) -> Bool {
        if let observer {
            observer(event)
            return true
        }
        return channel.send(event)
    }

    /// The object of a connected peer.
    func central(_ peer: PeerKey) -> Central? {
        if let central = centrals[peer] { return central }
        guard let system, let identifier = system.identifier(of: peer) else { return nil }
        let central = Central(peer, called: identifier, mtu: system.mtu(of: peer) ?? ATT.defaultMTU)
        centrals[peer] = central
        return central
    }
}

// MARK: - What happens

extension PeripheralManager: SystemClient {
    static let topics: SystemTopics = [.controller, .link, .peer, .security, .server, .advertising]

    nonisolated func receive(_ event: SystemEvent) { assumeOnLoop { $0.received(event) } }

    private func received(_ event: SystemEvent) {
        switch event {
        case .controller(.stateChanged(let state, let failure)):
            stateReason = state.reason(for: failure, after: stateReason)
            stateChanged(to: state)
        case .controller(.failed(let error)): stateReason = error.message
        // A stopped adapter, or one without transport, never comes back.
        case .controller(.closed):
            observer?(.stateUpdated(.poweredOff))
            channel.finish()
        case .link(let peer, .down): ended(peer)
        case .link(let peer, .mtuChanged(let mtu)): centrals[peer]?.setMTU(mtu)
        case .link(let peer, .hasRoom):
            if let central = centrals[peer], book.hasRoom(central) {
                report(.isReadyToUpdateSubscribers)
            }
        case .peer(let peer, .identified):
            system?.identifier(of: peer).map { centrals[peer]?.setIdentifier($0) }
        case .security(let peer, .bondRestored): subscriptionsRestored(of: peer)
        case .server(let peer, let event): received(event, of: peer)
        case .advertising(let event): advertisingChanged(event)
        // These are for the adapter's owner, and for central managers.
        case .controller(.listening), .controller(.warning),
            .controller(.resumed), .controller(.pairingWindow), .scan,
            .link(_, .up),
            .link(_, .changed), .link(_, .parameters), .link(_, .parametersRequested),
            .link(_, .servicesChanged),
            .link(_, .serviceChangedSubscribed), .link(_, .serviceChangedConfirmed),
            .link(_, .unsubscribed), .link(_, .connected),
            .link(_, .connectFailed), .peer(_, .changed), .security(_, .changed),
            .security(_, .ask), .security(_, .paired), .security(_, .failed),
            .security(_, .keyTrouble), .security(_, .withdrawn), .value:
            break
        }
    }

    private func received(_ event: ATTBearer.ServerEvent, of peer: PeerKey) {
        switch event {
        case .subscriptionChanged(let attribute, let configuration):
            configured(attribute, by: peer, as: configuration)
        case .readRequested(let token, let attribute): readRequested(by: peer, token, attribute)
        case .writeRequested(let token, let writes): writeRequested(by: peer, token, writes)
        case .indicationConfirmed:
            if let central = centrals[peer], book.confirmed(by: central) {
                report(.isReadyToUpdateSubscribers)
            }
        // Its values are dynamic or read-only, and the adapter protects links on its own.
        case .valueWritten, .accessDenied: break
        }
    }

    private func stateChanged(to state: ManagerState) {
        // That of bluetoothd does not matter: this manager cannot use it.
        guard system != nil else { return }
        if state != .poweredOn { request = nil }
        isStateReported = true
        report(.stateUpdated(state))
    }

    /// A link has ended, and with it the requests and subscriptions of its peer.
    private func ended(_ peer: PeerKey) {
        guard let central = centrals.removeValue(forKey: peer) else { return }
        questions = questions.filter { $0.value.central != central }
        let wasBlocked = book.hasRoom(central)
        for attribute in book.ended(central) { reportUnsubscribed(central, from: attribute) }
        // Values may have waited for room on that link.
        if wasBlocked { report(.isReadyToUpdateSubscribers) }
    }
}
