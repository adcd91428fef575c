internal import BluetoothLE

/// Follows one attribute server and its client on one link: the protocol, the discovered attributes, and ANCS
/// if the server has it. The side whose server has ANCS is the phone.
struct ServerFollower: ~Copyable, Sendable {
    /// The side that the server is on.
    package let side: CaptureEvent.Side
    private var protocolFollower = ATTFollower()
    /// The findings of the current PDU; empty between PDUs.
    private var findings: [ATTFollower.Finding] = []
    /// The ATT_MTU that the client and this server agreed on, in octets. The bearer uses the larger one of
    /// the two servers'.
    private(set) var mtu = 23
    private(set) var map: GATTMap
    private var ancs = ANCSFollower()
    private var media = MediaFollower()
    private var inference = HandleInference()
    /// Handles known from an earlier connection, or from before a Service Changed indication.
    private var remembered: (handles: ANCSHandles, origin: CaptureEvent.HandleOrigin)?
    private var announced: ANCSHandles?
    /// Whether characteristics were discovered on this link.
    private var hasDiscovered = false
    private var announcedServices: [BluetoothUUID] = []

    /// Creates the follower of a server, with what an earlier connection showed about it.
    package init(side: CaptureEvent.Side, _ memory: PeerMemory.Memory?) {
        self.side = side
        map = memory?.maps[side] ?? GATTMap()
        if let memory, let handles = memory.handles[side] {
            remembered = (handles, .remembered(connection: memory.connection))
        }
    }

    /// The handles of ANCS, from the most reliable source there is.
    package var handles: ANCSHandles? { map.ancs ?? remembered?.handles ?? inference.handles }

    /// The client sent a PDU.
    package mutating func receive(_ pdu: ATTClientPDU, _ log: inout StoryLog) {
        protocolFollower.receive(pdu, at: log.now, &findings)
        followFindings(&log)
    }

    /// The server sent a PDU.
    package mutating func receive(_ pdu: ATTServerPDU, _ log: inout StoryLog) {
        protocolFollower.receive(pdu, &findings)
        followFindings(&log)
    }

    /// The link or the capture ended.
    package mutating func end(_ ending: CaptureEvent.Ending, _ log: inout StoryLog) {
        announce(&log)
        protocolFollower.end(ending, &findings)
        followFindings(&log)
        ancs.end(ending, &log)
        media.end(&log)
    }

    /// Handles the findings; the array is kept for the next PDU.
    private mutating func followFindings(_ log: inout StoryLog) {
        var found = exchange(&findings, with: [])
        for index in found.indices { follow(found[index], &log) }
        found.removeAll(keepingCapacity: true)
        findings = found
    }

    private mutating func follow(_ finding: ATTFollower.Finding, _ log: inout StoryLog) {
        learn(finding, &log)
        if map.ancs == nil, remembered == nil, !inference.isDone,
            finding.attribute.map(map.mayHaveANCS(valueAt:)) ?? true
        {
            let wasKnown = inference.handles != nil
            if inference.observe(finding, at: log.now) {
                announce(&log)
                replay(&log)
                return
            }
            guard wasKnown else {
                followOther(finding, &log)
                return
            }
        }
        if let handles, finding.isAbout(handles) {
            announce(&log)
            followANCS(finding, handles, &log)
        } else {
            followOther(finding, &log)
        }
    }

    /// Reports the traffic that was seen before it was known to be ANCS, with its original times.
    private mutating func replay(_ log: inout StoryLog) {
        guard let handles = inference.handles else { return }
        let now = log.now
        for sighting in inference.takeSightings(of: handles) {
            log.now = sighting.time
            followANCS(sighting.finding, handles, &log)
        }
        log.now = now
    }

