public import Octets

// The connection parameters of a link: the Peripheral asks, the Central decides.
extension Host {
    /// As Peripheral, asks the Central of a link for parameters with which the link lasts: once it is
    /// encrypted, or one second from now, whichever is first, and again if that has no effect
    /// (``ConnectionParameterRequests``). ``HostOutput/LinkEvent/parameters(_:)`` follows, unless the link has
    /// what is wanted. Only the first call on a link counts.
    public mutating func askForParameters(
        _ policy: LinkParameterPolicy, of handle: ConnectionHandle, at now: MonotonicInstant
    ) throws(HostUsageError) {
        let connection = try existing(handle)
        guard connection.description.role == .peripheral else {
            throw .signalling(.notPeripheral)
        }
        guard connection.parameterRequests == nil else { return }
        connection.parameterRequests = ConnectionParameterRequests(
            policy, isMet: policy.isMet(by: connection.description),
            isEncrypted: connection.security.security.isEncrypted, at: now)
        settle(connection, at: now)
    }

    /// As Central, changes the parameters of a link; `.changed` follows. While another change is in progress,
    /// it throws ``HostUsageError/controllerBusy``.
    public mutating func updateParameters(
        _ parameters: ConnectionParameters, of handle: ConnectionHandle, at now: MonotonicInstant
    ) throws(HostUsageError) {
        let connection = try existing(handle)
        guard connection.description.role == .central else { throw .notSupported }
        if let fault = parameters.fault { throw .signalling(.invalidParameters(fault)) }
        guard !connection.isUpdating else { throw .controllerBusy }
        update(connection, to: parameters, at: now)
        drainController(at: now)
    }

    /// As Central, how to answer Peripherals that request connection parameters from now on.
    public mutating func setParameterAnswer(_ answer: ParameterAnswer) {
        configuration.parameterAnswer = answer
    }

    mutating func handle(
        _ output: ConnectionParameterRequests.Output, of connection: HostConnection,
        at now: MonotonicInstant
    ) {
        switch output {
        case .request(let parameters):
            guard connection.life == .up else { return }
            do throws(LESignalling.UsageError) {
                try connection.signalling.requestUpdate(parameters, at: now)
            } catch { connection.parameterRequests?.answered(isAccepted: false, at: now) }
        case .ended(let outcome):
            outputs.append(.link(connection.handle, .parameters(outcome)))
        }
    }

    mutating func connectionUpdated(
        _ event: HCI.LEConnectionUpdateComplete, at now: MonotonicInstant
    ) {
        guard let connection = connection(event.handle) else { return }
        connection.isUpdating = false
        guard event.status == .success else { return }
        connection.description.interval = event.interval
        connection.description.latency = event.latency
        connection.description.supervisionTimeout = event.supervisionTimeout
        outputs.append(.link(event.handle, .changed(connection.description)))
        if let policy = connection.parameterRequests?.policy {
            connection.parameterRequests?.changed(
                isMet: policy.isMet(by: connection.description), at: now)
        }
        drain(connection, at: now)
    }

    /// The link layer's own request for parameters. A Peripheral accepts valid ones, because the Central
    /// decides in the end. Core Vol 4, Part E, 7.7.65.6.
    mutating func parametersRequested(
        _ event: HCI.LERemoteConnectionParameterRequest, at now: MonotonicInstant
    ) {
        let isRefused =
            connection(event.handle)?.description.role == .central
            && configuration.parameterAnswer != .accept
        if event.parameters.fault == nil, !isRefused {
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

    /// As Central, answers the request of a Peripheral. One change at a time: requests that come faster than
    /// the link can change are refused, or they would fill the queue of commands.
    mutating func answerUpdate(
        to parameters: ConnectionParameters, of connection: HostConnection, at now: MonotonicInstant
    ) {
        let isAccepted: Bool? =
            switch configuration.parameterAnswer {
            case .accept: !connection.isUpdating
            case .refuse: false
            case .acceptOnly: true
            case .ignore: nil
            }
        do throws(LESignalling.UsageError) {
            try connection.signalling.answerUpdate(accepting: isAccepted)
        } catch { return }
        guard configuration.parameterAnswer == .accept, isAccepted == true else { return }
        update(connection, to: parameters, at: now)
    }

    private mutating func update(
        _ connection: HostConnection, to parameters: ConnectionParameters, at now: MonotonicInstant
    ) {
        connection.isUpdating = true
        submit(
            HCI.LEConnectionUpdate(
                handle: connection.handle, parameters: parameters, eventLengthMinimum: 0,
                eventLengthMaximum: 0), at: now)
    }
}
