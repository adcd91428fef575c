internal import BluetoothLE
internal import LinuxIO
internal import Octets

/// Publishes services and advertises them, as `CBPeripheralManager`: one of any number of apps that share a
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
/// What the delegate of Core Bluetooth's is told comes in ``events``. A central that is refused a
/// protected value is asked to pair by the adapter, whose user answers the questions; the app has nothing to
/// do with it, and sees the request once it may be answered.
public actor PeripheralManager {
    /// The adapter that it is at.
    public nonisolated let adapter: BluetoothAdapter

    /// The loop's thread.
    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        adapter.loop.asUnownedSerialExecutor()
    }

    /// A service on air, and where.
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
    nonisolated var system: SystemDriver { adapter.system }
    private nonisolated let channel: EventChannel<PeripheralManagerEvent, Never>
    /// Who is told instead of the reader of events, on the loop and at once.
    private var observer: (@Sendable (PeripheralManagerEvent) -> Void)?
    private var isStateTold = false
    var published: [Published] = []
    /// By what their values have for a handle.
    var characteristics: [AttributeHandle: MutableCharacteristic] = [:]
    /// The connected peers that have something to do with this manager.
    var centrals: [PeerKey: Central] = [:]
    var book = SubscriptionBook()
    /// One for each link at most: a client waits for its response (Core Vol 3, Part F, 3.3.2).
    var questions: [UInt64: Question] = [:]
    var lastQuestion: UInt64 = 0
    /// What the system was asked to put on air.
    var wish: AirTime.Wish?
    var isAppInBackground = false

    /// A manager at an adapter, which has to be started for it to be of use. Its first event is the state
    /// of the adapter. At most `maximumPendingEvents` wait for a slow reader; further ones are counted and
    /// dropped, and requests among them refused.
    public init(_ adapter: BluetoothAdapter, maximumPendingEvents: Int = 1_000) {
        self.adapter = adapter
        client = adapter.system.makeClientID()
        channel = EventChannel(
            limit: maximumPendingEvents,
            // One without room for events has no readers to tell.
            told: maximumPendingEvents > 0
                ? adapter.hooks?.teller(of: "\(adapter.name), peripheral manager") : nil
        ) { .missed($0) }
        adapter.system.enroll(self, as: client)
        adapter.loop.execute { [weak self] in self?.assumeIsolated { $0.tellStateOnce() } }
    }

    deinit { adapter.system.dismiss(client) }

    /// What the adapter can do at the moment. (`state`)
    public var state: ManagerState { system.state }

    /// What happens, the state of the adapter first, until the end of the adapter. Events that wait are
    /// limited by `maximumPendingEvents`, and a request that has no room is refused: see ``EventSequence``.
    public nonisolated var events: EventSequence<PeripheralManagerEvent, Never> {
        EventSequence(channel, of: self)
    }

    /// The first event is the present state.
    private func tellStateOnce() {
        guard !exchange(&isStateTold, with: true) else { return }
        tell(.stateUpdated(state))
        if state == .poweredOff { channel.finish() }
    }

    /// Has everything told to an observer from now on, on the loop.
    func observe(_ observer: @escaping @Sendable (PeripheralManagerEvent) -> Void) {
        self.observer = observer
    }

    /// Tells the app; whether there was room.
    @discardableResult
    func tell(_ event: PeripheralManagerEvent) -> Bool {
        if let observer {
            observer(event)
            return true
        }
        return channel.send(event)
    }

    /// The central that a connected peer is.
    func central(_ peer: PeerKey) -> Central? {
        if let central = centrals[peer] { return central }
        guard let identifier = system.identifier(of: peer) else { return nil }
        let central = Central(
            peer, called: identifier, mtu: system.mtu(of: peer) ?? ATTBearer.defaultMTU)
        centrals[peer] = central
        return central
    }
}

// MARK: - What happens

extension PeripheralManager: SystemClient {
    nonisolated func receive(_ event: SystemEvent) {
        assumeIsolated { $0.received(event) }
    }

    private func received(_ event: SystemEvent) {
        switch event {
        case .controller(.stateChanged(let state, _)): stateChanged(to: state)
        case .link(let peer, .down): ended(peer)
        case .link(let peer, .mtuChanged(let mtu)): centrals[peer]?.setMTU(mtu)
        case .link(let peer, .hasRoom):
            if let central = centrals[peer], book.hasRoom(central) {
                tell(.isReadyToUpdateSubscribers)
            }
        case .peer(let peer, .identified):
            system.identifier(of: peer).map { centrals[peer]?.setIdentifier($0) }
        case .security(let peer, .bondRestored): subscriptionsRestored(of: peer)
        case .server(let peer, let event): received(event, of: peer)
        case .advertising(let event): advertisingChanged(event)
        // The adapter's user is asked and told, and managers of Centrals have the rest.
        case .controller(.listening), .controller(.failed), .controller(.warning),
            .controller(.resumed), .controller(.pairingWindow), .controller(.closed), .scan,
            .link(_, .up),
            .link(_, .changed), .link(_, .servicesChanged), .link(_, .serviceChangedSubscribed),
            .link(_, .connected),
            .link(_, .connectFailed), .peer(_, .changed), .security(_, .changed),
            .security(_, .ask), .security(_, .paired), .security(_, .failed), .value:
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
                tell(.isReadyToUpdateSubscribers)
            }
        // Its values are dynamic or cannot be written, and the adapter protects links by itself.
        case .valueWritten, .accessDenied: break
        }
    }

    private func stateChanged(to state: ManagerState) {
        if state != .poweredOn { wish = nil }
        isStateTold = true
        tell(.stateUpdated(state))
        // An adapter that was stopped, or has lost its transport, never comes back.
        if state == .poweredOff { channel.finish() }
    }

    /// A link is gone, and with it what its peer asked and subscribed to.
    private func ended(_ peer: PeerKey) {
        guard let central = centrals.removeValue(forKey: peer) else { return }
        questions = questions.filter { $0.value.central != central }
        let wasBlocked = book.hasRoom(central)
        for attribute in book.ended(central) { tellUnsubscribed(central, from: attribute) }
        // Whoever waited for room on that link need not.
        if wasBlocked { tell(.isReadyToUpdateSubscribers) }
    }
}
