internal import ANCS
internal import BluetoothLE

/// Follows one attribute server and its client on one link: the protocol, what is where, and ANCS if the
/// server has it. Which end is the phone is decided by this alone.
struct ServerFollower: Sendable {
    /// Whose attributes these are.
    let side: Happening.Side
    private var protocolFollower = ATTFollower()
    /// The ATT_MTU that the client agreed on with this server; that of the bearer is the larger one.
    private(set) var mtu = 23
    private(set) var map: GATTMap
    private var ancs = ANCSFollower()
    private var inference = HandleInference()
    /// Handles from an earlier connection, or from before a Service Changed.
    private var remembered: (handles: ANCSHandles, origin: Happening.HandleOrigin)?
    private var announced: ANCSHandles?
    /// Whether characteristics were discovered on this link, rather than remembered.
    private var hasDiscovered = false
    private var announcedServices: [BluetoothUUID] = []

    /// A server that may be known from an earlier connection.
    init(
        side: Happening.Side, map: GATTMap = GATTMap(), handles: ANCSHandles? = nil,
        from earlier: Int? = nil
    ) {
        self.side = side
        self.map = map
        if let handles, let earlier {
            remembered = (handles, .remembered(connection: earlier))
        }
    }

    /// Where ANCS is, by the best that is known.
    var handles: ANCSHandles? { map.ancs ?? remembered?.handles ?? inference.handles }

    /// The client sent a PDU.
    mutating func receive(_ pdu: ATTClientPDU, _ log: inout StoryLog) {
        for finding in protocolFollower.receive(pdu, at: log.now) { follow(finding, &log) }
    }

    /// The server sent a PDU.
    mutating func receive(_ pdu: ATTServerPDU, _ log: inout StoryLog) {
        for finding in protocolFollower.receive(pdu) { follow(finding, &log) }
    }

    /// The link or the capture ended.
    mutating func end(_ ending: Happening.Ending, _ log: inout StoryLog) {
        announce(&log)
        for finding in protocolFollower.end(ending) { follow(finding, &log) }
        ancs.end(ending, &log)
    }

    private mutating func follow(_ finding: ATTFollower.Finding, _ log: inout StoryLog) {
        learn(finding, &log)
        if map.ancs == nil, remembered == nil, !inference.isDone {
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
        if let handles, isAbout(finding, handles) {
            announce(&log)
            followANCS(finding, handles, &log)
        } else {
            followOther(finding, &log)
        }
    }

    /// Tells what was seen before it was known to be ANCS, each at its own time.
    private mutating func replay(_ log: inout StoryLog) {
        guard let handles = inference.handles else { return }
        let now = log.now
        for sighting in inference.takeSightings(of: handles) {
            log.now = sighting.time
            followANCS(sighting.finding, handles, &log)
        }
        log.now = now
    }

    private func isAbout(_ finding: ATTFollower.Finding, _ handles: ANCSHandles) -> Bool {
        switch finding {
        case .writing(let handle, _, _), .written(let handle, _, _, _), .told(let handle, _, _):
            handles.characteristic(valueAt: handle) != nil
                || handles.characteristic(configuredAt: handle) != nil
        case .requested, .exchanged, .unanswered, .stray: false
        }
    }

    private mutating func followANCS(
        _ finding: ATTFollower.Finding, _ handles: ANCSHandles, _ log: inout StoryLog
    ) {
        switch finding {
        case .writing(handles.controlPoint, let value, let hasResponse):
            ancs.writing(value, hasResponse: hasResponse, &log)
        case .written(handles.controlPoint, let value, let error, let since):
            ancs.written(value, error, since: since, &log)
        case .written(let handle, let value, nil, _):
            guard let characteristic = handles.characteristic(configuredAt: handle) else { break }
            ancs.subscribed(characteristic, isOn: value.first.map { $0 & 1 == 1 } ?? false, &log)
        case .told(handles.notificationSource, let value, _): ancs.source(value, &log)
        case .told(handles.dataSource, let value, _): ancs.dataSource(value, &log)
        case .written, .writing, .told, .requested, .exchanged, .unanswered, .stray: break
        }
    }

    /// What is told of attributes whatever they are.
    private mutating func followOther(_ finding: ATTFollower.Finding, _ log: inout StoryLog) {
        switch finding {
        case .unanswered(.writeRequest(let handle, let value), let since, let ending)
        where handle == handles?.controlPoint:
            ancs.unacknowledged(value, since: since, ending, &log)
        case .unanswered(let request, let since, let ending):
            log.tell(.requestUnanswered(request.opcode, since: since, ending: ending))
        case .stray(let opcode): log.tell(.strayResponse(opcode))
        case .told(let handle, let value, isIndication: true):
            indicated(value, by: handle, &log)
        case .requested, .exchanged, .writing, .written, .told: break
        }
    }
}

// MARK: What is where

extension ServerFollower {
    private mutating func learn(_ finding: ATTFollower.Finding, _ log: inout StoryLog) {
        switch finding {
        case .requested(let request):
            // Discovery has moved on: now everything of ANCS that it found is known.
            if !Self.isDiscovery(request) { announce(&log) }
        case .exchanged(let request, .errorResponse(let opcode, let handle, let code), _):
            refused(request, opcode, handle, code, &log)
        case .exchanged(.exchangeMTURequest(let client), .exchangeMTUResponse(let server), _):
            // Neither side may name less than 23. Core Vol 3, Part F, 3.4.2.2.
            mtu = max(23, Int(min(client, server)))
        case .exchanged(let request, let response, _):
            map.learn(request, response)
            if case .readByTypeRequest(_, type: .characteristic) = request { hasDiscovered = true }
            learnName(request, response, &log)
            if case .findByTypeValueRequest = request { tellServices(&log) }
            if case .readByGroupTypeRequest(let range, _) = request,
                case .readByGroupTypeResponse(let groups) = response,
                groups.last?.range.last == range.last
            {
                tellServices(&log)
            }
        case .writing, .written, .told, .unanswered, .stray: break
        }
    }

