public import ANCS
internal import BluetoothLE
public import LinuxIO
internal import Octets

/// A phone that notifies accessories: a Notification Provider with a Bluetooth host of its own, for
/// which an iPhone is the model.
///
///     let phone = try NotificationProvider(at: .hci("hci-socket:0"))
///     await phone.start()
///     let id = try await phone.post(
///         ProviderNotification(appIdentifier: .messages, categoryID: .social, title: "Ada"),
///         actions: .init(negative: .init("Clear") { … }))
///     for try await event in phone.events { … }
///
/// It connects to accessories that solicit ANCS and to those that it is bonded with, pairs when they
/// need it, and keeps one session with each. Everything runs on one event loop; events come in the order
/// in which things happen. Names, commands and identifiers of accessories are untrusted.
public actor NotificationProvider {
    /// What an action of a notification does.
    public struct Action: Sendable {
        /// How the action is called on accessories.
        public var label: String
        /// Performs it, and says whether that succeeded. An accessory asked for it, and waits. It begins on
        /// the phone's event loop, which it must not block.
        public var perform: @Sendable (NotificationProvider, NotificationID) async -> Bool

        /// An action.
        public init(
            _ label: String,
            perform: @escaping @Sendable (NotificationProvider, NotificationID) async -> Bool
        ) {
            self.label = label
            self.perform = perform
        }
    }

    /// The actions of a notification. A notification that has a label without an action here does what
    /// iOS does by itself: calls are answered, declined or ended, the negative action of anything else
    /// clears it, and the positive one succeeds and clears it as well.
    public struct Actions: Sendable {
        /// The positive action.
        public var positive: Action?
        /// The negative action.
        public var negative: Action?

        /// Actions.
        public init(positive: Action? = nil, negative: Action? = nil) {
            self.positive = positive
            self.negative = negative
        }

        subscript(id: ActionID) -> Action? {
            switch id {
            case .positive: positive
            case .negative: negative
            default: nil
            }
        }
    }

    /// The executor of everything here.
    public nonisolated let loop: EventLoop

    /// The loop's thread.
    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        loop.asUnownedSerialExecutor()
    }

    /// An accessory that is known.
    final class Peer {
        let id: AccessoryID
        var description: AccessoryDescription
        var isBonded: Bool
        var hasConsent: Bool
        /// What the link adds, where there is one.
        var link: PeerLink?

        init(
            id: AccessoryID, description: AccessoryDescription, isBonded: Bool, hasConsent: Bool
        ) {
            self.id = id
            self.description = description
            self.isBonded = isBonded
            self.hasConsent = hasConsent
        }
    }

    /// A link to an accessory.
    final class PeerLink {
        var session: ProviderSession
        var timer: LoopTimer?
        var protection: LinkProtection?
        var mtu = 23
        var isSubscribedToNotificationSource = false
        var isSubscribedToDataSource = false
        /// What was announced in this session and not removed.
        var announced: [NotificationUID: NotificationID] = [:]
        /// An action that the phone performs by itself changes the store while this session is drained: the
        /// accessory is answered first, and told of the change then.
        var isDraining = false

        init(session: consuming ProviderSession) { self.session = session }

        /// Whether that is news.
        func setSubscribed(
            _ isSubscribed: Bool, to characteristic: ProviderSession.Characteristic
        ) -> Bool {
            switch characteristic {
            case .notificationSource:
                exchange(&isSubscribedToNotificationSource, with: isSubscribed) != isSubscribed
            case .dataSource:
                exchange(&isSubscribedToDataSource, with: isSubscribed) != isSubscribed
            }
        }
    }

    let configuration: ProviderConfiguration
    nonisolated let port: any ProviderPort
    var store = NotificationStore()
    var behavior: ProviderBehavior
    var actions: [NotificationID: Actions] = [:]
    var calls: [NotificationID: Call] = [:]
    var peers: [AccessoryID: Peer] = [:]
    var life = DeviceLife()
    private nonisolated let channel: EventChannel<ProviderEvent, DeviceError>
    var isPublished = true
    /// The phone is restarting, and its links are being ended.
    var restarting: RestartingPhone?
    /// Where ANCS begins.
    var serviceHandle = PhoneServices.ancsHandle.rawValue

    /// A phone that does nothing yet. Reads the bonds, and creates their file for a new phone.
    ///
    /// - Parameters:
    ///   - configuration: What it is and does by itself.
    ///   - bluetooth: Where it looks for accessories.
    ///   - loop: One that it shares with others; `nil` for one of its own, or that of a virtual controller.
    /// - Throws: An invalid moniker, bonds that cannot be read, or what else cannot be as it is configured.
    public init(
        _ configuration: ProviderConfiguration = ProviderConfiguration(), at bluetooth: Bluetooth,
        on loop: EventLoop? = nil
    ) throws(DeviceError) {
        let controller = try bluetooth.controller()
        let adapter = try BluetoothAdapter(
            configuration.adapter(at: controller), on: try controller.loop(sharing: loop))
        let port = HostProviderPort(configuration, at: adapter, owned: true)
        self.init(configuration, port: port)
    }

    /// A phone that does nothing yet, at an adapter that it shares with apps: they use the same links, and
    /// its end leaves them theirs. What the configuration says of the name and the ATT_MTU is the adapter's
    /// to say.
    public init(_ configuration: ProviderConfiguration, at adapter: BluetoothAdapter) {
        self.init(
            configuration, port: HostProviderPort(configuration, at: adapter, owned: false))
    }

    init(_ configuration: ProviderConfiguration, port: any ProviderPort) {
        self.configuration = configuration
        self.port = port
        loop = port.adapter.loop
        behavior = configuration.behavior
        channel = EventChannel(
            limit: configuration.maximumPendingEvents,
            told: port.adapter.hooks?.teller(of: configuration.name)
        ) { .missed($0) }
        port.adapter.hooks?.made { [weak self] in await self?.stop() }
    }

    /// The adapter of the phone: what managers of apps share its links at.
    package nonisolated var adapter: BluetoothAdapter { port.adapter }
}

