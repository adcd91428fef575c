internal import ANCS
internal import BluetoothLE
internal import LinuxIO

/// A `ConsumerPort` that uses a ``BluetoothAdapter``: an accessory that advertises for ANCS and uses the
/// ANCS of every phone that connects. It advertises through a manager, like any app, and reads the phones'
/// attributes as a client of the system.
final class HostPort: ConsumerPort, @unchecked Sendable {
    // Unchecked: confined to the loop's thread, which the system's transport checks.

    /// A link, and its state for the consumer.
    final class Link {
        let peer: PeerKey
        let provider: PhoneID
        var machine: ProviderLink
        var clock = ClockReader()
        /// The service that is used beside ANCS; `nil` if none is.
        var companion: CompanionLink?
        var timer: LoopTimer?
        /// The protection in the last report.
        var protection: LinkProtection?
        /// The parameters in the last report, and how many reports there were: a Central may change them many
        /// times a second.
        var parameters: LinkParameters
        var parameterReports = 0
        /// Whether it was reported that it may not pair.
        var isRefused = false
        /// Whether it was reported that pairing on it has failed.
        var hasFailedToPair = false
        /// Whether it was reported that the phone does not offer ANCS.
        var isWaiting = false
        /// Whether it was reported that it has too many services of ANCS.
        var hasExcess = false
        /// Why this side ends the link, if the controller's reason does not say it.
        var endReason: DisconnectReason?

        /// How often its parameters are reported.
        static let maximumParameterReports = 16

        init(
            peer: PeerKey, provider: PhoneID, parameters: LinkParameters,
            machine: consuming ProviderLink
        ) {
            self.peer = peer
            self.provider = provider
            self.parameters = parameters
            self.machine = machine
        }
    }

    let loop: EventLoop
    let adapter: BluetoothAdapter
    /// Whether the adapter is exclusive, so that it ends with the port.
    let ownsAdapter: Bool
    let manager: PeripheralManager
    let client: ClientID
    let advertisement: AdvertisementData
    let options: AdvertisingOptions
    let face: ConsumerConfiguration.Face
    let showsNameAlways: Bool
    let linkParameters: LinkParameterPolicy?
    let outlet: PortOutlet<ConsumerPortEvent>
    private(set) var isLettingIn = true
    var links: [Link] = []
    var places: PhonePlaces
    var placesTimer: LoopTimer?
    var lastProvider: UInt64 = 0

    /// The host of the adapter.
    let system: SystemDriver

    /// Whether this device advertises.
    var isOnAir: Bool { system.isOnAir(manager.client) }

    /// A port that is not open yet.
    init(
        _ adapter: BluetoothAdapter, _ system: SystemDriver, ownsAdapter: Bool,
        advertisement: AdvertisementData, _ configuration: ConsumerConfiguration
    ) {
        loop = adapter.loop
        self.adapter = adapter
        self.system = system
        outlet = PortOutlet(system)
        self.ownsAdapter = ownsAdapter
        self.advertisement = advertisement
        options = AdvertisingOptions(
            stopsOnConnection: false, maximumCentrals: configuration.maximumProviders,
            space: .legacy)
        face = configuration.face
        showsNameAlways = configuration.showsNameAlways
        places = PhonePlaces(PhonePlaces.Configuration(maximum: configuration.maximumProviders))
        linkParameters = configuration.linkParameters
        manager = PeripheralManager(adapter, maximumPendingEvents: 0)
        client = system.makeClientID()
    }

    func open(deliver: @escaping @Sendable (ConsumerPortEvent) -> Void) {
        outlet.open(deliver)
        guard !system.isClosed else {
            outlet.send(.failed(.controller(.stopped)))
            return
        }
        system.enroll(self, as: client)
        placesTimer = LoopTimer(on: loop) { [weak self] in self?.updatePlaces() }
        manager.assumeOnLoop { manager in
            manager.observe { [weak self] event in self?.received(event) }
        }
        adapter.assumeOnLoop { $0.start() }
        // Another user of the adapter may have started it before.
        guard system.state == .poweredOn else { return }
        outlet.send(.device(.ready))
        startAdvertising()
    }

    func close() {
        guard outlet.isOpen else { return }
        outlet.close()
        stopAdvertising()
        for link in exchange(&links, with: []) { link.timer?.deadline = nil }
        placesTimer?.deadline = nil
        system.dismiss(client)
        if ownsAdapter { adapter.assumeOnLoop { $0.finish() } }
    }

    func stopAdvertising() {
        isLettingIn = false
        let wasOnAir = isOnAir
        manager.assumeOnLoop { $0.stopAdvertising() }
        if wasOnAir { report(onAir: false) }
    }

    // MARK: What the consumer wants

    func request(_ request: ConsumerSession.LinkRequest, of provider: PhoneID) {
        with(provider) { $0.machine.request(request) }
    }

    func leave(_ provider: PhoneID) {
        with(provider) { link in
            // The phone may end the link first, when it sees that there are no subscriptions left.
            link.endReason = link.endReason ?? .left
            link.machine.leave()
        }
    }

    func openPairingWindow(for duration: Duration?) { system.openPairingWindow(for: duration) }

    func closePairingWindow() { system.closePairingWindow() }

    func disconnect(_ provider: PhoneID) {
        guard let link = link(of: provider) else { return }
        system.disconnect(link.peer)
    }

    var bonded: [BondedPeer] { bondedPeers.map { system.bonded(as: $0.identity) } }

    func forget(_ digest: String, _ done: @escaping @Sendable (Result<Void, DeviceError>) -> Void) {
        for (peer, identity) in bondedPeers where system.storage.digest(of: identity) == digest {
            system.forget(peer.key)
        }
        loop.execute { done(.success(())) }
    }

    /// The bonds of a shared adapter may include devices that are not phones.
    private var bondedPeers: [(peer: PeerRegistry.Peer, identity: DeviceAddress)] {
        system.peers.bondedPeers.compactMap { peer in
            guard let identity = peer.identity, ownsAdapter || peer.offersANCS else { return nil }
            return (peer, identity)
        }
    }

    private func link(of provider: PhoneID) -> Link? { links.first { $0.provider == provider } }

    func with(_ provider: PhoneID, _ body: (Link) -> Void) { with(link(of: provider), body) }

    func link(to peer: PeerKey) -> Link? { links.first { $0.peer == peer } }

    func with(_ peer: PeerKey, _ body: (Link) -> Void) { with(link(to: peer), body) }

    private func with(_ link: Link?, _ body: (Link) -> Void) {
        guard let link else { return }
        body(link)
        drain(link)
    }
}