    private static func isDiscovery(_ request: ATTClientPDU) -> Bool {
        switch request {
        case .findInformationRequest, .findByTypeValueRequest, .readByTypeRequest,
            .readByGroupTypeRequest, .exchangeMTURequest:
            true
        default: false
        }
    }

    /// Attribute Not Found is how discovery ends; everything else is worth telling.
    private mutating func refused(
        _ request: ATTClientPDU, _ opcode: ATTOpcode, _ handle: AttributeHandle,
        _ code: ATTErrorCode, _ log: inout StoryLog
    ) {
        if code == .attributeNotFound, Self.isDiscovery(request) {
            switch request {
            case .readByGroupTypeRequest: tellServices(&log)
            case .findByTypeValueRequest(let range, type: 0x2800, let value)
            where range.first == .first:
                missed(value, &log)
            default: break
            }
            return
        }
        let characteristic = handles.flatMap {
            $0.characteristic(valueAt: handle) ?? $0.characteristic(configuredAt: handle)
        }
        // A refused command is told as the result of the command.
        if case .writeRequest(let written, _) = request, written == handles?.controlPoint { return }
        if case .executeWriteRequest = request, handle == handles?.controlPoint { return }
        log.tell(.requestRefused(opcode, handle, code, characteristic))
    }

    /// A search of the whole server for a service found nothing.
    private mutating func missed(_ value: [UInt8], _ log: inout StoryLog) {
        guard let uuid = try? BluetoothUUID(decoding: value.span) else { return }
        map.forget(service: uuid)
        log.tell(.serviceMissing(on: side, uuid))
    }

    private mutating func tellServices(_ log: inout StoryLog) {
        let services = map.serviceUUIDs
        guard services != announcedServices else { return }
        announcedServices = services
        log.tell(.services(on: side, services))
    }

    /// The Device Name of Generic Access, which is read by its type or by its handle.
    private func learnName(
        _ request: ATTClientPDU, _ response: ATTServerPDU, _ log: inout StoryLog
    ) {
        switch (request, response) {
        case (.readByTypeRequest(_, type: .deviceName), .readByTypeResponse(let values)):
            guard let value = values.first?.value else { return }
            log.tell(.name(side, UTF8Text.repaired(value)))
        case (.readRequest(let handle), .readResponse(let value))
        where map.uuid(valueAt: handle) == .deviceName:
            log.tell(.name(side, UTF8Text.repaired(value)))
        default: break
        }
    }

    /// Tells where ANCS is, once for each place.
    private mutating func announce(_ log: inout StoryLog) {
        guard let handles, handles != announced else { return }
        // After a Service Changed only a new discovery is news.
        if map.ancs == nil, remembered?.origin == .discovered { return }
        announced = handles
        let origin: Happening.HandleOrigin =
            map.ancs != nil && hasDiscovered ? .discovered : remembered?.origin ?? .inferred
        log.tell(.handles(on: side, handles, origin))
    }

    /// An indication of Service Changed: four octets, a range of handles.
    private mutating func indicated(
        _ value: [UInt8], by handle: AttributeHandle, _ log: inout StoryLog
    ) {
        let uuid = map.uuid(valueAt: handle)
        guard uuid == .serviceChanged || uuid == nil,
            let range = RemoteDatabase.affectedRange(ofServiceChanged: value.span)
        else { return }
        let concerns = handles?.isAffected(by: range) ?? false
        log.tell(.serviceChanged(on: side, range, concernsANCS: concerns))
        guard concerns else {
            map.forget(range)
            return
        }
        // Until they are found again, the old handles are the best guess for what is still in flight.
        if let handles { remembered = (handles, .discovered) }
        map.forget(range)
        ancs.serviceChanged()
        announced = nil
    }
}
