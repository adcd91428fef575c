public import Octets

// What the controller tells about links.
extension Host {
    mutating func receive(_ event: HCIEvent, at now: MonotonicInstant) {
        switch event {
        case .commandComplete(let event): commands.receive(event, at: now)
        case .commandStatus(let event): commands.receive(event, at: now)
        case .hardwareError(let event): reset(.hardwareError(event.hardwareCode), at: now)
        case .numberOfCompletedPackets(let event): acl.receive(event)
        case .disconnectionComplete(let event):
            // A status other than success: the link still stands.
            if event.status == .success { linkEnded(event.handle, event.reason, at: now) }
        case .leConnectionComplete(let event):
            connectionCompleted(
                event.status, event.handle,
                LinkDescription(
                    role: event.role, localAddress: ownAddress.onAir,
                    peerAddress: event.peerAddress, interval: event.interval,
                    latency: event.latency, supervisionTimeout: event.supervisionTimeout), at: now)
        case .leEnhancedConnectionComplete(let event):
            connectionCompleted(
                event.status, event.handle,
                LinkDescription(
                    role: event.role, localAddress: ownAddress.onAir,
                    peerAddress: event.peerAddress, interval: event.interval,
                    latency: event.latency, supervisionTimeout: event.supervisionTimeout), at: now)
        case .leConnectionUpdateComplete(let event): connectionUpdated(event)
        case .leAdvertisingSetTerminated(let event): advertiser.receive(event)
        case .leRemoteConnectionParameterRequest(let event):
            parametersRequested(event, at: now)
        case .encryptionChange(let event):
            encryptionChanged(event.handle, event.status, event.isEnabled, at: now)
        case .encryptionChangeV2(let event):
            encryptionChanged(event.handle, event.status, event.isEnabled, at: now)
        case .encryptionKeyRefreshComplete(let event): encryptionKeyRefreshed(event, at: now)
        case .leLongTermKeyRequest(let event): longTermKeyRequested(event, at: now)
        case .leDataLengthChange, .lePHYUpdateComplete, .leChannelSelectionAlgorithm,
            .leReadRemoteFeaturesComplete, .readRemoteVersionInformationComplete,
            .dataBufferOverflow, .unknown:
            break
        case .leAdvertisingReport(let event): scanner.receive(event)
        case .leExtendedAdvertisingReport(let event): scanner.receive(event)
        }
    }

    private mutating func connectionCompleted(
        _ status: HCIStatus, _ handle: ConnectionHandle, _ description: LinkDescription,
        at now: MonotonicInstant
    ) {
        guard case .running = state else { return }
        guard status == .success else { return initiator.connectionFailed(status) }
        // A handle that is known already was reused: the event that ended its link was lost. The
        // advertiser may know of the new link already, so it is not told of an end.
        end(handle, .unspecifiedError, at: now)
        acl.connected(handle)
        let attempt = initiator.address
        switch description.role {
        case .peripheral: advertiser.connected(handle)
        default: initiator.connected()
        }
        guard connections.count < configuration.maximumConnections else {
            if description.role == .central, let attempt {
                outputs.append(
                    .air(.connectingFailed(attempt, .refused(.connectionLimitExceeded))))
            }
            submit(HCI.Disconnect(handle: handle, reason: .remoteDeviceLowResources), at: now)
            return
        }
        let record = bondRecord(of: description.peerAddress)
        var description = description
        description.peerIdentity = record?.bond.identityAddress
        let connection = HostConnection(
            handle: handle, description: description,
            security: makeSecurityManager(for: description, bond: record?.bond),
            bearer: ATTBearer(configuration: configuration.bearer))
        connections.insert(connection, at: connections.position(of: handle) { $0.handle })
        outputs.append(.link(handle, .connected(description)))
        drain(connection, at: now)
    }

    private mutating func connectionUpdated(_ event: HCI.LEConnectionUpdateComplete) {
        guard event.status == .success, let connection = connection(event.handle) else { return }
        connection.description.interval = event.interval
        connection.description.latency = event.latency
        connection.description.supervisionTimeout = event.supervisionTimeout
        outputs.append(.link(event.handle, .changed(connection.description)))
    }

    /// The link layer's own way of asking for parameters; whatever is valid is accepted, since the
    /// Central decides in the end. Core Vol 4, Part E, 7.7.65.6.
    private mutating func parametersRequested(
        _ event: HCI.LERemoteConnectionParameterRequest, at now: MonotonicInstant
    ) {
        if event.parameters.fault == nil {
            submit(
                HCI.LERemoteConnectionParameterRequestReply(
                    handle: event.handle, parameters: event.parameters, eventLengthMinimum: 0,
                    eventLengthMaximum: 0), at: now)
        } else {
            submit(
                HCI.LERemoteConnectionParameterRequestNegativeReply(
                    handle: event.handle, reason: .unacceptableConnectionParameters), at: now)
        }
    }

    /// The controller has no such link any more.
    private mutating func linkEnded(
        _ handle: ConnectionHandle, _ reason: HCIStatus, at now: MonotonicInstant
    ) {
        advertiser.disconnected(handle)
        end(handle, reason, at: now)
    }

