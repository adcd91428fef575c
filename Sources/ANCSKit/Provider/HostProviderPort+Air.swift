internal import ANCS
internal import BluetoothLE
internal import LinuxIO
internal import Octets

// Who is on air, and whom to connect to.
extension HostProviderPort {
    func handleAir(_ output: HostOutput) {
        switch output {
        case .scanningStarted: deliver?(.scanning(true))
        case .scanningStopped: deliver?(.scanning(false))
        case .scanningFailed(.controllerLost): deliver?(.scanning(false))
        case .scanningFailed(let failure):
            deliver?(.warning("the controller does not scan: \(failure)"))
            find { finder, now in finder.scanningFailed(at: now) }
        case .discovered(let discovery):
            find { finder, now in finder.heard(AccessoryFinder.Sighting(discovery), at: now) }
        case .connectingFailed(let address, let failure):
            let entry = registry.entry(address: address, identity: nil)
            deliver?(.connectingFailed(entry.id, reason: failure.text))
            find { finder, now in finder.connectingFailed(at: now) }
        default: break
        }
    }

    /// Tells the finder something, and carries out what it then wants.
    func find(_ body: (inout AccessoryFinder, MonotonicInstant) -> Void) {
        body(&finder, loop.now)
        while let output = finder.pollOutput() { carryOut(output) }
        finderTimer?.deadline = finder.nextDeadline
    }

    private func carryOut(_ output: AccessoryFinder.Output) {
        switch output {
        case .startScanning:
            driver?.attempt { host, now throws(HostUsageError) in
                try host.startScanning(at: now)
            }
        case .stopScanning: driver?.input { host, now in host.stopScanning(at: now) }
        case .cancelConnecting: driver?.input { host, now in host.cancelConnecting(at: now) }
        case .discovered(let sighting):
            let accessory = know(
                sighting.address, identity: sighting.identity, name: sighting.name)
            deliver?(.discovered(accessory))
        case .connect(let sighting): connect(to: sighting)
        }
    }

    private func connect(to sighting: AccessoryFinder.Sighting) {
        know(sighting.address, identity: sighting.identity, name: sighting.name)
        let error = driver?.attempt { host, now throws(HostUsageError) in
            try host.connect(to: sighting.address, timeout: .seconds(5), at: now)
        }
        if error != nil { find { finder, now in finder.connectingFailed(at: now) } }
    }

    /// Remembers an accessory, and tells who it is.
    @discardableResult
    func know(
        _ address: DeviceAddress, identity: DeviceAddress? = nil, name: String? = nil
    ) -> AccessoryID {
        let entry = registry.entry(address: address, identity: identity, name: name)
        tellKnown(entry.id)
        let forgotten = registry.prune { entry in
            entry.identity != nil || link(of: entry.id) != nil
        }
        if let forgotten { deliver?(.forgotten(forgotten)) }
        return entry.id
    }

    func tellKnown(_ accessory: AccessoryID) {
        guard let entry = registry[accessory] else { return }
        deliver?(.known(accessory, entry.description, isBonded: entry.identity != nil))
    }
}

extension AccessoryFinder.Sighting {
    init(_ discovery: Discovery) {
        address = discovery.address
        identity = discovery.identity
        name = discovery.advertisement.localName
        isConnectable = discovery.isConnectable
        solicitsANCS = discovery.advertisement.solicitedServices.contains(.ancs)
        isComplete = discovery.hasScanResponse || discovery.isDirected || name != nil
    }
}

extension Initiator.Failure {
    var text: String {
        switch self {
        case .timedOut: "it did not answer"
        case .cancelled: "cancelled"
        case .refused(let status): status.text
        case .unanswered: "the controller does not answer"
        case .controllerLost: "the controller is gone"
        }
    }
}
