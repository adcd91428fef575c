public import Octets

// The Central role: scanning and connecting.
extension Host {
    /// Starts scanning; `.discovered` reports each device. Another call starts over: all devices are news.
    /// Scanning pauses while a connection is being established.
    public mutating func startScanning(
        _ parameters: ScanParameters = ScanParameters(), at now: MonotonicInstant
    ) throws(HostUsageError) {
        try becomeCentral().startScanning(parameters)
        drainController(at: now)
    }

    /// Stops scanning.
    public mutating func stopScanning(at now: MonotonicInstant) {
        guard isReady else { return }
        central?.stopScanning()
        drainController(at: now)
    }

    /// Whether the owner wants to scan; also `true` during pauses.
    public var isScanning: Bool { central?.isScanning == true }

    /// Connects to a device by its address on air. Ends in one `.connected` as Central or one
    /// `.connectingFailed`; until then, another call throws ``HostUsageError/connecting(_:)``. Without a
    /// timeout, the attempt lasts until ``cancelConnecting(at:)``.
    public mutating func connect(
        to address: DeviceAddress, parameters: ConnectionParameters = .initial,
        timeout: Duration? = .seconds(30), at now: MonotonicInstant
    ) throws(HostUsageError) {
        let central = try becomeCentral()
        if let link = connections.first(where: { $0.description.peerAddress == address }) {
            throw .alreadyConnected(link.handle)
        }
        guard connections.count < configuration.maximumConnections else {
            throw .tooManyConnections
        }
        do throws(Initiator.UsageError) {
            try central.connect(to: address, parameters: parameters, timeout: timeout, at: now)
        } catch { throw .connecting(error) }
        drainController(at: now)
    }

    /// Cancels the attempt to connect. `.connectingFailed` follows once the controller has confirmed it, or
    /// `.connected` if a link was established meanwhile.
    public mutating func cancelConnecting(at now: MonotonicInstant) {
        guard isReady else { return }
        central?.cancelConnecting()
        drainController(at: now)
    }

    /// The address of the current attempt to connect; `nil` if there is none.
    public var connectingAddress: DeviceAddress? { central?.connectingAddress }

    /// The machines for scanning and connecting. Throws if the controller is not ready, or lacks this
    /// device's identity address.
    private mutating func becomeCentral() throws(HostUsageError) -> any CentralRole {
        guard case .running(let abilities) = state else { throw .notReady }
        if ownAddress.address.kind == .public, ownAddress.address != abilities.publicAddress {
            throw .addressNotAvailable
        }
        ownAddress.retry()
        if let central { return central }
        let machines = CentralMachines(
            abilities: abilities, ownAddressType: OwnAddressType(ownAddress.address.kind))
        central = machines
        return machines
    }
}

// The outputs of the machines of the Central role.
extension Host {
    mutating func handle(_ output: CentralOutput, at now: MonotonicInstant) {
        switch output {
        case .send(let command, let owner): submit(command, for: owner, at: now)
        case .event(.discovered(var discovery)):
            discovery.identity = resolver.identity(
                of: discovery.address, among: bonds, using: toolbox)
            outputs.append(.air(.discovered(discovery)))
        case .event(let event): outputs.append(.air(event))
        }
    }

    /// The controller was reset: reports the end of scanning and connecting.
    mutating func endCentralRole() {
        guard let central else { return }
        if central.isScanning { outputs.append(.air(.scanningFailed(.controllerLost))) }
        if let address = central.connectingAddress {
            outputs.append(.air(.connectingFailed(address, .controllerLost)))
        }
    }
}
