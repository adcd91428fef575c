internal import BluetoothLE
internal import LinuxIO
internal import Octets

// What the host tells.
extension HostProviderPort {
    func handle(_ event: HCITransport.Event) {
        switch event {
        case .listening(let place): deliver?(.listening(at: place))
        case .closed(let error): deliver?(.failed(.transport(error)))
        case .opened, .received: break
        }
    }

    func handle(_ output: HostOutput) {
        switch output {
        case .ready:
            deliver?(.ready)
            find { finder, now in finder.start(at: now) }
        case .resetting(let reason):
            deliver?(.resetting(reason: reason.text))
            find { finder, _ in finder.stop() }
        case .failed(let failure): deliver?(.failed(.controller(failure.text)))
        case .scanningStarted, .scanningStopped, .scanningFailed, .discovered, .connectingFailed:
            handleAir(output)
        case .connected(let handle, let description): connected(handle, description)
        case .disconnected(let handle, let reason): disconnected(handle, reason)
        case .linkHasRoom(let handle): withLink(handle) { deliver?(.hasRoom($0.accessory)) }
        case .securityChanged, .ask, .paired, .securityFailed, .bondChanged: handleSecurity(output)
        case .attribute(let handle, .accessDenied(let attribute, let code)):
            withLink(handle) { accessDenied(attribute, code, to: $0) }
        case .attribute(let handle, let event): withLink(handle) { attributeEvent(event, of: $0) }
        // A phone does not advertise, and takes what parameters there are.
        case .send, .advertisingStarted, .advertisingStopped, .advertisingFailed, .linkChanged:
            break
        }
    }

    private func withLink(_ handle: ConnectionHandle, _ body: (Link) -> Void) {
        if let link = links[handle] { body(link) }
    }

    // MARK: Links

    private func connected(_ handle: ConnectionHandle, _ description: LinkDescription) {
        let accessory = know(description.peerAddress, identity: description.peerIdentity)
        let link = Link(handle: handle, accessory: accessory, address: description.peerAddress)
        add(link)
        deliver?(.connected(accessory))
        // 23 is what the link has anyway.
        if configuration.maximumMTU > ATTBearer.defaultMTU {
            driver?.attempt { host, now throws(HostUsageError) in
                _ = try host.start(.exchangeMTU, on: handle, at: now)
            }
        }
        if description.peerIdentity != nil || configuration.pairing == .onConnection {
            secure(link)
        }
        find { finder, now in finder.connected(description.peerAddress, at: now) }
    }

    private func disconnected(_ handle: ConnectionHandle, _ reason: HCIStatus) {
        guard let link = removeLink(handle) else { return }
        deliver?(.disconnected(link.accessory, reason: reason.text))
        find { finder, now in
            finder.disconnected(link.address, wasUseful: link.wasUseful, at: now)
        }
    }

    // MARK: Security

    /// Encrypts with the bond, or pairs.
    func secure(_ link: Link, anew: Bool = false) {
        let handle = link.handle
        // Where it is under way already, it need not be begun; where it failed a moment ago, the
        // accessory has to wait (Core Vol 3, Part H, 2.3.6).
        driver?.attempt { host, now throws(HostUsageError) in
            try host.pair(handle, anew: anew, at: now)
        }
    }

    private func accessDenied(
        _ attribute: AttributeHandle, _ code: ATTErrorCode, to link: Link
    ) {
        deliver?(
            .accessDenied(
                link.accessory, handle: attribute.rawValue, errorCode: code.rawValue))
        guard code.asksForProtection else { return }
        if configuration.pairing != .never || isBonded(link) { secure(link) }
    }

    private func isBonded(_ link: Link) -> Bool {
        registry[link.accessory]?.identity != nil
    }

    private func handleSecurity(_ output: HostOutput) {
        switch output {
        case .securityChanged(let handle, let security):
            withLink(handle) { securityChanged(security, of: $0) }
        case .ask(let handle, let question):
            withLink(handle) { deliver?(.ask($0.accessory, PairingQuestion(question))) }
        case .paired(let handle): withLink(handle) { paired($0) }
        case .securityFailed(let handle, let failure):
            withLink(handle) { securityFailed(failure, of: $0) }
        case .bondChanged: storeBonds()
        default: break
        }
    }

    /// Pairing encrypts a link, and encrypts it anew with the key that it made: no news to a user.
    private func securityChanged(_ security: LinkSecurity, of link: Link) {
        let protection = LinkProtection(security)
        guard exchange(&link.protection, with: protection) != protection else { return }
        deliver?(.secured(link.accessory, protection))
        guard security.isEncrypted else { return }
        link.wasUseful = true
        if driver?.query({ $0.usesBondKey(on: link.handle) }) == true {
            deliver?(.bondRestored(link.accessory))
        }
    }

    private func paired(_ link: Link) {
        let identity = driver?.query { $0.description(of: link.handle)?.peerIdentity }
        if let identity = identity ?? nil {
            if let forgotten = registry.identify(link.accessory, as: identity) {
                deliver?(.forgotten(forgotten))
            }
            tellKnown(link.accessory)
            find { finder, _ in finder.identified(link.address, as: identity) }
        }
        deliver?(.paired(link.accessory))
    }

    private func securityFailed(_ failure: SecurityManager.Failure, of link: Link) {
        deliver?(.securityFailed(link.accessory, reason: failure.text))
        switch (failure, configuration.lostKeys) {
        case (.peerLostBond, .pairAgain): secure(link, anew: true)
        case (.peerLostBond, .refuse):
            link.wasUseful = false
            driver?.disconnect(link.handle)
        // Nobody can pair on this link any more (Core Vol 3, Part H, 3.4); on the next one they can.
        case (.timedOut, _): driver?.disconnect(link.handle)
        default: break
        }
    }

    // MARK: Bonds

    func forget(_ accessory: AccessoryID) {
        guard let entry = registry[accessory] else { return }
        registry.forget(accessory)
        if let identity = entry.identity {
            driver?.input { host, now in _ = host.removeBond(identity: identity, at: now) }
            storeBonds()
            find { finder, now in finder.forget(identity, at: now) }
        }
        tellKnown(accessory)
        disconnect(accessory)
    }

    private func storeBonds() {
        guard let driver else { return }
        do throws(BondStore.Failure) {
            try storage.save(bonds: driver.query { $0.bonds }, peers: storage.initial.peers)
        } catch {
            deliver?(.warning("the bonds are not stored: \(error.message)"))
        }
    }
}
