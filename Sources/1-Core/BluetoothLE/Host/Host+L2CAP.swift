internal import Octets

// From ACL packets to the machines of a link, and back.
extension Host {
    mutating func receive(acl packet: Span<UInt8>, at now: MonotonicInstant) {
        var data = packet
        guard let header = try? ACLPacket.Header(taking: &data) else { return }
        guard let connection = connection(header.handle) else {
            if isReady, let packet = try? ACLPacket(decoding: packet) {
                earlyPackets.receive(packet, at: now)
            }
            return
        }
        connection.reassembler.receive(data, boundary: header.boundary) { _ in
            connection.droppedPDUs += 1
        } _: { channel, payload in
            receive(payload, on: channel, of: connection, at: now)
        }
    }

    private mutating func receive(
        _ payload: Span<UInt8>, on channel: L2CAPChannelID, of connection: HostConnection,
        at now: MonotonicInstant
    ) {
        switch channel {
        case .attributeProtocol:
            connection.machines.receive(attribute: payload, table: &table, at: now)
        case .leSignalling: connection.machines.signalling.receive(payload, at: now)
        // A peer that delays the end of the link must not pair on it meanwhile.
        case .securityManager where connection.life == .ending: connection.droppedPDUs += 1
        case .securityManager:
            connection.machines.security.receive(payload, toolbox: toolbox, at: now)
        // Channels that are not open. Core Vol 3, Part A, 2.1.
        default: connection.droppedPDUs += 1
        }
        drain(connection, at: now)
    }

    /// Handles the outputs that an input to a link caused, in its machines and in the controller's.
    mutating func settle(_ connection: HostConnection, at now: MonotonicInstant) {
        drain(connection, at: now)
        drainController(at: now)
    }

    /// Handles the outputs of a link's machines until there are none. Any of them may end the link, if the
    /// controller then counts as unresponsive; nothing more is reported of it then.
    mutating func drain(_ connection: HostConnection, at now: MonotonicInstant) {
        var round = LinkMachines.Round()
        while connection.life != .ended,
            let output = connection.machines.pollOutput(in: &round, at: now)
        {
            switch output {
            case .signalling(let output): handle(output, of: connection, at: now)
            case .parameters(let output): handle(output, of: connection, at: now)
            case .security(let output): handle(output, of: connection, at: now)
            case .bearer(let output): handle(output, of: connection, at: now)
            case .receive(let pdu):
                connection.machines.receive(delayed: pdu.span, table: &table, at: now)
            }
        }
        guard connection.life != .ended else { return }
        setDeadline(round.deadline, of: connection)
    }

    mutating func send(
        _ payload: [UInt8], on channel: L2CAPChannelID, of connection: HostConnection,
        at now: MonotonicInstant
    ) {
        do throws(ACLQueue.UsageError) {
            try acl.submit(
                L2CAPPDU(channel: channel, payload: payload).octets, on: connection.handle)
            if !hasRoom(on: connection.handle) { setAwaitsRoom(true, of: connection) }
        } catch {
            // The controller takes no more data and the queue is full. Dropping a PDU would break the
            // protocol above, so the link is ended instead.
            terminate(connection, .remoteDeviceLowResources, at: now)
        }
    }

    private mutating func handle(
        _ output: LESignalling.Output, of connection: HostConnection, at now: MonotonicInstant
    ) {
        switch output {
        case .send(let payload): send(payload, on: .leSignalling, of: connection, at: now)
        case .updateRequested(let parameters):
            requested(.init(parameters, isOfLinkLayer: false), of: connection, at: now)
        case .updateAnswered(let isAccepted):
            connection.machines.parameterRequests?.answered(isAccepted: isAccepted, at: now)
        case .updateFailed:
            connection.machines.parameterRequests?.answered(isAccepted: false, at: now)
        }
    }
}
