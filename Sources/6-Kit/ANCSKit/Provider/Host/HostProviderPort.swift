internal import ANCSProvider
internal import BluetoothLE
internal import LinuxIO

/// A ``ProviderPort`` that uses a ``BluetoothAdapter``: a phone that connects to accessories in range and
/// serves them its attributes. Its links belong to the system, and apps on the same adapter share them.
final class HostProviderPort: ProviderPort, @unchecked Sendable {
    // Unchecked: confined to the loop's thread, which the adapter's system checks.

    /// A link, and its state for the phone.
    final class Link {
        let accessory: AccessoryID
        let peer: PeerKey
        /// The protection in the last report.
        var protection: LinkProtection?
        /// Whether it was ever protected, and so was more than an attempt.
        var wasUseful = false
        /// The write to the Control Point that has yet to be answered.
        var write: ATTBearer.RequestToken?
        /// The request to the Apple Media Service that has yet to be answered.
        var mediaRequest: ATTBearer.RequestToken?
        /// What the link has, once it was reported.
        var parameters: LinkParameters?
        /// How many more events of its parameters are reported.
        var parameterReports = 64
        /// Whether the phone puts its own parameters back when those that were accepted are applied.
        var overwrites = false

        init(accessory: AccessoryID, peer: PeerKey) {
            self.accessory = accessory
            self.peer = peer
        }
    }

    let adapter: BluetoothAdapter
    let loop: EventLoop
    let pairing: ProviderConfiguration.Pairing
    let localTime: @Sendable () -> NotificationDate
    let system: SystemDriver
    /// Whether the adapter is exclusive, so that it ends with the phone.
    let ownsAdapter: Bool
    let client: ClientID
    /// Looks for accessories and connects to them.
    var central: CentralManager?
    let outlet: PortOutlet<ProviderPortEvent>
    var links: [AccessoryID: Link] = [:]
    var names = AccessoryNames()
    var finder: AccessoryFinder
    var finderTimer: LoopTimer?
    /// The accessory that the finder is connecting to.
    var connecting: Peripheral?
    /// Whether scanning was reported.
    var isScanningReported = false
    /// Whether ANCS is hidden from links that are not encrypted.
    private(set) var isHiddenUntilEncrypted: Bool
    var values: PhoneValues
    /// How requests for connection parameters are answered.
    var decisions: ParameterDecisions
    /// What was received of advertisers.
    var advertisements = AdvertisementLog()
    /// What was heard of others.
    var passedOverAdvertisers = PassedOverAdvertisers()
    /// Whether the phone connects to any allowed accessory, and measures its advertising first.
    let examinesLinks: Bool
    /// The phone's address on its last link to each accessory.
    var ownAddresses: [AccessoryID: DeviceAddress] = [:]
    /// Whether this port scans.
    var isScanning = false
    /// The handles of ANCS; `nil` if it is not published.
    var ancs: PhoneServices.ANCSHandles?
    /// The handles of the Apple Media Service; `nil` if it is not published.
    var ams: PhoneServices.AMSHandles?
    /// What of it is published once the port is open.
    var mediaService: MediaService?

    /// A port that is not open yet.
    init(
        _ configuration: ProviderConfiguration, at adapter: BluetoothAdapter, owned: Bool
    ) throws(DeviceError) {
        self.adapter = adapter
        pairing = configuration.pairing
        localTime = configuration.localTime
        loop = adapter.loop
        system = try adapter.hostForANCS()
        outlet = PortOutlet(system)
        ownsAdapter = owned
        values = PhoneValues(zone: configuration.timeZone)
        isHiddenUntilEncrypted = configuration.behavior.hidesServiceUntilEncrypted
        client = system.makeClientID()
        finder = AccessoryFinder(configuration: configuration.finder)
        decisions = ParameterDecisions(configuration.behavior.link)
        examinesLinks = configuration.examinesLinks
    }

    func open(deliver: @escaping @Sendable (ProviderPortEvent) -> Void) {
        outlet.open(deliver)
        guard !system.isClosed else {
            outlet.send(.failed(.controller(.stopped)))
            return
        }
        finderTimer = LoopTimer(on: loop) { [unowned self] in
            find { finder, now in finder.handleTimeout(at: now) }
        }
        system.enroll(self, as: client)
        system.letClientsAnswerParameters()
        central = CentralManager(adapter, maximumPendingEvents: 0)
        for bond in system.bonds { if let peer = system.peer(bond.identifier) { know(peer) } }
        addServices()
        if ownsAdapter { adapter.assumeOnLoop { $0.start() } }
        // Another program on the adapter may have started it, and may have links already.
        guard system.state == .poweredOn else { return }
        outlet.send(.device(.ready))
        for peer in system.connectedPeers { linkUp(peer) }
        find { finder, now in finder.start(at: now) }
    }