// MARK: - Life

extension NotificationProvider {
    /// Opens the controller and begins to look for accessories. Again does nothing.
    public func start() {
        guard life.start() else { return }
        port.open { [weak self] event in
            self?.assumeIsolated { provider in provider.receive(event) }
        }
    }

    /// What happens, until the end; throws why it ended, unless ``stop()`` did. Events that wait are limited
    /// by ``ProviderConfiguration/maximumPendingEvents``: see ``EventSequence``.
    public nonisolated var events: EventSequence<ProviderEvent, DeviceError> {
        EventSequence(channel, of: self)
    }

    /// Ends the links, then the transport. Waits until that is done, two seconds at most.
    public func stop() async {
        let timer = LoopTimer(on: loop) { [weak self] in
            self?.assumeIsolated { provider in provider.finish() }
        }
        switch life.stop(within: timer, by: loop.now + .seconds(2)) {
        case .done: return
        case .finish: return finish()
        case .endLinks:
            port.stopScanning()
            for peer in linkedPeers { port.leave(peer.id) }
            finishIfAlone()
        case .wait: break
        }
        await withCheckedContinuation { life.waitForEnd($0) }
    }

    private func finishIfAlone() {
        if life.isStopping, linkedPeers.isEmpty { finish() }
    }

    private func finish() {
        guard life.finish() else { return }
        endRestart()
        port.close()
        for peer in linkedPeers { linkEnded(peer, .stopped) }
        life.end(channel)
    }

    /// The accessories that are connected, in the order in which they were first heard of.
    var linkedPeers: [Peer] {
        peers.values.filter { $0.link != nil }.sorted { $0.id.rawValue < $1.id.rawValue }
    }
}

// MARK: - What happens

extension NotificationProvider {
    private func receive(_ event: ProviderPortEvent) {
        switch event {
        case .listening(let place): tell(.listening(at: place))
        case .ready: tell(.ready)
        case .resetting(let reason): tell(.resetting(reason))
        case .scanning(let isScanning): tell(.scanning(isScanning))
        case .warning(let warning): tell(.warning(warning))
        case .failed(let error):
            life.fail(error)
            finish()
        case .known(let id, let description, let isBonded):
            know(id, description, isBonded: isBonded)
        case .forgotten(let id): if peers[id]?.link == nil { peers[id] = nil }
        case .discovered(let id):
            if let peer = peers[id] { tell(.discovered(id, peer.description)) }
        case .connectingFailed(let id, let reason): tell(.connectingFailed(id, reason))
        case .connected(let id): connected(id)
        case .disconnected(let id, let reason):
            if let peer = peers[id] { linkEnded(peer, reason) }
            restartIfAlone()
            finishIfAlone()
        case .secured, .ask, .paired, .bondRestored, .securityFailed, .accessDenied:
            receiveSecurity(event)
        case .serviceChangedSubscribed(let id, let isSubscribed):
            tell(.serviceChangedSubscription(id, isSubscribed))
        case .attributeRead(let id, let attribute): tell(.attributeRead(id, attribute))
        case .attributeSubscribed(let id, let attribute, let isSubscribed):
            tell(.attributeSubscription(id, attribute, isSubscribed))
        case .controlPointWrittenWithoutResponse(let id, let value):
            tell(.commandWithoutResponse(id, value))
        case .link(let id, let report): receive(report, of: id)
        case .hasRoom(let id): withLink(of: id) { _ in }
        }
    }

    private func receiveSecurity(_ event: ProviderPortEvent) {
        switch event {
        case .secured(let id, let protection):
            peers[id]?.link?.protection = protection.isEncrypted ? protection : nil
            tell(.secured(id, protection))
        case .ask(let id, let request): tell(.pairing(id, request))
        case .paired(let id, let isBonded): tell(.paired(id, isBonded: isBonded))
        case .bondRestored(let id): tell(.bondRestored(id))
        case .securityFailed(let id, let reason): tell(.securityFailed(id, reason))
        case .accessDenied(let id, let handle, let errorCode):
            tell(.accessDenied(id, handle: handle, errorCode: errorCode))
        default: break
        }
    }

    func tell(_ event: ProviderEvent) { channel.send(event) }

    private func know(_ id: AccessoryID, _ description: AccessoryDescription, isBonded: Bool) {
        if let peer = peers[id] {
            peer.description = description
            // Who forgets an accessory also takes back that it may read (S1).
            if peer.isBonded, !isBonded { peer.hasConsent = configuration.grantsConsent }
            peer.isBonded = isBonded
        } else {
            peers[id] = Peer(
                id: id, description: description, isBonded: isBonded,
                hasConsent: configuration.grantsConsent)
        }
    }
}
