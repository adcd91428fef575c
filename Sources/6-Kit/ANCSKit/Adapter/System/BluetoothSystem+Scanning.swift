internal import BluetoothLE

// Scanning, for several clients at once.
extension BluetoothSystem {
    /// Scans for a client until ``stopScanning(by:at:)``, or changes its scan; every device is news to it.
    /// Does nothing if the adapter is not powered on.
    mutating func scan(_ request: ScanRequest, by client: ClientID, at now: MonotonicInstant) {
        guard state == .poweredOn else { return }
        put(.withdraw(client, .scanFailure))
        updateScans(at: now) { scans in scans.scan(request, by: client) }
    }

    /// Stops scanning for a client.
    mutating func stopScanning(by client: ClientID, at now: MonotonicInstant) {
        put(.withdraw(client, .scan))
        updateScans(at: now) { scans in scans.stop(by: client) }
    }

    /// Calls the arbiter of scans, and carries out its outputs.
    mutating func updateScans(at now: MonotonicInstant, _ body: (inout ScanArbiter) -> Void) {
        body(&scans)
        settleScans(at: now)
    }

    @inline(never) private mutating func settleScans(at now: MonotonicInstant) {
        while let output = scans.pollOutput() {
            switch output {
            // The reset of the controller is reported next, and ends all scans.
            case .start(let parameters): try? host.startScanning(parameters, at: now)
            case .stop: host.stopScanning(at: now)
            case .report(let client, let event): report(client, .scan(event))
            }
        }
    }

    mutating func discovered(_ discovery: Discovery, at now: MonotonicInstant) {
        // A stranger that no client looks for is not remembered.
        guard peers.knows(discovery.address, discovery.identity) || scans.looks(for: discovery)
        else { return updateScans(at: now) { scans in scans.passedOver(discovery) } }
        let peer = peers.heard(
            discovery.address, identity: discovery.identity,
            name: discovery.advertisement.localName,
            isNameShortened: discovery.advertisement.isLocalNameShortened,
            isConnectable: discovery.isConnectable == true, at: now)
        updateScans(at: now) { scans in scans.heard(peer, discovery) }
        guard discovery.isConnectable == true, queue.isWanted(peer) else { return }
        updateQueue(at: now) { queue in queue.heard(peer, discovery.address, at: now) }
    }
}