    /// The links in the order of their accessories, so that a run depends only on its seed.
    var sortedLinks: [Link] { links.sorted(byNumber: \.key.rawValue).map(\.value) }

    func close() {
        outlet.close()
        finderTimer?.deadline = nil
        finderTimer = nil
        for link in sortedLinks { system.setReason(.ancs, false, for: link.peer) }
        links = [:]
        system.dismiss(client)
        // Its requests end with it.
        central = nil
        connecting = nil
        if ownsAdapter { adapter.assumeOnLoop { $0.finish() } }
    }

    // MARK: What the provider wants

    func accessory(of peer: PeerIdentifier) -> AccessoryID? {
        system.peer(peer).flatMap { names[$0] }
    }

    var passedOver: [String] {
        passedOverAdvertisers.messages(isLookingForNames: finder.acceptsAll)
    }

    func stopScanning() { find { finder, _ in finder.stop() } }

    func restart() { system.restart() }

    func hasRoom(for accessory: AccessoryID) -> Bool {
        links[accessory].map { system.hasRoom(to: $0.peer) } ?? false
    }

    func isIdle(for accessory: AccessoryID) -> Bool {
        links[accessory].map { system.isIdle(to: $0.peer) } ?? false
    }

    func request(_ request: ProviderSession.LinkRequest, of accessory: AccessoryID) {
        guard let link = links[accessory] else { return }
        switch request {
        case .notify(let characteristic, let value):
            guard let ancs else { return }
            // An accessory that has unsubscribed or disconnected needs no value.
            system.notify(value, of: ancs.value(of: characteristic), to: link.peer)
        case .respond(let error):
            guard let token = exchange(&link.write, with: nil) else { return }
            system.respond(
                to: token,
                with: error.map { .failure(ATTErrorCode(rawValue: $0.rawValue)) } ?? .success([]),
                of: link.peer)
        }
    }

    /// Pairing may be in progress already; after a failure, the accessory has to wait (Core Vol 3, Part H,
    /// 2.3.6).
    func pair(_ accessory: AccessoryID) {
        if let link = links[accessory] { system.pair(link.peer) }
    }

    func setLinkNumbers(_ numbers: ProviderBehavior.LinkNumbers) { decisions.numbers = numbers }

    /// An adapter that is shared keeps its own.
    func setMaximumMTU(_ maximum: Int) { if ownsAdapter { system.setMaximumMTU(maximum) } }

    func inject(_ fault: ParameterFault, count: Int, at accessory: AccessoryID?) {
        decisions.inject(fault, count: count, at: accessory)
    }

    func clearParameterFaults(at accessory: AccessoryID?) { decisions.clear(at: accessory) }

    func changeParameters(_ parameters: LinkParameters, of accessory: AccessoryID) {
        guard let link = links[accessory] else { return }
        system.updateParameters(parameters.connectionParameters, of: link.peer)
    }

    func disconnect(_ accessory: AccessoryID) {
        if let link = links[accessory] { system.disconnect(link.peer) }
    }

    func fade(_ accessory: AccessoryID?, for length: Duration?) -> Bool {
        guard let accessory else { return length.map { system.fade(nil, for: $0) } ?? false }
        guard let peer = links[accessory]?.peer, let link = system.link(to: peer) else {
            return false
        }
        // Both sides count from what they heard last.
        let loss = link.supervisionTimeout.duration + .milliseconds(100)
        return system.fade(peer, for: length ?? loss)
    }

    /// Apps on the same adapter keep their links.
    func leave(_ accessory: AccessoryID) {
        guard !ownsAdapter, let link = links[accessory] else { return disconnect(accessory) }
        system.setReason(.ancs, false, for: link.peer)
        release(link.peer)
        links[accessory] = nil
        outlet.send(.peer(accessory, .disconnected(.left)))
    }

    func forget(_ accessory: AccessoryID) {
        guard let peer = names[accessory] else { return }
        find { finder, now in finder.forget(peer, at: now) }
        system.forget(peer)
    }

    // MARK: Attributes

    private func addServices() {
        for (definition, start) in PhoneServices.fixed {
            // If an app has taken these handles, the phone has its services elsewhere, or not at all.
            _ = try? system.addService(definition, startingAt: start, by: client)
        }
        setPublished(at: PhoneServices.ancsHandle.rawValue, announcing: true)
        setMediaService(mediaService, announcing: true)
    }

