public import Octets

// The connection parameters of a link: the Peripheral asks, the Central decides.
extension Host {
    /// As Peripheral, asks the Central of a link for parameters with which the link lasts: once it is
    /// encrypted, or one second from now, whichever is first, and again if that has no effect
    /// (`ConnectionParameterRequests`). ``HostOutput/LinkEvent/parameters(_:)`` follows, unless the link has
    /// what is wanted. Only the first call on a link counts.
    public mutating func askForParameters(
        _ policy: LinkParameterPolicy, of handle: ConnectionHandle, at now: MonotonicInstant
    ) throws(HostUsageError) {
        let connection = try existing(handle)
        guard connection.description.role == .peripheral else { throw .signalling(.notPeripheral) }
        guard connection.machines.parameterRequests == nil else { return }
        connection.machines.parameterRequests = ConnectionParameterRequests(
            policy, isMet: policy.isMet(by: connection.description),
            isEncrypted: connection.machines.security.security.isEncrypted, at: now)
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

    /// The largest ATT_MTU to negotiate on later links, 23 to 517 octets.
    public mutating func setMaximumMTU(_ maximum: Int) {
        configuration.bearer.receiveMTU = min(max(maximum, ATT.defaultMTU), 517)
    }

    /// As Central, how to answer Peripherals that request connection parameters from now on; `nil` asks the
    /// owner.
    public mutating func setParameterAnswer(_ answer: ParameterAnswer?) {
        configuration.parameterAnswer = answer
    }

    /// As Central, answers the request of ``HostOutput/LinkEvent/parametersRequested(_:)``. What is accepted is
    /// applied after `delay`, during which further requests are refused. Throws
    /// ``LESignalling/UsageError/nothingToAnswer`` if there is no request.
    public mutating func answerParameters(
        _ answer: ParameterAnswer, of handle: ConnectionHandle, after delay: Duration = .zero,
        at now: MonotonicInstant
    ) throws(HostUsageError) {
        let connection = try existing(handle)
        guard let request = connection.machines.parameterRequest, request.applyAt == nil else {
            throw .signalling(.nothingToAnswer)
        }
        respond(answer, to: request, of: connection, after: delay, at: now)
        settle(connection, at: now)
    }

    mutating func handle(
        _ output: ConnectionParameterRequests.Output, of connection: HostConnection,
        at now: MonotonicInstant
    ) {
        switch output {
        case .request(let parameters):
            guard connection.life == .up else { return }
            do throws(LESignalling.UsageError) {
                try connection.machines.signalling.requestUpdate(parameters, at: now)
            } catch { connection.machines.parameterRequests?.answered(isAccepted: false, at: now) }
        case .ended(let outcome): outputs.append(.link(connection.handle, .parameters(outcome)))
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
        if let policy = connection.machines.parameterRequests?.policy {
            connection.machines.parameterRequests?.changed(
                isMet: policy.isMet(by: connection.description), at: now)
        }
        drain(connection, at: now)
    }

    /// The link layer's own request for parameters. A Peripheral accepts valid ones, because the Central
    /// decides in the end. Core Vol 4, Part E, 7.7.65.6.
    mutating func parametersRequested(
        _ event: HCI.LERemoteConnectionParameterRequest, at now: MonotonicInstant
    ) {
        if let connection = connection(event.handle), connection.description.role == .central {
            requested(.init(event.parameters, isOfLinkLayer: true), of: connection, at: now)
            drain(connection, at: now)
        } else if event.parameters.fault == nil {
            accept(event.parameters, of: event.handle, at: now)
        } else {
            refuse(event.handle, at: now)
        }
    }

    /// As Central, handles the request of a Peripheral, by either protocol. One change at a time: requests that
    /// come faster than the link can change are refused, or they would fill the queue of commands.
    mutating func requested(
        _ request: PeripheralParameterRequest, of connection: HostConnection,
        at now: MonotonicInstant
    ) {
        let isPossible = request.parameters.fault == nil
        guard isPossible, connection.machines.parameterRequest == nil, !connection.isUpdating else {
            let earlier = connection.machines.parameterRequest
            respond(.refuse, to: request, of: connection, at: now)
            connection.machines.parameterRequest = earlier
            if !isPossible { ask(about: request, of: connection) }
            return
        }
        connection.machines.parameterRequest = request
        if let answer = configuration.parameterAnswer {
            respond(answer, to: request, of: connection, at: now)
        } else {
            ask(about: request, of: connection)
        }
    }

    private mutating func ask(
        about request: PeripheralParameterRequest, of connection: HostConnection
    ) {
        guard configuration.parameterAnswer == nil else { return }
        outputs.append(.link(connection.handle, .parametersRequested(request.parameters)))
    }

    private mutating func respond(
        _ answer: ParameterAnswer, to request: PeripheralParameterRequest,
        of connection: HostConnection, after delay: Duration = .zero, at now: MonotonicInstant
    ) {
        connection.machines.parameterRequest = nil
        if !request.isOfLinkLayer {
            let isAccepted: Bool? =
                switch answer {
                case .accept, .acceptOnly: true
                case .refuse: false
                case .ignore: nil
                }
            try? connection.machines.signalling.answerUpdate(accepting: isAccepted)
        } else if answer != .accept {
            refuse(connection.handle, at: now)
        }
        guard answer == .accept else { return }
        connection.machines.parameterRequest = request
        connection.machines.parameterRequest?.applyAt = now + delay
        applyParameters(of: connection, at: now)
    }

    /// Applies what was accepted, if it is time.
    mutating func applyParameters(of connection: HostConnection, at now: MonotonicInstant) {
        guard let request = connection.machines.parameterRequest, let applyAt = request.applyAt,
            applyAt <= now
        else { return }
        // A link that is being ended gets no other parameters, and waits for none.
        connection.machines.parameterRequest = nil
        guard connection.life == .up else { return }
        if request.isOfLinkLayer {
            accept(request.parameters, of: connection.handle, at: now)
        } else if !connection.isUpdating {
            update(connection, to: request.parameters, at: now)
        }
    }

    private mutating func accept(
        _ parameters: ConnectionParameters, of handle: ConnectionHandle, at now: MonotonicInstant
    ) {
        submit(
            HCI.LERemoteConnectionParameterRequestReply(
                handle: handle, parameters: parameters, eventLengthMinimum: 0,
                eventLengthMaximum: 0), at: now)
    }

    private mutating func refuse(_ handle: ConnectionHandle, at now: MonotonicInstant) {
        submit(
            HCI.LERemoteConnectionParameterRequestNegativeReply(
                handle: handle, reason: .unacceptableConnectionParameters), at: now)
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

/// A request of a Peripheral for connection parameters, as its Central has it.
struct PeripheralParameterRequest {
    let parameters: ConnectionParameters
    /// Whether the link layer asked (Core Vol 6, Part B, 5.1.7), instead of L2CAP (Core Vol 3, Part A, 4.20).
    let isOfLinkLayer: Bool
    /// When to apply it; `nil` if it has yet to be answered.
    var applyAt: MonotonicInstant?

    init(_ parameters: ConnectionParameters, isOfLinkLayer: Bool) {
        self.parameters = parameters
        self.isOfLinkLayer = isOfLinkLayer
    }
}
