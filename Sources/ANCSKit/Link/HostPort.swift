internal import ANCS
internal import BluetoothLE
internal import LinuxIO
internal import Octets

/// A ``ConsumerPort`` on our own host: an accessory that advertises for ANCS and follows every phone
/// that connects.
final class HostPort: ConsumerPort, @unchecked Sendable {
    // Unchecked: confined to the loop's thread, which the driver's transport checks.

    /// A link and what it is to us.
    private final class Link {
        let handle: ConnectionHandle
        let provider: ProviderID
        var machine: ProviderLink
        var timer: LoopTimer?
        /// How it was protected when that was told last.
        var protection: LinkProtection?
        /// What the procedures on their way are for.
        var purposes: [ProcedureID: ProviderLink.Purpose] = [:]

        init(handle: ConnectionHandle, provider: ProviderID, machine: consuming ProviderLink) {
            self.handle = handle
            self.provider = provider
            self.machine = machine
        }
    }

    /// The only client of its advertisement.
    private static let client = ClientID(rawValue: 0)

    let loop: EventLoop
    private let moniker: TransportMoniker
    private let capture: BtsnoopWriter?
    private let advertisement: AirTime.Wish
    private let hostConfiguration: HostConfiguration
    private let storage: DeviceStorage
    private(set) var driver: HostDriver?
    private(set) var deliver: (@Sendable (ConsumerPortEvent) -> Void)?
    private var links: [Link] = []
    private var lastProvider: UInt64 = 0
    private var isLettingIn = true
    var air: AirTime
    var airTimer: LoopTimer?
    /// How long the machine had been suspended when that was looked at last.
    var suspended = Duration.zero
    var suspensionTimer: LoopTimer?

    /// A port that is not open yet. Without a store, bonds live as long as the port.
    init(
        moniker: TransportMoniker, capture: BtsnoopWriter?, advertisement: AirTime.Wish,
        hostConfiguration: HostConfiguration, air: AirTime.Configuration,
        storage: DeviceStorage, on loop: EventLoop
    ) {
        self.loop = loop
        self.moniker = moniker
        self.capture = capture
        self.advertisement = advertisement
        self.hostConfiguration = hostConfiguration
        self.storage = storage
        self.air = AirTime(air)
    }

    func open(deliver: @escaping @Sendable (ConsumerPortEvent) -> Void) {
        self.deliver = deliver
        openAdvertising()
        let driver = HostDriver(
            moniker: moniker, capture: capture, configuration: hostConfiguration,
            bonds: storage.initial.bonds, toolbox: storage.toolbox, on: loop,
            transportEvent: { [unowned self] _, event in handle(event) },
            deliver: { [unowned self] _, output in handle(output) })
        self.driver = driver
        driver.open()
    }

    func close() {
        deliver = nil
        closeAdvertising()
        for link in exchange(&links, with: []) { link.timer?.deadline = nil }
        driver?.close()
        driver = nil
        storage.close()
    }

    func stopAdvertising() {
        isLettingIn = false
        updateAir { air, _ in air.end() }
    }

    // MARK: What the consumer wants

    func subscribe(to characteristic: ConsumerSession.Characteristic, of provider: ProviderID) {
        guard let link = link(of: provider) else { return }
        link.machine.subscribe(to: characteristic)
        drain(link)
    }

    func unsubscribe(
        from characteristic: ConsumerSession.Characteristic, of provider: ProviderID
    ) {
        guard let link = link(of: provider) else { return }
        link.machine.unsubscribe(from: characteristic)
        drain(link)
    }

    func readSubscription(
        to characteristic: ConsumerSession.Characteristic, of provider: ProviderID
    ) {
        guard let link = link(of: provider) else { return }
        link.machine.readSubscription(to: characteristic)
        drain(link)
    }

    func leave(_ provider: ProviderID) {
        guard let link = link(of: provider) else { return }
        link.machine.leave()
        drain(link)
    }

    func writeControlPoint(_ value: [UInt8], of provider: ProviderID) {
        guard let link = link(of: provider) else { return }
        link.machine.writeControlPoint(value)
        drain(link)
    }

    func answer(_ answer: PairingAnswer, of provider: ProviderID) {
        guard let handle = link(of: provider)?.handle else { return }
        driver?.answer(answer, on: handle)
    }

