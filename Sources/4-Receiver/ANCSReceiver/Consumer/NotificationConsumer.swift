internal import ANCS
internal import BluetoothTypes
public import LinuxIO

/// An accessory that receives the notifications of iPhones: a Notification Consumer that uses bluetoothd, or
/// its own Bluetooth host.
///
///     let consumer = try NotificationConsumer(name: "Desk", at: .bluez())
///     try await consumer.run { session in
///         for await event in session.events { … }
///     }
///
/// It advertises while a phone is expected, has each link secured, finds ANCS and keeps one session with
/// each phone. Everything runs on one event loop. A program reads either ``events``, which are in order, or
/// uses ``run(_:other:)``.
public actor NotificationConsumer: LoopActor, LivingDevice {
    /// The executor of the consumer.
    public nonisolated let loop: EventLoop

    /// A connected phone.
    final class Provider {
        let id: PhoneID
        let identity: String?
        var machines: ProviderMachines
        /// The current session; `nil` if there is none.
        var session: SessionID?
        /// The number of the session in the memory of notifications.
        var rememberedSession: UInt64 = 0
        var timer: LoopTimer?
        /// What is used beside ANCS; `nil` for nothing.
        var companion: (any CompanionClient)?
        /// From when on it may make requests; `nil` before the first session.
        var companionStart: MonotonicInstant?
        /// The tasks that wait for requests.
        var requests:
            [RequestID: CheckedContinuation<Result<RequestOutcome, RequestError>, Never>] = [:]

        init(id: PhoneID, identity: String?, machines: consuming ProviderMachines) {
            self.id = id
            self.identity = identity
            self.machines = machines
        }
    }

    let configuration: ConsumerConfiguration
    nonisolated let port: any ConsumerPort
    /// What is used beside ANCS; `nil` for nothing.
    package nonisolated let companion: (any CompanionUse)?
    /// The connected phones: an array, because there are few.
    var providers: [Provider] = []
    /// The number of the last session. Who keeps notifications longer than one consumer goes on counting from there.
    package var lastSession: UInt64 = 0
    /// The bonded phones that did not answer when they were last connected.
    var silentProviders: [String: ConsumerSession.Liveness] = [:]
    /// The bonded phones that did not answer for their clocks, and until when those are not read again.
    var silentClocks: [String: MonotonicInstant] = [:]
    var memory: RememberedNotifications?
    /// Writes the memory some time after a notification was delivered: this process may be killed.
    lazy var memoryTimer = LoopTimer(on: loop) { [weak self] in
        self?.assumeOnLoop { $0.saveMemory() }
    }
    /// What went wrong at the last writing, which is reported once.
    var memoryProblem: String?
    /// The test bench of the controller.
    let hooks: TestHooks?
    package var life = DeviceLife()
    nonisolated let channel: EventChannel<ConsumerEvent, DeviceError>

    /// A consumer that has not started, and that will fetch everything.
    public init(name: String, at bluetooth: Bluetooth) throws(DeviceError) {
        try self.init(ConsumerConfiguration(name: name), at: bluetooth)
    }

    /// A consumer that has not started. Reads the bonds, or creates their file for a new device.
    ///
    /// - Parameters:
    ///   - configuration: Its identity, and what it fetches.
    ///   - bluetooth: The adapter or controller.
    ///   - loop: An event loop to share; `nil` for a new one, or that of a virtual controller.
    /// - Throws: `DeviceError` if the moniker is invalid, the bonds cannot be read, or the configuration is
    ///   impossible.
    public init(
        _ configuration: ConsumerConfiguration, at bluetooth: Bluetooth, on loop: EventLoop? = nil
    ) throws(DeviceError) {
        switch bluetooth.stack {
        case .failure(let error): throw .transport(error)
        case .success(let stack):
            self.init(configuration, try stack.access(for: configuration, on: loop))
        }
    }

    /// A consumer that has not started, with this access to phones.
    package init(_ configuration: ConsumerConfiguration, _ access: ConsumerAccess) {
        self.init(
            configuration, port: access.port, access.memory, on: access.loop, hooks: access.hooks)
    }

    init(
        _ configuration: ConsumerConfiguration, port: any ConsumerPort,
        _ memory: RememberedNotifications?, on loop: EventLoop, hooks: TestHooks? = nil
    ) {
        self.memory = memory
        self.configuration = configuration
        self.port = port
        companion = configuration.companion?.makeUse()
        self.loop = loop
        self.hooks = hooks
        channel = EventChannel(
            limit: configuration.maximumPendingEvents,
            observer: hooks?.observer(of: configuration.name)
        ) { .device(.missed($0)) }
        hooks?.made { [weak self] in await self?.stop() }
    }

    // MARK: Life

    /// Opens the controller and starts advertising. Further calls do nothing.
    public func start() {
        guard life.start() else { return }
        port.open(deliver: onLoop { consumer, event in consumer.receive(event) })
    }

    /// The events, until the consumer ends; throws the reason, unless ``stop()`` ended it. The queue is
    /// limited by ``ConsumerConfiguration/maximumPendingEvents``: see `EventSequence`.
    public nonisolated var events: EventSequence<ConsumerEvent, DeviceError> {
        channel.events(of: self)
    }

    /// Ends the sessions by unsubscribing, as the specification requires (R49), then the links and the
    /// transport. Returns when this is done, after at most two seconds.
    public func stop() async { await end() }

    package func endLinks() {
        port.stopAdvertising()
        for provider in sortedProviders { port.leave(provider.id) }
        finishIfLeft()
    }

    private func finishIfLeft() { if life.isStopping, providers.isEmpty { finish() } }

    package func finish() {
        guard life.finish() else { return }
        port.close()
        for provider in sortedProviders {
            end(provider, .linkEnded)
            provider.companion?.end(isLost: false, at: loop.now)
            channel.send(.peer(provider.id, .disconnected(.stopped)))
        }
        providers = []
        companion?.finish()
        life.end(channel)
    }

    // MARK: Pairing

    /// Allows phones to pair, for this duration or without limit.
    public func openPairingWindow(for duration: Duration? = nil) {
        port.openPairingWindow(for: duration)
    }

    /// Forbids phones to pair, whatever the configuration says. A pairing in progress continues.
    public func closePairingWindow() { port.closePairingWindow() }

    /// Asks a phone with a session at once whether it allows access to its notifications, which an unused session
    /// does only after some seconds; ``ConsumerEvent/SessionEvent/authorizationChanged(_:)`` has the answer.
    package func probe(_ id: PhoneID) {
        let now = loop.now
        feed(id) { $0.doubt(at: now) }
    }

    /// The bonded phones, connected or not. With bluetoothd, empty before `DeviceEvent.ready`.
    public var bondedProviders: [BondedPeer] { port.bonded }

    /// Removes the bond of a phone and ends its link. The phone can only come back by pairing again, for
    /// which its user must first forget this device on the phone. With bluetoothd, the bond belongs to the
    /// machine, and other programs use it too.
    ///
    /// - Parameter digest: The phone's `BondedPeer.digest`. Without such a bond, nothing happens.
    /// - Throws: `DeviceError` if bluetoothd refuses.
    public func forget(_ digest: String) async throws(DeviceError) {
        let result = await withCheckedContinuation { continuation in
            port.forget(digest) { continuation.resume(returning: $0) }
        }
        try result.get()
    }

    /// Ends the link to a phone.
    public func disconnect(_ id: PhoneID) { port.disconnect(id) }

    // MARK: What happens

    /// In the order of their numbers, so that a run depends only on its seed.
    private var sortedProviders: [Provider] { providers.sorted(byNumber: \.id.rawValue) }

    func provider(_ id: PhoneID) -> Provider? { providers.first { $0.id == id } }

    private func receive(_ event: ConsumerPortEvent) {
        switch event {
        case .device(let event):
            channel.send(.device(event))
            guard event == .resumed else { return }
            let now = loop.now
            for provider in sortedProviders { feed(provider.id) { $0.doubt(at: now) } }
        case .failed(let error):
            life.fail(error)
            finish()
        case .peer(let id, let event): receive(event, of: id)
        case .service(let id, let event): receive(event, of: id)
        case .companion(let id, let event): receive(event, of: id)
        }
    }

    private func receive(_ event: PeerEvent, of id: PhoneID) {
        if case .disconnected(let reason) = event, let provider = self.provider(id) {
            providers.removeAll { $0 === provider }
            noteSilentClock(of: provider)
            end(provider, .linkEnded)
            provider.companion?.end(isLost: reason.isLoss, at: loop.now)
        }
        if case .connected(let description) = event { connected(id, description) }
        if case .paired(let description, _, _) = event {
            provider(id)?.companion?.identity = description.identity
        }
        channel.send(.peer(id, event))
        guard life.isStopping else { return }
        if case .connected = event { port.disconnect(id) }
        finishIfLeft()
    }

    private func receive(_ event: PhoneServiceEvent, of id: PhoneID) {
        let now = loop.now
        switch event {
        case .waiting: channel.send(.session(id, .waitingForService))
        case .available(let hasControlPoint, let hasDataSource):
            feed(id) {
                $0.serviceDiscovered(
                    hasControlPoint: hasControlPoint, hasDataSource: hasDataSource, at: now)
            }
        case .unavailable: restart(id)
        case .clockValue(let characteristic, let value):
            receive(value, of: characteristic, from: id)
        case .clockRead: clockReadingEnded(id)
        case .link(let report): feed(id) { $0.receive(report, at: now) }
        }
    }
}

extension DisconnectReason {
    /// Whether the link was lost, and not ended by this machine.
    fileprivate var isLoss: Bool {
        switch self {
        case .link(let status): status != .connectionTerminatedByLocalHost
        case .linkEnded, .unresponsive: true
        case .left, .stopped, .mayNotPair, .notPaired, .pairingFailed, .askedTooOften,
            .notEncrypted, .noService, .notNeeded, .bluetoothdHung, .discoveredEarly,
            .bluetoothGone, .otherProgram, .suspended, .removed:
            false
        }
    }
}
