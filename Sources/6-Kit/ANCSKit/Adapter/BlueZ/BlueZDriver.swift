internal import ANCSReceiver
internal import BlueZ
internal import BluetoothLE

/// What is below the managers at bluetoothd: runs a `BlueZSystem` on the system bus, and translates between it and its
/// clients.
///
/// bluetoothd owns links and bonds. When a client releases its last use of a link, the link is ended only if this
/// program made it and nothing is seen of another one that uses it. ``end()`` and ``close()`` leave all links as they
/// are, and so does the end of the process: the next program finds them.
final class BlueZDriver: @unchecked Sendable {
    // Unchecked: confined to the loop's thread, which the desk and the connection to the bus check.

    /// The pause before the identifiers of peers are stored again, because another program does that.
    private static let storingPause = Duration.milliseconds(50)
    /// How long the end waits for that.
    private static let storingLimit = Duration.seconds(1)

    let loop: EventLoop
    let desk: SystemDesk
    let place: BlueZConfiguration
    let digests: PhoneDigests
    /// The client for what nobody in particular wants.
    let ownClient: ClientID
    let runner: BlueZRunner<BlueZSystem>
    private let store: BlueZPeerStore?
    private var isOpen = false
    private(set) var isClosed = false
    private var lastRequest: UInt64 = 0
    private var pending: [AttributeQueue.RequestID: PendingRequest] = [:]
    /// The peers that are not stored yet.
    private var unstored: [BlueZPeerStore.Entry] = []
    private var storeTimer: LoopTimer?
    /// When the end waits no longer for another program that stores.
    private var storingEnd: MonotonicInstant?
    private var hasReportedStorage = false

    /// A request that is not completed. A structure, because a dictionary of functions wraps each.
    private struct PendingRequest { let completion: RequestCompletion }

    /// A system that has not been opened, for the bluetoothd on the bus that `makeBus` connects to. Reads the
    /// identifiers of known peers.
    init(
        _ place: BlueZConfiguration, on loop: EventLoop, root: String = "",
        digests: PhoneDigests = PhoneDigests(),
        makeBus: @escaping () throws(IOError) -> any MessageBus
    ) throws(DeviceError) {
        (self.loop, self.place, self.digests) = (loop, place, digests)
        let desk = SystemDesk(on: loop)
        self.desk = desk
        ownClient = desk.makeClientID()
        store = place.state.map { BlueZPeerStore(directory: $0) }
        let known: [BlueZPeerStore.Entry]
        do throws(StoreFailure) { known = try store?.read() ?? [] } catch { throw .storage(error) }
        runner = BlueZRunner(
            BlueZSystem(
                adapter: place.adapter, ability: place.ability, known: known,
                identifiers: { digests.identifier(of: $0, attempt: $1) }),
            on: loop, memory: place.memory, root: root, makeBus: makeBus)
    }

    // MARK: Life

    func open() {
        guard !isOpen, !isClosed else { return }
        isOpen = true
        storeTimer = LoopTimer(on: loop) { [weak self] in self?.storePeers() }
        runner.open { [weak self] news in self?.received(news) }
    }

    func end() { update { $0.end(at: $1) } }

    func close() {
        guard !isClosed else { return }
        update { $0.close(at: $1) }
        isClosed = true
        runner.close()
        for request in pending.keys.sorted(byNumber: \.rawValue) {
            complete(request, .failure(.gatt(.closed)))
        }
        desk.send(.controller(.stateChanged(.poweredOff, .stopped)))
        storingEnd = loop.now + Self.storingLimit
        // What is not stored yet keeps this alive until it is.
        storeTimer?.deadline = nil
        storeTimer = LoopTimer(on: loop) { self.storePeers() }
        storePeers()
    }

    private func finish() {
        storeTimer?.deadline = nil
        storeTimer = nil
        desk.send(.controller(.closed))
        desk.close()
    }

    private func received(_ news: BlueZNews<BlueZSystem.Report>) {
        switch news {
        case .report(.event(let event, let client)): send(event, to: client)
        case .report(.completed(let request, let result)): complete(request, result)
        case .report(.remember(let peer)): remember(peer)
        case .memoryFailed(let message): warn(.storage, message)
        case .lost(let error):
            // Nothing is answered any more.
            update { $0.busLost(at: $1) }
            desk.send(.controller(.failed(.transport(error))))
        }
    }

    private func send(_ event: SystemEvent, to client: ClientID?) {
        switch event {
        case .controller(.stateChanged(let state, .bluetoothd(let failure)?)):
            desk.send(.controller(.stateChanged(state, .bluetoothd(failure.withSwitch))))
        case .controller(.failed(.controller(.bluetoothd(let failure)))):
            desk.send(.controller(.failed(.controller(.bluetoothd(failure.withSwitch)))))
        case .controller, .scan, .link, .peer, .security, .value, .server, .advertising:
            if let client { desk.send(event, to: client) } else { desk.send(event) }
        }
    }

    // MARK: The machine

    /// Calls an input of the machine, and carries out what follows; events are delivered later.
    func update(_ body: (inout BlueZSystem, MonotonicInstant) -> Void) { runner.step(body) }

    /// Changes a peer for a client.
    func change(_ peer: PeerKey, _ body: (inout RemotePeer, MonotonicInstant) -> Void) {
        update { system, now in system.change(peer, at: now) { body(&$0, now) } }
    }

    /// Reads from the machine.
    func query<Value>(_ body: (inout BlueZSystem) -> Value) -> Value { runner.query(body) }

    /// Starts a request, unless the system is closed; its completion is called once.
    func request(
        _ completion: @escaping RequestCompletion, of peer: PeerKey,
        _ body: (inout RemotePeer, AttributeQueue.RequestID, MonotonicInstant) -> Void
    ) {
        lastRequest += 1
        let id = AttributeQueue.RequestID(rawValue: lastRequest)
        pending[id] = PendingRequest(completion: completion)
        guard !isClosed else { return complete(id, .failure(.gatt(.closed))) }
        update { system, now in
            system.request(id, of: peer, at: now) { body(&$0, id, now) }
        }
    }

    private func complete(
        _ request: AttributeQueue.RequestID, _ result: Result<GATTResult, PeerRequestFailure>
    ) {
        guard let ended = pending.removeValue(forKey: request) else { return }
        desk.later { ended.completion(result) }
    }

    // MARK: Storage

    private func remember(_ peer: BlueZPeerStore.Entry) {
        guard store != nil else { return }
        unstored.append(peer)
        if unstored.count > KnownPeer.limit { unstored.removeFirst() }
        // Many may follow in the same step.
        storeTimer?.deadline = loop.now
    }

    private func storePeers() {
        if let delay = delayOfStoring() {
            storeTimer?.deadline = .earliest(loop.now + delay, storingEnd)
        } else if isClosed {
            finish()
        }
    }

    /// Stores what is not stored yet. Returns when to try again, if another program stores.
    private func delayOfStoring() -> Duration? {
        guard let store, !unstored.isEmpty else { return nil }
        do throws(StoreFailure) {
            try store.add(unstored)
            unstored = []
        } catch {
            let isOver = storingEnd.map { $0 <= loop.now } ?? false
            if case .io(let error) = error, error.code == .busy, !isOver {
                return Self.storingPause
            }
            if !exchange(&hasReportedStorage, with: true) {
                warn(.storage, "the identifiers of peers are not stored: \(error.message)")
            }
        }
        return nil
    }

    func warn(_ topic: DeviceWarning.Topic, _ message: String) {
        desk.send(.controller(.warning(DeviceWarning(topic, message))))
    }
}
