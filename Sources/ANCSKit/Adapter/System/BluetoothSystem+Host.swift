internal import BluetoothLE
internal import Octets

// Events of the host.
extension BluetoothSystem {
    mutating func handle(_ output: HostOutput, at now: MonotonicInstant) {
        switch output {
        case .send(let packet): put(.send(packet))
        case .controller(let event): handle(event, at: now)
        case .air(let event): handle(event, at: now)
        case .link(let handle, .connected(let description)):
            linkMade(handle, description, at: now)
        case .link(let handle, .disconnected(let reason)): linkEnded(handle, reason, at: now)
        case .link(let handle, .changed(let description)):
            guard let link = told(handle) else { return }
            link.description = description
            tell(.link(link.peer, .changed(description)))
        case .link(let handle, .hasRoom):
            if let link = told(handle) { tell(.link(link.peer, .hasRoom)) }
        case .link(let handle, .rssi(let rssi)):
            updateRequests(of: told(handle), at: now) { $0.rssiRead(rssi) }
        case .security(let handle, let event):
            if let link = told(handle) { securityEvent(event, of: link, at: now) }
        case .attribute(let handle, let event):
            if let link = told(handle) { attributeEvent(event, of: link, at: now) }
        case .bondChanged: bondsChanged(at: now)
        }
    }

    /// The link, unless it is only waiting for its end; clients know nothing of such links.
    private func told(_ handle: ConnectionHandle) -> SystemLink? {
        links.first { $0.handle == handle && !$0.isRefused }
    }

    private mutating func handle(_ event: HostOutput.AirEvent, at now: MonotonicInstant) {
        switch event {
        case .advertisingStarted: updateAir(at: now) { air in air.started(at: now) }
        case .advertisingStopped(let reason):
            updateAir(at: now) { air in air.stopped(reason, at: now) }
        case .advertisingFailed(let failure):
            updateAir(at: now) { air in air.failed(failure, at: now) }
        case .scanningStarted: updateScans(at: now) { scans in scans.started() }
        case .scanningStopped: updateScans(at: now) { scans in scans.stopped() }
        case .scanningFailed(let failure):
            updateScans(at: now) { scans in scans.failed(failure) }
            updateQueue(at: now) { queue in queue.listeningFailed(at: now) }
        case .discovered(let discovery): discovered(discovery, at: now)
        case .connectingFailed(let address, let failure):
            if let peer = peers.peer(withAddress: address) { scans.forget(peer) }
            updateQueue(at: now) { queue in queue.attemptFailed(failure, at: now) }
        }
    }

    private mutating func attributeEvent(
        _ event: ATTBearer.Event, of link: SystemLink, at now: MonotonicInstant
    ) {
        switch event {
        case .mtuChanged(let mtu):
            link.requests.mtuChanged(to: mtu)
            tell(.link(link.peer, .mtuChanged(mtu)))
        case .value(let event):
            if let range = link.requests.servicesChanged(by: event) {
                tell(.link(link.peer, .servicesChanged(range)))
            } else {
                tell(.value(link.peer, event))
            }
        case .completed(let procedure, let result):
            updateRequests(of: link, at: now) { $0.completed(procedure, result) }
        case .server(let event): serverEvent(event, of: link, at: now)
        // The host ends the link.
        case .failed: break
        }
    }
}