    func setPublished(at handle: UInt16?, announcing: Bool) {
        if let published = exchange(&ancs, with: nil) {
            system.removeService(
                startingAt: published.declaration, announcing: announcing, by: client)
            for link in sortedLinks { system.setReason(.ancs, false, for: link.peer) }
        }
        guard let handle else { return }
        var definition = PhoneServices.ancs
        definition.isHiddenUntilEncrypted = isHiddenUntilEncrypted
        func add() -> ServiceHandles? {
            try? system.addService(
                definition, startingAt: AttributeHandle(handle), announcing: announcing,
                by: client)
        }
        let handles = add() ?? withMediaElsewhere(announcing: announcing, add)
        ancs = handles.flatMap(PhoneServices.ANCSHandles.init)
    }

    func setHiddenUntilEncrypted(_ isHidden: Bool) {
        isHiddenUntilEncrypted = isHidden
        for declaration in [ancs?.declaration, ams?.declaration].compactMap(\.self) {
            system.setHiddenUntilEncrypted(isHidden, serviceAt: declaration, by: client)
        }
    }

    /// An accessory accessed the attributes of the phone.
    func received(_ event: ATTBearer.ServerEvent, of link: Link) {
        switch event {
        case .subscriptionChanged(let attribute, let value):
            let isSubscribed = value.contains(.notification)
            if let attribute = PhoneServices.attribute(at: attribute) {
                report(.attributeSubscription(attribute, isSubscribed), of: link)
            }
            if let part = ams?.part(of: attribute) {
                mediaSubscribed(to: part, isSubscribed, of: link)
            }
            guard let characteristic = ancs?.characteristic(of: attribute) else { return }
            if characteristic == .notificationSource, system.isBonded(link.peer) {
                system.setReason(.ancs, isSubscribed, for: link.peer)
            }
            outlet.send(
                .link(
                    link.accessory,
                    isSubscribed ? .subscribed(characteristic) : .unsubscribed(characteristic)))
        case .writeRequested(let token, let writes): writeRequested(token, writes, of: link)
        case .readRequested(let token, let handle): readRequested(token, handle, of: link)
        case .accessDenied(let attribute, let code):
            report(.accessDenied(handle: attribute.rawValue, errorCode: code.rawValue), of: link)
        // Its attributes are dynamic, and it sends no indications.
        case .valueWritten, .indicationConfirmed: break
        }
    }

    private func readRequested(
        _ token: ATTBearer.RequestToken, _ handle: AttributeHandle, of link: Link
    ) {
        if ams?.part(of: handle) == .entityAttribute { return mediaRead(token, of: link) }
        guard let attribute = PhoneServices.attribute(at: handle) else {
            return system.respond(to: token, with: .failure(.readNotPermitted), of: link.peer)
        }
        system.respond(
            to: token, with: .success(values.value(of: attribute, at: localTime())),
            of: link.peer)
        report(.attributeRead(attribute), of: link)
    }

    func notify(_ attribute: PhoneAttribute) {
        let value = values.value(of: attribute, at: localTime())
        // Only accessories that have subscribed are notified.
        for link in sortedLinks {
            system.notify(value, of: PhoneServices.handle(of: attribute), to: link.peer)
        }
    }

    /// A command is written as a whole, possibly in consecutive parts.
    private func writeRequested(
        _ token: ATTBearer.RequestToken?, _ writes: [AttributeWrite], of link: Link
    ) {
        guard let write = writes.first else { return }
        if let part = ams?.part(of: write.handle), let token, writes.count == 1, write.offset == 0 {
            return mediaWritten(write.value, to: part, token, of: link)
        }
        guard write.handle == ancs?.controlPoint || ams?.part(of: write.handle) != nil else {
            return refuse(.writeNotPermitted, write.handle, token, of: link)
        }
        guard writes.count == 1, write.offset == 0 else {
            return refuse(.invalidOffset, write.handle, token, of: link)
        }
        guard let token else { return report(.commandWithoutResponse(write.value), of: link) }
        link.write = token
        outlet.send(.link(link.accessory, .controlPointWritten(write.value)))
    }

    private func refuse(
        _ code: ATTErrorCode, _ attribute: AttributeHandle, _ token: ATTBearer.RequestToken?,
        of link: Link
    ) {
        guard let token else { return }
        report(.accessDenied(handle: attribute.rawValue, errorCode: code.rawValue), of: link)
        system.respond(to: token, with: .failure(code), refusing: attribute, of: link.peer)
    }
}
