public import Octets

// Events of the controller about links.
extension Host {
    mutating func receive(_ event: HCIEvent, at now: MonotonicInstant) {
        switch event {
        case .commandComplete(let event): commands.receive(event, at: now)
        case .commandStatus(let event): commands.receive(event, at: now)
        case .hardwareError(let event): reset(.hardwareError(event.hardwareCode), at: now)
        case .numberOfCompletedPackets(let event): acl.receive(event)
        case .disconnectionComplete(let event):
            // With an error status, the link still exists.
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
        case .leConnectionUpdateComplete(let event): connectionUpdated(event, at: now)
        case .leAdvertisingSetTerminated(let event): advertiser.receive(event)
        case .leRemoteConnectionParameterRequest(let event): parametersRequested(event, at: now)
        case .encryptionChange(let event):
            encryptionChanged(event.handle, event.status, event.isEnabled, at: now)
        case .encryptionChangeV2(let event):
            encryptionChanged(event.handle, event.status, event.isEnabled, at: now)
        case .encryptionKeyRefreshComplete(let event): encryptionKeyRefreshed(event, at: now)
        case .leLongTermKeyRequest(let event): longTermKeyRequested(event, at: now)
        case .leDataLengthChange, .lePHYUpdateComplete, .leChannelSelectionAlgorithm,
            .leReadRemoteFeaturesComplete, .readRemoteVersionInformationComplete,
            .dataBufferOverflow, .leAdvertisingReport, .leExtendedAdvertisingReport:
            break
        case .unknown(let code, let parameters): central?.receive(code, parameters)
        }
    }

    private mutating func connectionCompleted(
        _ status: HCIStatus, _ handle: ConnectionHandle, _ description: LinkDescription,
        at now: MonotonicInstant
    ) {
        guard case .running = state else { return }
        guard status == .success else {
            central?.connectionFailed(status)
            return
        }
        if let known = connection(handle), known.isRepeated(by: description, at: now) { return }
        // A known handle was reused, so the event that ended its link was lost. The advertiser may already
        // know of the new link, so it is not informed of the end.
        end(handle, .unspecifiedError, at: now)
        acl.connected(handle)
        let attempt = central?.connectingAddress
        switch description.role {
        case .peripheral: advertiser.connected(handle)
        default: central?.connected()
        }
        guard connections.count < configuration.maximumConnections else {
            if description.role == .central, let attempt {
                outputs.append(.air(.connectingFailed(attempt, .refused(.connectionLimitExceeded))))
            }
            earlyPackets.linkEnded(handle, at: now)
            submit(HCI.Disconnect(handle: handle, reason: .remoteDeviceLowResources), at: now)
            return
        }
        updateHash()
        let record = bondRecord(of: description.peerAddress)
        var description = description
        description.peerIdentity = record?.bond.identityAddress
        let connection = HostConnection(
            handle: handle, description: description,
            security: makeSecurityManager(for: description, bond: record?.bond),
            bearer: ATTBearer(configuration: configuration.bearer), at: now)
        connections.insert(connection, at: connections.position(of: handle) { $0.handle })
        outputs.append(.link(handle, .connected(description)))
        drain(connection, at: now)
        for packet in earlyPackets.take(handle, at: now) {
            receive(acl: packet.octets.span, at: now)
        }
    }

    /// The controller reports that the link has ended.
    private mutating func linkEnded(
        _ handle: ConnectionHandle, _ reason: HCIStatus, at now: MonotonicInstant
    ) {
        advertiser.disconnected(handle)
        end(handle, reason, at: now)
        earlyPackets.linkEnded(handle, at: now)
    }