    private mutating func followANCS(
        _ finding: ATTFollower.Finding, _ handles: ANCSHandles, _ log: inout StoryLog
    ) {
        switch finding {
        case .writing(handles.controlPoint, let value, let hasResponse):
            ancs.writing(value, hasResponse: hasResponse, &log)
        case .written(handles.controlPoint, let value, let error, let since):
            ancs.written(value, error, since: since, &log)
        case .written(let handle, let value, nil, _), .writing(let handle, let value, false):
            guard let characteristic = handles.characteristic(configuredAt: handle) else { break }
            ancs.subscribed(characteristic, isOn: Self.isNotifying(value), &log)
        case .pushed(handles.notificationSource, let value, _): ancs.source(value, &log)
        case .pushed(handles.dataSource, let value, _): ancs.dataSource(value, &log)
        case .written, .writing, .pushed, .requested, .exchanged, .unanswered, .stray: break
        }
    }

    /// Reports traffic of attributes other than those of ANCS.
    private mutating func followOther(_ finding: ATTFollower.Finding, _ log: inout StoryLog) {
        if let handles = map.ams, media.follow(finding, handles, mtu: mtu, &log) { return }
        switch finding {
        case .unanswered(.writeRequest(let handle, let value), let since, let ending)
        where handle == handles?.controlPoint:
            ancs.unacknowledged(value, since: since, ending, &log)
        case .unanswered(let request, let since, let ending):
            log.report(.requestUnanswered(request.opcode, since: since, ending: ending))
        case .stray(let opcode): log.report(.strayResponse(opcode))
        case .pushed(let handle, let value, isIndication: true): indicated(value, by: handle, &log)
        case .written(let handle, let value, nil, _), .writing(let handle, let value, false):
            guard map.uuid(configuredAt: handle) == .serviceChanged else { break }
            log.report(.serviceChangedSubscription(isOn: value.first.map { $0 & 2 == 2 } ?? false))
        case .requested(.prepareWriteRequest(let handle, _, _))
        where handle == handles?.controlPoint:
            ancs.preparing()
        case .requested(.writeRequest(let handle, _)) where handle == handles?.controlPoint:
            ancs.forgetParts()
        case .exchanged(.executeWriteRequest, _, _): ancs.forgetParts()
        case .requested, .exchanged, .writing, .written, .pushed: break
        }
    }
}

// MARK: Discovery

extension ServerFollower {
    private mutating func learn(_ finding: ATTFollower.Finding, _ log: inout StoryLog) {
        switch finding {
        case .requested(let request):
            // The client goes on to something other than discovery, so all of ANCS that it looked for has
            // been found.
            if !Self.isDiscovery(request) { announce(&log) }
        case .exchanged(let request, .errorResponse(let opcode, let handle, let code), _):
            refused(request, opcode, handle, code, &log)
        case .exchanged(.exchangeMTURequest(let client), .exchangeMTUResponse(let server), _):
            // Neither side may state less than 23. Core Vol 3, Part F, 3.4.2.2.
            mtu = max(23, Int(min(client, server)))
        case .exchanged(let request, let response, _):
            map.learn(request, response)
            if case .readByTypeRequest(_, type: .characteristic) = request { hasDiscovered = true }
            learnName(request, response, &log)
            learnSubscription(request, response, &log)
            if case .findByTypeValueRequest = request { reportServices(&log) }
            if case .readByGroupTypeRequest(let range, _) = request,
                case .readByGroupTypeResponse(let groups) = response,
                groups.last?.range.last == range.last
            {
                foundServices(of: range, &log)
            }
        case .writing, .written, .pushed, .unanswered, .stray: break
        }
    }

    private static func isDiscovery(_ request: ATTClientPDU) -> Bool {
        switch request {
        case .findInformationRequest, .findByTypeValueRequest, .readByTypeRequest,
            .readByGroupTypeRequest, .exchangeMTURequest:
            true
        case .readRequest, .readBlobRequest, .readMultipleRequest, .readMultipleVariableRequest,
            .writeRequest, .writeCommand, .signedWriteCommand, .prepareWriteRequest,
            .executeWriteRequest, .handleValueConfirmation:
            false
        }
    }

