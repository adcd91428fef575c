internal import BluetoothLE

// Events of the host.
extension BluetoothSystem {
    mutating func handle(_ output: HostOutput, at now: MonotonicInstant) {
        switch output {
        case .send(let packet): put(.send(packet))
        case .controller(let event): handle(event, at: now)
        case .air(let event): handle(event, at: now)
        case .link(let handle, .connected(let description)): linkMade(handle, description, at: now)
        case .link(let handle, .disconnected(let reason)): linkEnded(handle, reason, at: now)
        case .link(let handle, .changed(let description)):
            guard let link = reportedLink(handle) else { return }
            link.description = description
            report(.link(link.peer, .changed(description)))
        case .link(let handle, .parameters(let outcome)):
            guard let link = reportedLink(handle) else { return }
            report(.link(link.peer, .parameters(link.description, outcome)))
        case .link(let handle, .parametersRequested(let parameters)):
            guard let link = reportedLink(handle) else { return }
            report(.link(link.peer, .parametersRequested(parameters)))
        case .link(let handle, .hasRoom):
            if let link = reportedLink(handle) { report(.link(link.peer, .hasRoom)) }
        case .link(let handle, .rssi(let rssi)):
            updateRequests(of: reportedLink(handle), at: now) { $0.rssiRead(rssi) }
        case .security(let handle, let event):
            if let link = reportedLink(handle) { securityEvent(event, of: link, at: now) }
        case .attribute(let handle, let event):
            if let link = reportedLink(handle) { attributeEvent(event, of: link, at: now) }
        case .bondChanged: bondsChanged(at: now)
        }
    }

    /// The link, unless it is only waiting for its end; clients know nothing of such links.
    private func reportedLink(_ handle: ConnectionHandle) -> SystemLink? {
        links.first { $0.handle == handle && !$0.isRefused }
    }

    private mutating func handle(_ event: HostOutput.AirEvent, at now: MonotonicInstant) {
        switch event {
        case .advertisingStarted: updateAdvertising(at: now) { air in air.started(at: now) }
        case .advertisingStopped(let reason):
            updateAdvertising(at: now) { air in air.stopped(reason, at: now) }
        case .advertisingFailed(let failure):
            updateAdvertising(at: now) { air in air.failed(failure, at: now) }
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
            report(.link(link.peer, .mtuChanged(mtu)))
        case .value(let event):
            if let range = link.requests.servicesChanged(by: event) {
                report(.link(link.peer, .servicesChanged(range)))
                updateRequests(of: link, at: now) { $0.forgetAttributes(in: range) }
            } else {
                report(.value(link.peer, event))
            }
        case .completed(let procedure, let result):
            updateRequests(of: link, at: now) { $0.completed(procedure, result) }
        case .server(let event): serverEvent(event, of: link, at: now)
        // The host ends the link.
        case .failed: break
        }
    }
}
