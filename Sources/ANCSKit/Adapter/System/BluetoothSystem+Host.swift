internal import BluetoothLE
internal import LinuxIO
internal import Octets

// What the transport and the host tell.
extension BluetoothSystem {
    func handle(_ event: HostDriver.TransportEvent) {
        switch event {
        case .listening(let place):
            tell(.controller(.listening(at: place)))
            if let exposure = TransportMoniker.exposure(of: place) {
                tell(.controller(.warning(exposure)))
            }
        case .notice(let text): tell(.controller(.warning(text)))
        case .lost(let error):
            resetting(reason: "\(error.message); it is opened again as soon as it is back")
        case .closed(let error):
            setState(.poweredOff, reason: error.message)
            tell(.controller(.failed(.transport(error))))
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
        case .controller(let event): handle(event)
        case .air(let event): handle(event)
        case .link(let handle, let event): linkEvent(event, of: handle)
        case .security(let handle, let event):
            withLink(handle) { securityEvent(event, of: $0) }
        case .attribute(let handle, let event):
            withLink(handle) { attributeEvent(event, of: $0) }
        case .bondChanged: bondsChanged()
        }
    }

    private func handle(_ event: HostOutput.ControllerEvent) {
        switch event {
        case .ready:
            setState(.poweredOn)
            updatePairingWindow()
            updateQueue { queue, now in queue.ready(at: now) }
            updateAir { air, _ in air.ready() }
        case .resetting(let reason):
            resetting(reason: "\(reason.text); it is being reset")
        case .failed(let failure):
            setState(.unsupported, reason: failure.text)
            tell(.controller(.failed(.controller(failure.text))))
        }
    }

    private func handle(_ event: HostOutput.AirEvent) {
        switch event {
        case .advertisingStarted: updateAir { air, now in air.started(at: now) }
        case .advertisingStopped(let reason): updateAir { air, now in air.stopped(reason, at: now) }
        case .advertisingFailed(let failure): updateAir { air, now in air.failed(failure, at: now) }
        case .scanningStarted: scanningStarted()
        case .scanningStopped: scanningStopped()
        case .scanningFailed(let failure): scanningFailed(failure)
        case .discovered(let discovery): discovered(discovery)
        case .connectingFailed(let address, let failure): connectingFailed(address, failure)
        }
    }

    private func linkEvent(_ event: HostOutput.LinkEvent, of handle: ConnectionHandle) {
        switch event {
        case .connected(let description): linkMade(handle, description)
        case .disconnected(let reason): linkEnded(handle, reason)
        case .changed(let description):
            withLink(handle) { link in
                link.description = description
                tell(.link(link.peer, .changed(description)))
            }
        case .hasRoom: withLink(handle) { tell(.link($0.peer, .hasRoom)) }
        case .rssi(let rssi):
            withLink(handle) { endRSSI(of: $0, rssi.map { .success($0) } ?? .failure(.unknown)) }
        }
    }

    /// Calls with a link, unless it only waits for its end.
    func withLink(_ handle: ConnectionHandle, _ body: (SystemLink) -> Void) {
        if let link = links[handle], !link.isRefused { body(link) }
    }

    func setState(_ state: ManagerState, reason: String = "") {
        guard self.state != state else { return }
        self.state = state
        tell(.controller(.stateChanged(state, reason: reason)))
    }

    private func attributeEvent(_ event: ATTBearer.Event, of link: SystemLink) {
        switch event {
        case .mtuChanged(let mtu): tell(.link(link.peer, .mtuChanged(mtu)))
        case .value(let event): tell(.value(link.peer, event))
        case .completed(let procedure, let result): completed(procedure, result, on: link)
        case .server(let event): serverEvent(event, of: link)
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
            tell(.controller(.warning("the bonds are not stored: \(error.message)")))
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
        tell(.peer(peer, .changed))
    }
}