    /// Everything on a link ends.
    private mutating func end(
        _ handle: ConnectionHandle, _ reason: HCIStatus, at now: MonotonicInstant
    ) {
        acl.disconnected(handle)
        guard let connection = connection(handle) else { return }
        connections.remove(at: connections.position(of: handle) { $0.handle })
        connection.life = .ended
        setDeadline(nil, of: connection)
        setAwaitsRoom(false, of: connection)
        scanner.forget(connection.description.peerAddress)
        throttles.store(
            connection.security.throttle,
            for: connection.description.peerIdentity ?? connection.description.peerAddress, at: now)
        connection.security.linkEnded(status: reason.rawValue)
        while let output = connection.security.pollOutput() {
            if case .failed(let failure) = output {
                outputs.append(.security(handle, .failed(failure)))
            }
        }
        connection.bearer.close()
        while let output = connection.bearer.pollOutput() {
            // What was asked ends; there is nobody left to send to.
            if case .event(.completed(let procedure, let result)) = output {
                outputs.append(.attribute(handle, .completed(procedure, result)))
            }
        }
        outputs.append(.link(handle, .disconnected(reason)))
    }

    mutating func endAllConnections(_ reason: HCIStatus, at now: MonotonicInstant) {
        for handle in connections.map({ $0.handle }) { end(handle, reason, at: now) }
    }

    /// Has the controller end a link, once.
    mutating func terminate(
        _ connection: HostConnection, _ reason: HCIStatus, at now: MonotonicInstant
    ) {
        guard connection.life == .up else { return }
        connection.life = .ending
        submit(HCI.Disconnect(handle: connection.handle, reason: reason), at: now)
    }

    /// The controller did not end a link.
    mutating func disconnectFailed(
        _ command: HCI.Disconnect, _ status: HCIStatus?, at now: MonotonicInstant
    ) {
        if status == .unknownConnectionIdentifier {
            return linkEnded(command.handle, .unknownConnectionIdentifier, at: now)
        }
        // The handle may belong to another link meanwhile, which nobody wants to end.
        guard let connection = connection(command.handle), connection.life == .ending else {
            return
        }
        connection.life = .up
        // A refusal is for the owner to judge; what was lost is said again, until the controller
        // counts as unresponsive.
        if status == nil { terminate(connection, command.reason, at: now) }
    }

    /// The controller measured a signal, or cannot.
    mutating func rssiCommandEnded(_ result: HCICommandResult) {
        guard let command = try? HCI.ReadRSSI(decoding: result.command.parameters.span),
            let connection = connection(command.handle), connection.isReadingRSSI
        else { return }
        connection.isReadingRSSI = false
        let rssi = result.returnParameters(of: HCI.ReadRSSI.self)?.rssi
        // 127: not available. Core Vol 4, Part E, 7.5.4.
        outputs.append(.link(command.handle, .rssi(rssi == 127 ? nil : rssi)))
    }

    func connection(_ handle: ConnectionHandle) -> HostConnection? {
        let position = connections.position(of: handle) { $0.handle }
        guard position < connections.count else { return nil }
        let connection = connections[position]
        return connection.handle == handle ? connection : nil
    }

    /// The connection that a call of the owner is about.
    func existing(_ handle: ConnectionHandle) throws(HostUsageError) -> HostConnection {
        guard let connection = connection(handle) else { throw .unknownConnection }
        return connection
    }
}

// What the owner wants of links and advertising.
extension Host {
    /// What is known about a link at the moment.
    public func description(of handle: ConnectionHandle) -> LinkDescription? {
        connection(handle)?.description
    }

    /// Whether the controller is set up.
    public var isReady: Bool {
        if case .running = state { true } else { false }
    }

    /// Whether the advertisement is on air. True in the pauses as well in which the address changes.
    public var isAdvertising: Bool { advertiser.isAnnounced }

    /// Puts an advertisement on air under the own address, or changes the one that is there.
    public mutating func startAdvertising(
        _ advertisement: Advertisement, at now: MonotonicInstant
    ) throws(HostUsageError) {
        guard isReady else { throw .notReady }
        ownAddress.retry()
        do throws(Advertiser.UsageError) {
            try advertiser.start(advertisement, from: ownAddress.address)
        } catch { throw .advertising(error) }
        drainController(at: now)
    }

    /// Takes the advertisement off air.
    public mutating func stopAdvertising(at now: MonotonicInstant) {
        guard isReady else { return }
        advertiser.stop()
        drainController(at: now)
    }

    /// Ends a link; `.disconnected` tells when it is gone.
    public mutating func disconnect(
        _ handle: ConnectionHandle, reason: HCIStatus = .remoteUserTerminatedConnection,
        at now: MonotonicInstant
    ) throws(HostUsageError) {
        terminate(try existing(handle), reason, at: now)
        drainController(at: now)
    }

    /// Asks the controller how strong a peer is heard. One `.rssi` follows, unless the link ends before;
    /// it also answers whoever asks again until then.
    public mutating func readRSSI(
        of handle: ConnectionHandle, at now: MonotonicInstant
    ) throws(HostUsageError) {
        let connection = try existing(handle)
        guard case .running(let abilities) = state, abilities.supports(.readRSSI) else {
            throw .notSupported
        }
        guard !connection.isReadingRSSI else { return }
        connection.isReadingRSSI = true
        submit(HCI.ReadRSSI(handle: handle), at: now)
        drainController(at: now)
    }

    /// As Peripheral, asks the Central for connection parameters.
    public mutating func requestParameters(
        _ parameters: ConnectionParameters, of handle: ConnectionHandle, at now: MonotonicInstant
    ) throws(HostUsageError) {
        let connection = try existing(handle)
        do throws(LESignalling.UsageError) {
            try connection.signalling.requestUpdate(parameters, at: now)
        } catch { throw .signalling(error) }
        settle(connection, at: now)
    }
}

extension HCI.LEEnhancedConnectionComplete {
    /// The peer's address; bit 1 of the type says that the controller resolved it, which this host
    /// does not ask it to.
    fileprivate var peerAddress: DeviceAddress {
        DeviceAddress(peerAddressValue, kind: peerAddressType & 1 == 0 ? .public : .random)
    }
}
