internal import BluetoothLE
internal import LinuxIO

/// Follows the Attribute Protocol between a client and a server on one bearer: matches responses to requests,
/// and assembles written values.
struct ATTFollower: Sendable {
    /// What the PDUs mean.
    package enum Finding: Equatable, Sendable {
        /// The client sent a request that expects a response.
        case requested(ATTClientPDU)
        /// The server responded to a request.
        case exchanged(ATTClientPDU, ATTServerPDU, since: CaptureTime)
        /// The client writes a whole value to an attribute.
        case writing(AttributeHandle, value: [UInt8], hasResponse: Bool)
        /// The server responded to that write; the error is `nil` if it succeeded.
        case written(AttributeHandle, value: [UInt8], ATTErrorCode?, since: CaptureTime)
        /// The server notified or indicated a value.
        case pushed(AttributeHandle, value: [UInt8], isIndication: Bool)
        /// A request that can no longer be answered.
        case unanswered(ATTClientPDU, since: CaptureTime, CaptureEvent.Ending)
        /// A response that matches no request.
        case stray(ATTOpcode)

        /// The attribute whose value was sent.
        var attribute: AttributeHandle? {
            switch self {
            case .writing(let handle, _, _), .written(let handle, _, _, _),
                .pushed(let handle, _, _):
                handle
            case .requested, .exchanged, .unanswered, .stray: nil
            }
        }

        /// Whether it is about these attributes.
        func isAbout(_ handles: ANCSHandles) -> Bool {
            attribute.map { attribute in
                handles.characteristic(valueAt: attribute) != nil
                    || handles.characteristic(configuredAt: attribute) != nil
            } ?? false
        }
    }

    /// The longest value that is assembled from Prepare Write Requests, in octets, which is the longest
    /// allowed. Core Vol 3, Part F, 3.2.9.
    private static let maximumValue = 512

    private struct Outstanding {
        var request: ATTClientPDU
        var since: CaptureTime
        /// What the request writes; `nil` if it is not a write.
        var write: (handle: AttributeHandle, value: [UInt8])?
    }

    /// A value in the server's queue; its octets are `nil` if the beginning is missing.
    private struct Prepared {
        var handle: AttributeHandle
        var value: [UInt8]?
    }

    private var outstanding: Outstanding?
    private var prepared: Prepared?
    /// Whether a request was seen. The first response in a capture may belong to a request before it.
    private var hasSeenRequest = false

    /// The client sent a PDU; its findings are appended.
    package mutating func receive(
        _ pdu: ATTClientPDU, at time: CaptureTime, _ findings: inout [Finding]
    ) {
        switch pdu {
        case .writeCommand(let handle, let value), .signedWriteCommand(let handle, let value, _):
            findings.append(.writing(handle, value: value, hasResponse: false))
            return
        case .handleValueConfirmation: return
        case .exchangeMTURequest, .findInformationRequest, .findByTypeValueRequest,
            .readByTypeRequest, .readRequest, .readBlobRequest, .readMultipleRequest,
            .readByGroupTypeRequest, .readMultipleVariableRequest, .writeRequest,
            .prepareWriteRequest, .executeWriteRequest:
            break
        }
        hasSeenRequest = true
        abandon(.nextRequest, &findings)
        let write = written(by: pdu)
        outstanding = Outstanding(request: pdu, since: time, write: write)
        findings.append(.requested(pdu))
        if let write {
            findings.append(.writing(write.handle, value: write.value, hasResponse: true))
        }
    }

    /// The server sent a PDU; its findings are appended.
    package mutating func receive(_ pdu: ATTServerPDU, _ findings: inout [Finding]) {
        switch pdu {
        case .handleValueNotification(let value):
            findings.append(.pushed(value.handle, value: value.value, isIndication: false))
            return
        case .handleValueIndication(let value):
            findings.append(.pushed(value.handle, value: value.value, isIndication: true))
            return
        case .multipleHandleValueNotification(let values):
            for value in values {
                findings.append(.pushed(value.handle, value: value.value, isIndication: false))
            }
            return
        case .errorResponse, .exchangeMTUResponse, .findInformationResponse,
            .findByTypeValueResponse, .readByTypeResponse, .readResponse, .readBlobResponse,
            .readMultipleResponse, .readByGroupTypeResponse, .readMultipleVariableResponse,
            .writeResponse, .prepareWriteResponse, .executeWriteResponse:
            break
        }
        guard let answered = outstanding, Self.answers(pdu, answered.request.opcode) else {
            if hasSeenRequest { findings.append(.stray(pdu.opcode)) }
            return
        }
        outstanding = nil
        findings.append(.exchanged(answered.request, pdu, since: answered.since))
        if let write = answered.write {
            var error: ATTErrorCode?
            if case .errorResponse(_, _, let code) = pdu { error = code }
            findings.append(
                .written(write.handle, value: write.value, error, since: answered.since))
        }
    }

    /// The link or the capture ended: outstanding requests stay unanswered.
    package mutating func end(_ ending: CaptureEvent.Ending, _ findings: inout [Finding]) {
        prepared = nil
        abandon(ending, &findings)
    }

    private mutating func abandon(_ ending: CaptureEvent.Ending, _ findings: inout [Finding]) {
        guard let abandoned = exchange(&outstanding, with: nil) else { return }
        findings.append(.unanswered(abandoned.request, since: abandoned.since, ending))
    }

    /// Whether the PDU answers the request: its opcode is one more than the request's. Core Vol 3, Part F,
    /// 3.4.
    private static func answers(_ pdu: ATTServerPDU, _ request: ATTOpcode) -> Bool {
        if case .errorResponse(let refused, _, _) = pdu { return refused == request }
        return pdu.opcode.rawValue == request.rawValue &+ 1
    }

    /// The findings of a write request that was answered.
    private mutating func written(
        by request: ATTClientPDU
    ) -> (handle: AttributeHandle, value: [UInt8])? {
        switch request {
        case .writeRequest(let handle, let value): return (handle, value)
        case .prepareWriteRequest(let handle, let offset, let part):
            prepare(handle, Int(offset), part)
            return nil
        case .executeWriteRequest(let isCommit):
            defer { prepared = nil }
            guard isCommit, let prepared, let value = prepared.value else { return nil }
            return (prepared.handle, value)
        case .exchangeMTURequest, .findInformationRequest, .findByTypeValueRequest,
            .readByTypeRequest, .readRequest, .readBlobRequest, .readMultipleRequest,
            .readByGroupTypeRequest, .readMultipleVariableRequest, .writeCommand,
            .signedWriteCommand, .handleValueConfirmation:
            return nil
        }
    }

    /// Adds a part to the queued value. Only one value at a time is followed, which is enough for long
    /// writes.
    private mutating func prepare(_ handle: AttributeHandle, _ offset: Int, _ part: [UInt8]) {
        let before = prepared?.handle == handle ? prepared?.value : []
        guard let before, offset == before.count, offset + part.count <= Self.maximumValue else {
            // The beginning is not in the capture, or the parts are out of order.
            prepared = Prepared(handle: handle, value: nil)
            return
        }
        prepared = Prepared(handle: handle, value: before + part)
    }
}
