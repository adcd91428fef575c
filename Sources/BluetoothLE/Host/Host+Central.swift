public import Octets

// The Central role: what the owner wants of scanning and connecting.
extension Host {
    /// Looks for devices that advertise; `.discovered` tells of each. Called again, it begins anew:
    /// all devices are news. While a link is being made, scanning pauses.
    public mutating func startScanning(
        _ parameters: ScanParameters = ScanParameters(), at now: MonotonicInstant
    ) throws(HostUsageError) {
        try requireOwnAddress()
        scanner.start(parameters)
        drainController(at: now)
    }

    /// Looks no longer.
    public mutating func stopScanning(at now: MonotonicInstant) {
        guard isReady else { return }
        scanner.stop()
        drainController(at: now)
    }

    /// Whether the owner wants devices to be looked for. True in the pauses as well.
    public var isScanning: Bool { scanner.isWanted }

    /// Connects to a device by the address that it is on air with. Ends in one `.connected` as Central
    /// or in one `.connectingFailed`; until then, another call throws ``HostUsageError/connecting(_:)``.
    /// Without a timeout the device is waited for until ``cancelConnecting(at:)``.
    public mutating func connect(
        to address: DeviceAddress, parameters: ConnectionParameters = .initial,
        timeout: Duration? = .seconds(30), at now: MonotonicInstant
    ) throws(HostUsageError) {
        try requireOwnAddress()
        if let link = connections.first(where: { $0.description.peerAddress == address }) {
            throw .alreadyConnected(link.handle)
        }
        guard connections.count < configuration.maximumConnections else {
            throw .tooManyConnections
        }
        do throws(Initiator.UsageError) {
            try initiator.connect(to: address, parameters: parameters, timeout: timeout, at: now)
        } catch { throw .connecting(error) }
        drainController(at: now)
    }

    /// Gives up connecting. `.connectingFailed` tells when the controller has; a link that is made in
    /// the meantime is told by `.connected` instead.
    public mutating func cancelConnecting(at now: MonotonicInstant) {
        guard isReady else { return }
        initiator.cancel()
        drainController(at: now)
    }

    /// The address that a link is being made to, or `nil`.
    public var connectingAddress: DeviceAddress? { initiator.address }

    /// The controller is there, and has the address that this device is to be known by.
    private mutating func requireOwnAddress() throws(HostUsageError) {
        guard case .running(let abilities) = state else { throw .notReady }
        if ownAddress.address.kind == .public, ownAddress.address != abilities.publicAddress {
            throw .addressNotAvailable
        }
        ownAddress.retry()
    }
}

// What the machines of the Central role put out.
extension Host {
    mutating func handle(_ output: Scanner.Output, at now: MonotonicInstant) {
        switch output {
        case .send(let command): submit(command, for: .scanner, at: now)
        case .started: outputs.append(.air(.scanningStarted))
        case .stopped: outputs.append(.air(.scanningStopped))
        case .failed(let failure): outputs.append(.air(.scanningFailed(failure)))
        case .discovered(var discovery):
            discovery.identity = resolver.identity(
                of: discovery.address, among: bonds, using: toolbox)
            outputs.append(.air(.discovered(discovery)))
        }
    }

    mutating func handle(_ output: Initiator.Output, at now: MonotonicInstant) {
        switch output {
        case .send(let command): submit(command, for: .initiator, at: now)
        case .failed(let address, let failure):
            scanner.forget(address)
            outputs.append(.air(.connectingFailed(address, failure)))
        }
    }

    /// The controller has forgotten what it was doing: both ends are told.
    mutating func endCentralRole() {
        if scanner.isWanted { outputs.append(.air(.scanningFailed(.controllerLost))) }
        if let address = initiator.address {
            outputs.append(.air(.connectingFailed(address, .controllerLost)))
        }
    }
}
