internal import BluetoothLE
internal import Octets

// Looking for advertisers, for several clients at once.
extension BluetoothSystem {
    /// Looks for advertisers on behalf of a client until ``stopScanning(by:at:)``, or in another way than
    /// before; everything is news to it. Does nothing where the adapter is not powered on.
    mutating func scan(_ request: ScanRequest, by client: ClientID, at now: MonotonicInstant) {
        guard state == .poweredOn else { return }
        put(.withdraw(client, .scanFailure))
        updateScans(at: now) { scans in scans.scan(request, by: client) }
        settle(at: now)
    }

    /// Looks no longer on behalf of a client.
    mutating func stopScanning(by client: ClientID, at now: MonotonicInstant) {
        put(.withdraw(client, .scan))
        updateScans(at: now) { scans in scans.stop(by: client) }
        settle(at: now)
    }

    /// Tells the arbiter of scans something, and carries out what it then wants.
    mutating func updateScans(at now: MonotonicInstant, _ body: (inout ScanArbiter) -> Void) {
        body(&scans)
        while let output = scans.pollOutput() {
            switch output {
            // A controller that is being reset is told of next, and nothing is wanted then.
            case .start(let parameters): try? host.startScanning(parameters, at: now)
            case .stop: host.stopScanning(at: now)
            case .tell(let client, let event): tell(client, .scan(event))
            }
        }
    }

    mutating func discovered(_ discovery: Discovery, at now: MonotonicInstant) {
        let peer = peers.heard(
            discovery.address, identity: discovery.identity,
            name: discovery.advertisement.localName,
            isNameShortened: discovery.advertisement.isLocalNameShortened,
            isConnectable: discovery.isConnectable, at: now)
        updateScans(at: now) { scans in scans.heard(peer, discovery) }
        guard discovery.isConnectable, queue.isWanted(peer) else { return }
        updateQueue(at: now) { queue in queue.heard(peer, discovery.address, at: now) }
    }
}
