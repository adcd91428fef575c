internal import BluetoothLE
internal import LinuxIO
internal import Octets

// What the transport and the host tell.
extension BluetoothSystem {
    func handle(_ event: HostDriver.TransportEvent) {
        switch event {
        case .listening(let place):
            tell(.listening(at: place))
            if let exposure = TransportMoniker.exposure(of: place) { tell(.warning(exposure)) }
        case .notice(let text): tell(.warning(text))
        case .lost(let error):
            resetting(reason: "\(error.message); it is opened again as soon as it is back")
        case .closed(let error):
            setState(.poweredOff, reason: error.message)
            tell(.failed(.transport(error)))
        }
    }

    private func resetting(reason: String) {
        updateQueue { queue, _ in queue.reset() }
        air.reset()
        setState(.resetting, reason: reason)
    }

    func handle(_ output: HostOutput) {
        switch output {
        case .send: break
        case .ready:
            setState(.poweredOn)
            updatePairingWindow()
            updateQueue { queue, now in queue.ready(at: now) }
            updateAir { air, _ in air.ready() }
        case .resetting(let reason):
            resetting(reason: "\(reason.text); it is being reset")
        case .failed(let failure):
            setState(.unsupported, reason: failure.text)
            tell(.failed(.controller(failure.text)))
        case .advertisingStarted, .advertisingStopped, .advertisingFailed: handleAir(output)
        case .scanningStarted: scanningStarted()
        case .scanningStopped: scanningStopped()
        case .scanningFailed(let failure): scanningFailed(failure)
        case .discovered(let discovery): discovered(discovery)
        case .connectingFailed(let address, let failure): connectingFailed(address, failure)
        case .connected(let handle, let description): linkMade(handle, description)
        case .disconnected(let handle, let reason): linkEnded(handle, reason)
        case .linkChanged(let handle, let description):
            withLink(handle) { link in
                link.description = description
                tell(.linkChanged(link.peer, description))
            }
        case .linkHasRoom(let handle): withLink(handle) { tell(.hasRoom($0.peer)) }
        case .rssi(let handle, let rssi):
            withLink(handle) { endRSSI(of: $0, rssi.map { .success($0) } ?? .failure(.unknown)) }
        case .securityChanged, .ask, .paired, .securityFailed, .bondChanged: handleSecurity(output)
        case .attribute(let handle, let event):
            withLink(handle) { attributeEvent(event, of: $0) }
        }
    }

    /// Calls with a link, unless it only waits for its end.
    func withLink(_ handle: ConnectionHandle, _ body: (SystemLink) -> Void) {
        if let link = links[handle], !link.isRefused { body(link) }
    }

    func setState(_ state: ManagerState, reason: String = "") {
        guard self.state != state else { return }
        self.state = state
        tell(.stateChanged(state, reason: reason))
    }

    private func attributeEvent(_ event: HostOutput.AttributeEvent, of link: SystemLink) {
        switch event {
        case .mtuChanged(let mtu): tell(.mtuChanged(link.peer, mtu))
        case .notification(let attribute, let value):
            tell(.value(link.peer, attribute, value, isIndication: false))
        case .indication(let attribute, let value):
            tell(.value(link.peer, attribute, value, isIndication: true))
        case .completed(let procedure, let result): completed(procedure, result, on: link)
        case .indicationConfirmed, .subscriptionChanged, .valueWritten, .readRequested,
            .writeRequested, .accessDenied:
            serverEvent(event, of: link)
        // The host ends the link.
        case .failed: break
        }
    }

    // MARK: Storage

    /// Stores the bonds and the peers where either has changed.
    func save() {
        do throws(BondStore.Failure) {
            try storage.save(bonds: driver.query { $0.bonds }, peers: peers.takeKnown())
        } catch {
            tell(.warning("the bonds are not stored: \(error.message)"))
        }
    }

    /// Stores the peers where there is another one.
    func saveIfChanged() {
        if peers.isChanged { save() }
    }

    /// A peer's Device Name was read: most phones have no name on air.
    func named(_ peer: PeerIdentifier, _ name: String) {
        guard !name.isEmpty, let known = peers[peer], known.name != name else { return }
        peers.setName(name, of: peer)
        saveIfChanged()
        tell(.peerChanged(peer))
    }
}
