internal import ANCS
internal import BluetoothLE
internal import LinuxIO
internal import Octets

/// A ``ProviderPort`` on our own host: a phone that connects to the accessories in range and serves
/// them its attributes.
final class HostProviderPort: ProviderPort, @unchecked Sendable {
    // Unchecked: confined to the loop's thread, which the driver's transport checks.

    /// A link and what it is to us.
    final class Link {
        let handle: ConnectionHandle
        let accessory: AccessoryID
        /// The address that it was made with.
        let address: DeviceAddress
        /// How it was protected when that was told last.
        var protection: LinkProtection?
        /// Pairing is under way, so that encryption is no news of a bond.
        var isPairing = false
        /// It was secured, at any time: it was more than an attempt.
        var wasUseful = false
        /// The write to the Control Point that waits for a response.
        var write: ATTBearer.RequestToken?

        init(handle: ConnectionHandle, accessory: AccessoryID, address: DeviceAddress) {
            self.handle = handle
            self.accessory = accessory
            self.address = address
        }
    }

    let loop: EventLoop
    let configuration: ProviderConfiguration
    let storage: DeviceStorage
    var driver: HostDriver?
    var deliver: (@Sendable (ProviderPortEvent) -> Void)?
    var links: [ConnectionHandle: Link] = [:]
    /// The same by their accessories; the older one where an accessory has two.
    private var linksOfAccessories: [AccessoryID: Link] = [:]
    var registry = AccessoryRegistry()
    var finder: AccessoryFinder
    var finderTimer: LoopTimer?
    /// The handles of ANCS, where it is published.
    var ancs: PhoneServices.ANCSHandles?

    /// A port that is not open yet.
    init(_ configuration: ProviderConfiguration, on loop: EventLoop) throws(DeviceError) {
        self.loop = loop
        self.configuration = configuration
        storage = try DeviceStorage(configuration.store, toolbox: configuration.toolbox)
        finder = AccessoryFinder(configuration: configuration.finder)
    }

    func open(deliver: @escaping @Sendable (ProviderPortEvent) -> Void) {
        self.deliver = deliver
        finderTimer = LoopTimer(on: loop) { [unowned self] in
            find { finder, now in finder.handleTimeout(at: now) }
        }
        let driver = HostDriver(
            moniker: configuration.transport, capture: configuration.capture,
            configuration: configuration.host(storage.initial), bonds: storage.initial.bonds,
            toolbox: storage.toolbox, on: loop,
            transportEvent: { [unowned self] _, event in handle(event) },
            deliver: { [unowned self] _, output in handle(output) })
        self.driver = driver
        for record in storage.initial.bonds {
            know(record.bond.identityAddress, identity: record.bond.identityAddress)
        }
        addServices(to: driver)
        driver.open()
    }

    func close() {
        deliver = nil
        finderTimer?.deadline = nil
        finderTimer = nil
        links = [:]
        linksOfAccessories = [:]
        driver?.close()
        driver = nil
        storage.close()
    }

    // MARK: What the provider wants

    func stopScanning() { find { finder, _ in finder.stop() } }

    func restart() { driver?.input { host, now in host.restart(at: now) } }

    func hasRoom(for accessory: AccessoryID) -> Bool {
        guard let handle = link(of: accessory)?.handle, let driver else { return false }
        return driver.query { $0.hasRoom(on: handle) }
    }

    func notify(
        _ value: [UInt8], of characteristic: ProviderSession.Characteristic,
        to accessory: AccessoryID
    ) {
        guard let handle = link(of: accessory)?.handle, let ancs else { return }
        let attribute = ancs.value(of: characteristic)
        // Who has unsubscribed, or left, wants it no more.
        driver?.attempt { host, now throws(HostUsageError) in
            try host.notify(value, of: attribute, on: handle, at: now)
        }
    }

    func respond(_ error: ControlPointError?, to accessory: AccessoryID) {
        guard let link = link(of: accessory), let token = exchange(&link.write, with: nil) else {
            return
        }
        respond(
            to: token, error.map { .failure(ATTErrorCode(rawValue: $0.rawValue)) } ?? .success([]),
            on: link)
    }

    private func respond(
        to token: ATTBearer.RequestToken, _ result: Result<[UInt8], ATTErrorCode>, on link: Link
    ) {
        driver?.attempt { host, now throws(HostUsageError) in
            try host.respond(to: token, with: result, on: link.handle, at: now)
        }
    }

    func answer(_ answer: PairingAnswer, of accessory: AccessoryID) {
        guard let handle = link(of: accessory)?.handle else { return }
        driver?.answer(answer, on: handle)
    }

    func pair(_ accessory: AccessoryID) {
        guard let link = link(of: accessory) else { return }
        secure(link)
    }