    /// Reports an error response, except Attribute Not Found, which is how discovery ends.
    private mutating func refused(
        _ request: ATTClientPDU, _ opcode: ATTOpcode, _ handle: AttributeHandle,
        _ code: ATTErrorCode, _ log: inout StoryLog
    ) {
        if code == .attributeNotFound, Self.isDiscovery(request) {
            switch request {
            case .readByGroupTypeRequest(let range, _): foundServices(of: range, &log)
            case .findByTypeValueRequest(let range, type: 0x2800, let value)
            where range.first == .first: missed(value, &log)
            default: break
            }
            return
        }
        let characteristic = handles.flatMap {
            $0.characteristic(valueAt: handle) ?? $0.characteristic(configuredAt: handle)
        }
        // A refused command is reported as the command's result.
        if case .writeRequest(let written, _) = request, written == handles?.controlPoint { return }
        if case .executeWriteRequest = request, handle == handles?.controlPoint { return }
        // What is refused at a value of AMS is reported there.
        if map.ams?.hasValue(at: handle) == true { return }
        log.report(.requestRefused(opcode, handle, code, characteristic))
    }

    /// A search of the whole server did not find a service.
    private mutating func missed(_ value: [UInt8], _ log: inout StoryLog) {
        guard let uuid = try? BluetoothUUID(decoding: value.span) else { return }
        map.forget(service: uuid)
        log.report(.serviceMissing(on: side, uuid))
    }

    /// The last service of a range was found.
    private mutating func foundServices(of range: AttributeHandleRange, _ log: inout StoryLog) {
        if range.last == .last { map.foundLastService(from: range.first) }
        reportServices(&log)
    }

    private mutating func reportServices(_ log: inout StoryLog) {
        let services = map.serviceUUIDs
        guard services != announcedServices else { return }
        announcedServices = services
        log.report(.services(on: side, services))
    }

    /// Remembers the Device Name of Generic Access, which is read by type or by handle.
    private func learnName(
        _ request: ATTClientPDU, _ response: ATTServerPDU, _ log: inout StoryLog
    ) {
        switch (request, response) {
        case (.readByTypeRequest(_, type: .deviceName), .readByTypeResponse(let values)):
            guard let value = values.first?.value else { return }
            log.report(.name(side, UTF8Text.repaired(value)))
        case (.readRequest(let handle), .readResponse(let value))
        where map.uuid(valueAt: handle) == .deviceName:
            log.report(.name(side, UTF8Text.repaired(value)))
        default: break
        }
    }

    /// Whether a configuration has notifications on: Core Vol 3, Part G, 3.3.3.3.
    private static func isNotifying(_ configuration: [UInt8]) -> Bool {
        configuration.first.map { $0 & 1 == 1 } ?? false
    }

    /// Reports whether the phone takes the client for subscribed.
    private mutating func learnSubscription(
        _ request: ATTClientPDU, _ response: ATTServerPDU, _ log: inout StoryLog
    ) {
        guard case (.readRequest(let handle), .readResponse(let value)) = (request, response),
            let characteristic = handles?.characteristic(configuredAt: handle)
        else { return }
        ancs.subscriptionRead(characteristic, isOn: Self.isNotifying(value), &log)
    }

    /// Reports the handles of ANCS, once for each set of handles.
    private mutating func announce(_ log: inout StoryLog) {
        guard let handles, handles != announced else { return }
        // After a Service Changed indication, nothing is reported until the next discovery.
        if map.ancs == nil, remembered?.origin == .discovered { return }
        announced = handles
        let origin: CaptureEvent.HandleOrigin =
            map.ancs != nil && hasDiscovered ? .discovered : remembered?.origin ?? .inferred
        log.report(.handles(on: side, handles, origin))
    }

    /// An indication of Service Changed: four octets, the first and the last affected handle.
    private mutating func indicated(
        _ value: [UInt8], by handle: AttributeHandle, _ log: inout StoryLog
    ) {
        let uuid = map.uuid(valueAt: handle)
        guard uuid == .serviceChanged || uuid == nil,
            let range = RemoteDatabase.affectedRange(ofServiceChanged: value.span)
        else { return }
        let concerns = handles?.isAffected(by: range) ?? false
        if concerns { ancs.serviceChanged(&log) }
        log.report(.serviceChanged(on: side, range, concernsANCS: concerns))
        guard concerns else {
            map.forget(range)
            return
        }
        // Until they are found again, the old handles are used for traffic that is still on its way.
        if let handles { remembered = (handles, .discovered) }
        map.forget(range)
        announced = nil
    }
}