    func disconnect(_ provider: ProviderID) {
        guard let handle = link(of: provider)?.handle else { return }
        driver?.disconnect(handle)
    }

    private func link(of provider: ProviderID) -> Link? {
        links.first { $0.provider == provider }
    }

    private func link(_ handle: ConnectionHandle) -> Link? { links.first { $0.handle == handle } }
}

// MARK: - What happens

extension HostPort {
    private func handle(_ event: HCITransport.Event) {
        switch event {
        case .listening(let place): deliver?(.listening(at: place))
        case .closed(let error): deliver?(.failed(.transport(error)))
        case .opened, .received: break
        }
    }

    private func handle(_ output: HostOutput) {
        switch output {
        case .send: break
        case .ready:
            deliver?(.ready)
            updateAir { air, _ in
                if isLettingIn { try? air.set(advertisement, of: Self.client) }
                air.ready()
            }
        case .resetting(let reason):
            air.reset()
            deliver?(.resetting(reason: reason.text))
        case .failed(let failure): deliver?(.failed(.controller(failure.text)))
        case .advertisingStarted: updateAir { air, now in air.started(at: now) }
        case .advertisingStopped(let reason): updateAir { air, now in air.stopped(reason, at: now) }
        case .advertisingFailed(let failure): updateAir { air, now in air.failed(failure, at: now) }
        case .connected(let handle, let description): connected(handle, description)
        case .disconnected(let handle, let reason): disconnected(handle, reason)
        // An accessory is Peripheral only, and sends little.
        case .linkChanged, .linkHasRoom, .scanningStarted, .scanningStopped, .scanningFailed,
            .discovered, .connectingFailed:
            break
        case .bondChanged: storeBonds()
        case .securityChanged(let handle, let security):
            withLink(handle) { link in
                protectionChanged(LinkProtection(security), of: link)
                link.machine.securityChanged(security)
            }
        case .ask(let handle, let question):
            withLink(handle) { deliver?(.ask($0.provider, PairingQuestion(question))) }
        case .paired(let handle): withLink(handle) { deliver?(.paired($0.provider)) }
        case .securityFailed(let handle, let failure):
            withLink(handle) { securityFailed(failure, of: $0) }
        case .attribute(let handle, let event):
            withLink(handle) { attributeEvent(event, of: $0) }
        }
    }

    private func withLink(_ handle: ConnectionHandle, _ body: (Link) -> Void) {
        guard let link = link(handle) else { return }
        body(link)
        drain(link)
    }

    /// Pairing encrypts a link, and encrypts it anew with the key that it made: no news to a user.
    private func protectionChanged(_ protection: LinkProtection, of link: Link) {
        guard exchange(&link.protection, with: protection) != protection else { return }
        deliver?(.secured(link.provider, protection))
    }

    private func securityFailed(_ failure: SecurityManager.Failure, of link: Link) {
        deliver?(.securityFailed(link.provider, reason: failure.text))
        // Nobody can pair on this link any more (Core Vol 3, Part H, 3.4); on the next one they can.
        if failure == .timedOut { disconnect(link.provider) }
    }

    private func attributeEvent(_ event: HostOutput.AttributeEvent, of link: Link) {
        switch event {
        case .notification(let attribute, let value):
            link.machine.receiveNotification(attribute, value)
        case .indication(let attribute, let value):
            link.machine.receiveIndication(attribute, value, at: loop.now)
        case .completed(let procedure, let result):
            guard let purpose = link.purposes.removeValue(forKey: procedure) else { return }
            link.machine.completed(purpose, result, at: loop.now)
        // An accessory has no attributes that an application answers for.
        case .mtuChanged, .indicationConfirmed, .subscriptionChanged, .valueWritten,
            .readRequested, .writeRequested, .accessDenied, .failed:
            break
        }
    }

    private func connected(_ handle: ConnectionHandle, _ description: LinkDescription) {
        lastProvider += 1
        let cached = driver?.query { host in host.remoteDatabase(of: handle) }
        let link = Link(
            handle: handle, provider: ProviderID(rawValue: lastProvider),
            machine: ProviderLink(
                isBonded: description.peerIdentity != nil, cached: cached ?? nil, at: loop.now))
        link.timer = LoopTimer(on: loop) { [weak self] in
            self?.withLink(handle) { link in
                guard let now = self?.loop.now else { return }
                link.machine.handleTimeout(at: now)
            }
        }
        links.append(link)
        deliver?(
            .connected(
                link.provider,
                ProviderDescription(
                    address: description.peerAddress.text,
                    identity: description.peerIdentity?.text)))
        drain(link)
        updateAir { [count = links.count] air, _ in
            air.centralConnected(links: count, centrals: count)
        }
    }

