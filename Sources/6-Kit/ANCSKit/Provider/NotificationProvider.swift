internal import AMS
public import ANCSProvider
public import LinuxIO
/// A phone that sends notifications to accessories: a Notification Provider with its own Bluetooth host,
/// modeled on an iPhone.
///
///     let phone = try NotificationProvider(at: .hci("hci-socket:0"))
///     await phone.start()
///     let id = try await phone.post(
///         ProviderNotification(appIdentifier: .messages, categoryID: .social, title: "Ada"),
///         actions: .init(negative: .init("Clear") { … }))
///     for try await event in phone.events { … }
///
/// It connects to accessories that solicit ANCS and to those that are bonded, pairs when they need it, and
/// keeps one session with each. Everything runs on one event loop, and events are in order. Names, commands
/// and identifiers of accessories are untrusted.
public actor NotificationProvider: LoopActor, LivingDevice {
    /// An action of a notification.
    public struct Action: Sendable {
        /// The label on accessories.
        public var label: String
        /// Performs the action, and returns whether that succeeded; the accessory waits for the result.
        /// Starts on the phone's event loop, which it must not block.
        public var perform: @Sendable (NotificationProvider, NotificationID) async -> Bool

        /// An action with this label.
        public init(
            _ label: String,
            perform: @escaping @Sendable (NotificationProvider, NotificationID) async -> Bool
        ) {
            self.label = label
            self.perform = perform
        }
    }

    /// The actions of a notification. A label without an action here does what iOS does: calls are answered,
    /// declined or ended, the negative action of other notifications clears them, and the positive one
    /// succeeds and also clears them.
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

    /// The executor of the phone.
    public nonisolated let loop: EventLoop

    /// A known accessory.
    final class Peer {
        let id: AccessoryID
        var description: PeerDescription
        var isBonded: Bool
        var hasConsent: Bool
        /// The state of its link; `nil` if there is none.
        var link: PeerLink?

        init(id: AccessoryID, description: PeerDescription, isBonded: Bool, hasConsent: Bool) {
            self.id = id
            self.description = description
            self.isBonded = isBonded
            self.hasConsent = hasConsent
        }
    }

    /// The state of a link to an accessory.
    final class PeerLink {
        var session: ProviderSession
        var media = MediaSourceSession()
        var timer: LoopTimer?
        var protection: LinkProtection?
        var mtu = 23
        var isSubscribedToNotificationSource = false
        var isSubscribedToDataSource = false
        /// The notifications announced in this session and not removed.
        var announced: [NotificationUID: NotificationID] = [:]
        /// An action that the phone performs changes the store while the session is being drained. The
        /// accessory gets its answer first, and then the change.
        var isDraining = false

        init(session: consuming ProviderSession) { self.session = session }

        /// Returns whether that is a change.
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
    package var life = DeviceLife()
    private nonisolated let channel: EventChannel<ProviderEvent, DeviceError>
    var isPublished = true
    var media = OfferedMedia()
    /// Set while the phone restarts and ends its links.
    var restarting: RestartingPhone?
    /// Whether the phone has restarted and is not ready again.
    var hasRestarted = false
    /// The first handle of ANCS.
    var serviceHandle = PhoneServices.ancsHandle.rawValue

    /// A phone that has not started. Reads the bonds, or creates their file for a new phone.
    ///
    /// - Parameters:
    ///   - configuration: Its identity and behavior.
    ///   - bluetooth: The controller.
    ///   - loop: An event loop to share; `nil` for a new one, or that of a virtual controller.
    /// - Throws: `DeviceError` if the moniker is invalid, the bonds cannot be read, or the configuration is
    ///   impossible.
    public init(
        _ configuration: ProviderConfiguration = ProviderConfiguration(), at bluetooth: Bluetooth,
        on loop: EventLoop? = nil
    ) throws(DeviceError) {
        let controller = try bluetooth.controller()
        let adapter = try BluetoothAdapter(
            configuration.adapter(at: controller), on: try controller.loop(sharing: loop))
        let port = try HostProviderPort(configuration, at: adapter, owned: true)
        self.init(configuration, port: port)
    }

    /// A phone that has not started, on an adapter that it shares with apps: they use the same links, and
    /// keep them when the phone stops. If the adapter is stopped, the phone ends with
    /// `ControllerFailure.stopped`. The adapter's name and ATT_MTU apply instead of those of the
    /// configuration.
    public init(
        _ configuration: ProviderConfiguration, at adapter: BluetoothAdapter
    ) throws(DeviceError) {
        self.init(
            configuration, port: try HostProviderPort(configuration, at: adapter, owned: false))
    }

    init(_ configuration: ProviderConfiguration, port: any ProviderPort) {
        self.configuration = configuration
        self.port = port
        loop = port.adapter.loop
        behavior = configuration.behavior
        channel = EventChannel(
            limit: configuration.maximumPendingEvents,
            observer: port.adapter.hooks?.observer(of: configuration.name)
        ) { .device(.missed($0)) }
        port.adapter.hooks?.made { [weak self] in await self?.stop() }
    }

    /// The adapter of the phone, whose links managers of apps can share.
    package nonisolated var adapter: BluetoothAdapter { port.adapter }
}

// MARK: - Life

extension NotificationProvider {
    /// Opens the controller and starts looking for accessories. Further calls do nothing.
    public func start() {
        guard life.start() else { return }
        if configuration.offersMedia { offerMedia() }
        port.open(deliver: onLoop { provider, event in provider.receive(event) })
    }

    /// The events, until the phone ends; throws the reason, unless ``stop()`` ended it. The queue is limited
    /// by ``ProviderConfiguration/maximumPendingEvents``: see `EventSequence`.
    public nonisolated var events: EventSequence<ProviderEvent, DeviceError> {
        channel.events(of: self)
    }

    /// Ends the links, then the transport. Returns when this is done, after at most two seconds.
    public func stop() async { await end() }

    package func endLinks() {
        port.stopScanning()
        for peer in linkedPeers { port.leave(peer.id) }
        finishIfAlone()
    }

    private func finishIfAlone() { if life.isStopping, linkedPeers.isEmpty { finish() } }

    package func finish() {
        guard life.finish() else { return }
        endRestart()
        port.close()
        media.timer?.deadline = nil
        for peer in linkedPeers { linkEnded(peer, .stopped) }
        life.end(channel)
    }

    /// The connected accessories, in the order in which they were first seen.
    var linkedPeers: [Peer] {
        peers.values.filter { $0.link != nil }.sorted(byNumber: \.id.rawValue)
    }
}

// MARK: - What happens

extension NotificationProvider {
    private func receive(_ event: ProviderPortEvent) {
        switch event {
        case .device(let event):
            if event == .ready { hasRestarted = false }
            report(.device(event))
        case .failed(let error):
            life.fail(error)
            finish()
        case .known(let id, let description, let isBonded):
            know(id, description, isBonded: isBonded)
        case .forgotten(let id): if peers[id]?.link == nil { peers[id] = nil }
        case .peer(let id, .connected(let description)): connected(id, description)
        case .peer(let id, .disconnected(let reason)):
            // A restart ends the transport below the links.
            let isOfRestart = hasRestarted && reason == .link(.hardwareFailure)
            if let peer = peers[id] { linkEnded(peer, isOfRestart ? .stopped : reason) }
            restartIfAlone()
            finishIfAlone()
        case .peer(let id, let event):
            if case .secured(let protection) = event {
                peers[id]?.link?.protection = protection.isEncrypted ? protection : nil
            }
            report(.peer(id, event))
        case .linkEvent(let id, let event): report(.link(id, event))
        case .session(let id, let event): report(.session(id, event))
        case .link(let id, let report): receive(report, of: id)
        case .media(let id, let report): receive(report, of: id)
        case .hasRoom(let id): withLink(of: id) { _ in }
        }
    }

    func report(_ event: ProviderEvent) { channel.send(event) }

    private func know(_ id: AccessoryID, _ description: PeerDescription, isBonded: Bool) {
        if let peer = peers[id] {
            peer.description = description
            // Removing the bond of an accessory also withdraws the consent (S1).
            if peer.isBonded, !isBonded { peer.hasConsent = configuration.grantsConsent }
            peer.isBonded = isBonded
        } else {
            peers[id] = Peer(
                id: id, description: description, isBonded: isBonded,
                hasConsent: configuration.grantsConsent)
        }
    }
}