    func disconnect(_ accessory: AccessoryID) {
        guard let handle = link(of: accessory)?.handle else { return }
        driver?.disconnect(handle)
    }

    func link(of accessory: AccessoryID) -> Link? { linksOfAccessories[accessory] }

    func add(_ link: Link) {
        links[link.handle] = link
        if linksOfAccessories[link.accessory] == nil { linksOfAccessories[link.accessory] = link }
    }

    func removeLink(_ handle: ConnectionHandle) -> Link? {
        guard let link = links.removeValue(forKey: handle) else { return nil }
        if linksOfAccessories[link.accessory] === link {
            linksOfAccessories[link.accessory] =
                links.values.first { $0.accessory == link.accessory }
        }
        return link
    }

    // MARK: Attributes

    private func addServices(to driver: HostDriver) {
        driver.input { host, now in
            for (definition, start) in PhoneServices.fixed {
                // A table with nothing else in it has room.
                _ = try? host.addService(definition, startingAt: start, at: now)
            }
        }
        setPublished(at: PhoneServices.ancsHandle.rawValue, announcing: true)
    }

    func setPublished(at handle: UInt16?, announcing: Bool) {
        driver?.input { host, now in
            if let published = exchange(&ancs, with: nil) {
                host.removeService(
                    startingAt: published.declaration, announcing: announcing, at: now)
            }
            guard let handle else { return }
            let handles = try? host.addService(
                PhoneServices.ancs, startingAt: AttributeHandle(handle),
                announcing: announcing, at: now)
            ancs = handles.flatMap(PhoneServices.ANCSHandles.init)
        }
    }

    func attributeEvent(_ event: HostOutput.AttributeEvent, of link: Link) {
        switch event {
        case .mtuChanged(let mtu): deliver?(.mtuChanged(link.accessory, mtu))
        case .subscriptionChanged(let attribute, let value):
            subscriptionChanged(attribute, value, of: link)
        case .writeRequested(let token?, let writes): requested(token, writes, of: link)
        case .readRequested(let token, let attribute):
            let value = PhoneServices.dynamicValue(
                of: attribute, at: configuration.localTime())
            respond(to: token, value.map { .success($0) } ?? .failure(.readNotPermitted), on: link)
        case .writeRequested(nil, let writes):
            guard let write = writes.first, write.handle == ancs?.controlPoint else { return }
            deliver?(.controlPointWrittenWithoutResponse(link.accessory, write.value))
        // A phone asks nothing of an accessory's server but for ATT_MTU.
        case .notification, .indication, .completed, .indicationConfirmed, .valueWritten,
            .accessDenied, .failed:
            break
        }
    }

    /// A command is one value, from its first octet on.
    private func requested(
        _ token: ATTBearer.RequestToken, _ writes: [AttributeWrite], of link: Link
    ) {
        guard let write = writes.first, write.handle == ancs?.controlPoint else {
            return respond(to: token, .failure(.writeNotPermitted), on: link)
        }
        guard writes.count == 1, write.offset == 0 else {
            return respond(to: token, .failure(.invalidOffset), on: link)
        }
        link.write = token
        deliver?(.controlPointWritten(link.accessory, write.value))
    }

    private func subscriptionChanged(
        _ attribute: AttributeHandle, _ value: ClientCharacteristicConfiguration, of link: Link
    ) {
        if let characteristic = ancs?.characteristic(of: attribute) {
            deliver?(.subscribed(link.accessory, characteristic, value.contains(.notification)))
        } else if attribute.rawValue < PhoneServices.batteryHandle.rawValue {
            // The host's own services have nothing else to subscribe to.
            deliver?(.serviceChangedSubscribed(link.accessory, value.contains(.indication)))
        }
    }
}

extension ProviderConfiguration {
    func host(_ state: DeviceState) -> HostConfiguration {
        var security = SecurityConfiguration(ability: pairingAbility)
        if pairing == .never { security.pairing = .never }
        if usesPrivateAddress {
            security.localKeys.identityResolvingKey = state.identityResolvingKey
        }
        return HostConfiguration(
            // Assigned Numbers, 2.6: 0x0040 is a generic phone.
            deviceName: name, appearance: 0x0040, identityAddress: state.identityAddress,
            ownAddress: usesPrivateAddress ? .resolvablePrivate() : .identity, security: security,
            bearer: ATTBearer.Configuration(receiveMTU: maximumMTU),
            maximumConnections: maximumAccessories, maximumBonds: max(64, 2 * maximumAccessories))
    }

    /// Who is connected is remembered beside those who are on air.
    fileprivate var finder: AccessoryFinder.Configuration {
        AccessoryFinder.Configuration(
            allowed: allowedAccessories, maximumLinks: maximumAccessories,
            maximumCandidates: maximumAccessories + 64)
    }
}