    private func disconnected(_ handle: ConnectionHandle, _ reason: HCIStatus) {
        guard let index = links.firstIndex(where: { $0.handle == handle }) else { return }
        let link = links.remove(at: index)
        link.machine.ended()
        link.timer?.deadline = nil
        deliver?(.disconnected(link.provider, reason: reason.text))
        updateAir { [count = links.count] air, _ in
            air.linksChanged(links: count, centrals: count)
        }
    }

    /// Carries out what the machine of a link wants.
    private func drain(_ link: Link) {
        while let output = link.machine.pollOutput() { handle(output, of: link) }
        link.timer?.deadline = link.machine.nextDeadline
    }

    private func handle(_ output: ProviderLink.Output, of link: Link) {
        switch output {
        case .requestSecurity: requestSecurity(of: link)
        case .start(let procedure, let purpose): start(procedure, purpose, of: link)
        case .keep(let database):
            driver?.input { host, _ in host.keep(database, of: link.handle) }
        case .available(let hasControlPoint, let hasDataSource):
            deliver?(
                .available(
                    link.provider, hasControlPoint: hasControlPoint, hasDataSource: hasDataSource))
        case .waiting: deliver?(.waiting(link.provider))
        case .unavailable: deliver?(.unavailable(link.provider))
        case .notificationSource(let value):
            deliver?(.notificationSource(link.provider, value))
        case .dataSource(let value): deliver?(.dataSource(link.provider, value))
        case .subscribed(let characteristic, let errorCode):
            deliver?(.subscribed(link.provider, characteristic, errorCode: errorCode))
        case .named(let name): deliver?(.named(link.provider, name))
        case .unsubscribed(let characteristic):
            deliver?(.unsubscribed(link.provider, characteristic))
        case .subscriptionRead(let characteristic, let isSubscribed):
            deliver?(
                .subscriptionRead(link.provider, characteristic, isSubscribed: isSubscribed))
        case .controlPointWritten(let errorCode):
            deliver?(
                .controlPointWritten(
                    link.provider, errorCode.map { ControlPointError(rawValue: $0) }))
        case .disconnect: disconnect(link.provider)
        }
    }

    private func requestSecurity(of link: Link) {
        let handle = link.handle
        let error = driver?.attempt { host, now throws(HostUsageError) in
            try host.pair(handle, at: now)
        }
        switch error {
        case .security(.tooSoon(let instant)): link.machine.securityDelayed(until: instant)
        // The Central began by itself, or the link is about to end.
        case nil, .some: break
        }
    }

    private func start(
        _ procedure: GATTProcedure, _ purpose: ProviderLink.Purpose, of link: Link
    ) {
        let handle = link.handle
        // The purpose is noted before the host is drained, so that no end comes before it.
        let error = driver?.attempt { host, now throws(HostUsageError) in
            let identifier = try host.start(procedure, on: handle, at: now)
            link.purposes[identifier] = purpose
        }
        if error != nil { link.machine.completed(purpose, .failure(.closed), at: loop.now) }
    }

    // MARK: Bonds

    private func storeBonds() {
        guard let driver else { return }
        do throws(BondStore.Failure) {
            try storage.save(bonds: driver.query { $0.bonds }, peers: storage.initial.peers)
        } catch {
            deliver?(.warning("the bond is not stored: \(error.message)"))
        }
    }
}

extension HostOutput.ResetReason {
    var text: String {
        switch self {
        case .hardwareError(let code): "the controller reported a hardware error (\(code))"
        case .requested: "the controller is to begin anew"
        case .unresponsive: "the controller stopped answering"
        }
    }
}

extension ControllerSetup.Failure {
    var text: String {
        switch self {
        case .noAnswer: "the controller does not answer; is this an HCI controller (H4)?"
        case .resetRefused(let status): "the controller refuses to be reset: \(status.text)"
        case .failsRepeatedly: "the controller fails whenever it is set up"
        }
    }
}

extension Advertiser.Failure {
    var text: String {
        switch self {
        case .refused(_, let status): status.text
        case .timedOut: "it does not answer"
        }
    }
}