    /// Ends everything on a link.
    private mutating func end(
        _ handle: ConnectionHandle, _ reason: HCIStatus, at now: MonotonicInstant
    ) {
        acl.disconnected(handle)
        guard let connection = connection(handle) else { return }
        connections.remove(at: connections.position(of: handle) { $0.handle })
        connection.life = .ended
        setDeadline(nil, of: connection)
        setAwaitsRoom(false, of: connection)
        central?.forget(connection.description.peerAddress)
        throttles.store(
            connection.machines.security.throttle,
            for: connection.description.peerIdentity ?? connection.description.peerAddress, at: now)
        connection.machines.security.linkEnded(status: reason.rawValue)
        while let output = connection.machines.security.pollOutput() {
            if case .failed(let failure) = output {
                outputs.append(.security(handle, .failed(failure)))
            }
        }
        connection.machines.bearer.close()
        while let output = connection.machines.bearer.pollOutput() {
            // Procedures end; there is no link left to send on.
            if case .event(.completed(let procedure, let result)) = output {
                outputs.append(.attribute(handle, .completed(procedure, result)))
            }
        }
        outputs.append(.link(handle, .disconnected(reason)))
    }

    mutating func endAllConnections(_ reason: HCIStatus, at now: MonotonicInstant) {
        for handle in connections.map({ $0.handle }) { end(handle, reason, at: now) }
        earlyPackets.removeAll()
    }

    /// Requests the end of a link, once.
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
        // The handle may have been reused for a link that is not to be ended.
        guard let connection = connection(command.handle), connection.life == .ending else {
            return
        }
        connection.life = .up
        // The owner has to handle a refusal; a lost command is repeated, until the controller counts as
        // unresponsive.
        if status == nil { terminate(connection, command.reason, at: now) }
    }

    /// The controller measured the signal strength, or could not.
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

    /// The connection for a call of the owner; throws if there is none.
    func existing(_ handle: ConnectionHandle) throws(HostUsageError) -> HostConnection {
        guard let connection = connection(handle) else { throw .unknownConnection }
        return connection
    }
}

// Calls of the owner about links and advertising.
extension Host {
    /// The current state of a link; `nil` if there is no such link.
    public func description(of handle: ConnectionHandle) -> LinkDescription? {
        connection(handle)?.description
    }

    /// Whether the end of a link was requested, and the controller has not reported it yet.
    package func isEnding(_ handle: ConnectionHandle) -> Bool {
        connection(handle)?.life == .ending
    }

    /// Whether the controller is set up.
    public var isReady: Bool { if case .running = state { true } else { false } }

    /// Whether the device advertises; also `true` during the pauses in which its address changes.
    public var isAdvertising: Bool { advertiser.isAnnounced }

    /// Starts advertising, or changes the advertisement.
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

    /// Stops advertising.
    public mutating func stopAdvertising(at now: MonotonicInstant) {
        guard isReady else { return }
        advertiser.stop()
        drainController(at: now)
    }

    /// Ends a link; `.disconnected` follows. Throws ``HostUsageError/unknownConnection``.
    public mutating func disconnect(
        _ handle: ConnectionHandle, reason: HCIStatus = .remoteUserTerminatedConnection,
        at now: MonotonicInstant
    ) throws(HostUsageError) {
        terminate(try existing(handle), reason, at: now)
        drainController(at: now)
    }

    /// Reads the strength of the peer's signal. One `.rssi` follows, unless the link ends first; it also
    /// answers calls made until then.
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

    /// Makes a virtual controller hear nothing for a time, at most a day, on one link or, for `nil`, on all.
    /// Throws ``HostUsageError/notSupported`` at any other controller.
    public mutating func fade(
        _ handle: ConnectionHandle?, for length: Duration, at now: MonotonicInstant
    ) throws(HostUsageError) {
        if let handle { _ = try existing(handle) }
        guard case .running(let abilities) = state else { throw .notReady }
        guard abilities.isVirtual else { throw .notSupported }
        let (seconds, attoseconds) = min(max(length, .zero), .seconds(86_400)).components
        let milliseconds = seconds * 1000 + attoseconds / 1_000_000_000_000_000
        submit(
            HCI.VirtualFade(
                handle: handle ?? HCI.VirtualFade.wholeRadio,
                milliseconds: UInt64(milliseconds)), at: now)
        drainController(at: now)
    }
}

extension HCI.LEEnhancedConnectionComplete {
    /// The peer's address. Bit 1 of the type says that the controller resolved it, which this host does not
    /// enable.
    fileprivate var peerAddress: DeviceAddress {
        DeviceAddress(peerAddressValue, kind: peerAddressType & 1 == 0 ? .public : .random)
    }
}
