internal import ANCS
internal import BluetoothLE
public import LinuxIO
internal import Octets

/// An accessory that receives the notifications of the iPhones that connect to it: a Notification
/// Consumer, at bluetoothd or with a Bluetooth host of its own.
///
///     let consumer = try NotificationConsumer(name: "Desk", at: .bluez())
///     try await consumer.run { session in
///         for await event in session.events { … }
///     }
///
/// It advertises while no phone is connected, has the link secured, finds ANCS and keeps one session
/// with each phone. Everything runs on one event loop; events come in the order in which things happen,
/// through ``events`` or ``run(_:other:)``, of which a program uses one.
public actor NotificationConsumer {
    /// The executor of everything here.
    public nonisolated let loop: EventLoop

    /// The loop's thread.
    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        loop.asUnownedSerialExecutor()
    }

    /// A phone that is connected.
    final class Provider {
        let id: ProviderID
        let identity: String?
        var feed: NotificationFeed
        /// The session, while there is one.
        var session: SessionID?
        /// What the memory of notifications calls the session.
        var rememberedSession: UInt64 = 0
        var timer: LoopTimer?
        /// Who waits for which request.
        var requests: [RequestID: CheckedContinuation<RequestOutcome, Never>] = [:]
        /// How requests ended for which nobody waits yet.
        var outcomes: [RequestID: RequestOutcome] = [:]

        init(id: ProviderID, identity: String?, feed: consuming NotificationFeed) {
            self.id = id
            self.identity = identity
            self.feed = feed
        }
    }

    let configuration: ConsumerConfiguration
    nonisolated let port: any ConsumerPort
    var providers: [ProviderID: Provider] = [:]
    var lastSession: UInt64 = 0
    /// The bonded phones that were silent when they were last connected.
    var silentProviders: [String: ConsumerSession.Liveness] = [:]
    var memory: RememberedNotifications?
    /// The test bench that it belongs to.
    let hooks: TestHooks?
    private var life = DeviceLife()
    nonisolated let channel: EventChannel<ConsumerEvent, DeviceError>

    /// A consumer that does nothing yet, and fetches everything.
    public init(name: String, at bluetooth: Bluetooth) throws(DeviceError) {
        try self.init(ConsumerConfiguration(name: name), at: bluetooth)
    }

    /// A consumer that does nothing yet. Reads the bonds, and creates their file for a new device.
    ///
    /// - Parameters:
    ///   - configuration: What it is and wants.
    ///   - bluetooth: Where phones find it.
    ///   - loop: One that it shares with others; `nil` for one of its own, or that of a virtual controller.
    /// - Throws: An invalid moniker, bonds that cannot be read, or what else cannot be as it is configured.
    public init(
        _ configuration: ConsumerConfiguration, at bluetooth: Bluetooth, on loop: EventLoop? = nil
    ) throws(DeviceError) {
        if case .bluez(let place) = bluetooth.place {
            try self.init(configuration, atBlueZ: place, on: loop)
            return
        }
        let advertisement = try configuration.advertisement()
        let controller = try bluetooth.controller()
        let adapter = try BluetoothAdapter(
            configuration.adapter(at: controller), on: try controller.loop(sharing: loop))
        try self.init(configuration, adapter, ownsAdapter: true, advertisement)
    }

    /// A consumer that does nothing yet, at an adapter that it shares with managers and other users. The
    /// adapter is started with the consumer, and goes on when the consumer has stopped. Every central that
    /// connects is taken for a phone, and asked to secure its link.
    public init(
        _ configuration: ConsumerConfiguration, at adapter: BluetoothAdapter
    ) throws(DeviceError) {
        let advertisement = try configuration.advertisement()
        try self.init(configuration, adapter, ownsAdapter: false, advertisement)
    }

    private init(
        _ configuration: ConsumerConfiguration, _ adapter: BluetoothAdapter, ownsAdapter: Bool,
        _ advertisement: AdvertisementData
    ) throws(DeviceError) {
        let port = HostPort(
            adapter, ownsAdapter: ownsAdapter, advertisement: advertisement,
            maximumProviders: configuration.maximumProviders)
        let memory = try configuration.remembered(adapter.system.storage.toolbox)
        self.init(configuration, port: port, memory, on: adapter.loop, hooks: adapter.hooks)
    }

    init(
        _ configuration: ConsumerConfiguration, port: any ConsumerPort,
        _ memory: RememberedNotifications?, on loop: EventLoop, hooks: TestHooks? = nil
    ) {
        self.memory = memory
        self.configuration = configuration
        self.port = port
        self.loop = loop
        self.hooks = hooks
        channel = EventChannel(
            limit: configuration.maximumPendingEvents,
            told: hooks?.teller(of: configuration.name)
        ) { .missed($0) }
        hooks?.made { [weak self] in await self?.stop() }
    }

    // MARK: Life

    /// Opens the controller and begins to advertise. Again does nothing.
    public func start() {
        guard life.start() else { return }
        port.open { [weak self] event in
            self?.assumeIsolated { consumer in consumer.receive(event) }
        }
    }

    /// What happens, until the end; throws why it ended, unless ``stop()`` did. Events that wait are limited
    /// by ``ConsumerConfiguration/maximumPendingEvents``: see ``EventSequence``.
    public nonisolated var events: EventSequence<ConsumerEvent, DeviceError> {
        EventSequence(channel, of: self)
    }

    /// Ends the sessions as the specification wants it, by unsubscribing (R49), then the links and the
    /// transport. Waits until that is done, two seconds at most.
    public func stop() async {
        let timer = LoopTimer(on: loop) { [weak self] in
            self?.assumeIsolated { consumer in consumer.finish() }
        }
        switch life.stop(within: timer, by: loop.now + .seconds(2)) {
        case .done: return
        case .finish: return finish()
        case .endLinks:
            port.stopAdvertising()
            for id in providers.keys.sorted() { port.leave(id) }
            finishIfLeft()
        case .wait: break
        }
        await withCheckedContinuation { life.waitForEnd($0) }
    }

    private func finishIfLeft() {
        if life.isStopping, providers.isEmpty { finish() }
    }

    private func finish() {
        guard life.finish() else { return }
        port.close()
        for provider in providers.values.sorted(by: { $0.id.rawValue < $1.id.rawValue }) {
            end(provider, .linkEnded)
            channel.send(.disconnected(provider.id, .stopped))
        }
        providers = [:]
        life.end(channel)
    }

    // MARK: Pairing

    /// Lets phones pair: for this long, or until the end where no duration is given.
    public func openPairingWindow(for duration: Duration? = nil) {
        port.openPairingWindow(for: duration)
    }

    /// Lets no phone pair any more, whatever the configuration says. Pairing that is under way goes on.
    public func closePairingWindow() { port.closePairingWindow() }

    /// The phones that are bonded with this device, connected or not. At bluetoothd, none before
    /// ``ConsumerEvent/ready``.
    public var bondedProviders: [BondedProvider] { port.bonded }

    /// Forgets a phone: removes its bond, and ends its link. It can come back only by pairing again, and its
    /// user has to forget this device on the phone first. At bluetoothd, this is the machine's bond, which other
    /// programs use too.
    ///
    /// - Parameter digest: What names it, see ``BondedProvider/digest``. Nothing happens where no such phone is
    ///   bonded.
    /// - Throws: Why bluetoothd does not do it.
    public func forget(_ digest: String) async throws(DeviceError) {
        let result = await withCheckedContinuation { continuation in
            port.forget(digest) { continuation.resume(returning: $0) }
        }
        try result.get()
    }

    /// Ends the link to a phone.
    public func disconnect(_ id: ProviderID) {
        port.disconnect(id)
    }

    // MARK: What happens

    private func receive(_ event: ConsumerPortEvent) {
        switch event {
        case .listening(let place): channel.send(.listening(at: place))
        case .ready: channel.send(.ready)
        case .resetting(let trouble): channel.send(.resetting(trouble))
        case .advertising(let isOnAir): channel.send(.advertising(isOnAir))
        case .warning(let warning): channel.send(.warning(warning))
        case .failed(let error):
            life.fail(error)
            finish()
        case .connected(let id, let description):
            connected(id, description)
            channel.send(.connected(id, description))
            if life.isStopping { port.disconnect(id) }
        case .disconnected(let id, let reason):
            if let provider = providers.removeValue(forKey: id) {
                end(provider, .linkEnded)
            }
            channel.send(.disconnected(id, reason))
            finishIfLeft()
        case .named(let id, let name): channel.send(.named(id, name))
        case .resumed:
            channel.send(.resumed)
            let now = loop.now
            for id in providers.keys.sorted() { feed(id) { $0.doubt(at: now) } }
        case .secured(let id, let protection): channel.send(.secured(id, protection))
        case .pairingWindow(let isOpen):
            channel.send(.pairingWindow(isOpen: isOpen))
        case .pairingRefused(let id, let isBonded):
            channel.send(.pairingRefused(id, isBonded: isBonded))
        case .ask(let id, let request): channel.send(.pairing(id, request))
        case .paired(let id, let description): channel.send(.paired(id, description))
        case .securityFailed(let id, let failure): channel.send(.securityFailed(id, failure))
        case .waiting(let id): channel.send(.waitingForService(id))
        case .available(let id, let hasControlPoint, let hasDataSource):
            let now = loop.now
            feed(id) {
                $0.serviceDiscovered(
                    hasControlPoint: hasControlPoint, hasDataSource: hasDataSource, at: now)
            }
        case .unavailable(let id): restart(id)
        case .link(let id, let report):
            let now = loop.now
            feed(id) { $0.receive(report, at: now) }
        }
    }
}
