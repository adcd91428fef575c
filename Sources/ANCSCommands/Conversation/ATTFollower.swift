internal import BluetoothLE
internal import LinuxIO
internal import Octets

/// Follows the Attribute protocol between a client and a server on one bearer: which response answers
/// which request, and which values are written in the end.
struct ATTFollower: Sendable {
    /// What the PDUs amount to.
    enum Finding: Hashable, Sendable {
        /// The client sent a request; the response is to come.
        case requested(ATTClientPDU)
        /// A request was answered.
        case exchanged(ATTClientPDU, ATTServerPDU, since: CaptureTime)
        /// A whole value is on its way to an attribute.
        case writing(AttributeHandle, value: [UInt8], hasResponse: Bool)
        /// The server answered that write, with an error or without one.
        case written(AttributeHandle, value: [UInt8], ATTErrorCode?, since: CaptureTime)
        /// The server notified or indicated a value.
        case told(AttributeHandle, value: [UInt8], isIndication: Bool)
        /// A request will not be answered any more.
        case unanswered(ATTClientPDU, since: CaptureTime, Happening.Ending)
        /// A response to no request.
        case stray(ATTOpcode)
    }

    /// The longest value that is put together from Prepare Write Requests; none may be longer.
    /// Core Vol 3, Part F, 3.2.9.
    private static let maximumValue = 512

    private struct Outstanding {
        var request: ATTClientPDU
        var since: CaptureTime
        /// What the request writes, if it writes.
        var write: (handle: AttributeHandle, value: [UInt8])?
    }

    /// A value in the server's queue; `nil` where its beginning is not known.
    private struct Prepared {
        var handle: AttributeHandle
        var value: [UInt8]?
    }

    private var outstanding: Outstanding?
    private var prepared: Prepared?
    /// The first response of a capture may belong to a request before it.
    private var hasSeenRequest = false

    /// The client sent a PDU.
    mutating func receive(_ pdu: ATTClientPDU, at time: CaptureTime) -> [Finding] {
        switch pdu {
        case .writeCommand(let handle, let value), .signedWriteCommand(let handle, let value, _):
            return [.writing(handle, value: value, hasResponse: false)]
        case .handleValueConfirmation:
            return []
        case .exchangeMTURequest, .findInformationRequest, .findByTypeValueRequest,
            .readByTypeRequest, .readRequest, .readBlobRequest, .readMultipleRequest,
            .readByGroupTypeRequest, .readMultipleVariableRequest, .writeRequest,
            .prepareWriteRequest, .executeWriteRequest:
            break
        }
        hasSeenRequest = true
        var findings = abandon(.nextRequest)
        let write = written(by: pdu)
        outstanding = Outstanding(request: pdu, since: time, write: write)
        findings.append(.requested(pdu))
        if let write {
            findings.append(.writing(write.handle, value: write.value, hasResponse: true))
        }
        return findings
    }

    /// The server sent a PDU.
    mutating func receive(_ pdu: ATTServerPDU) -> [Finding] {
        switch pdu {
        case .handleValueNotification(let value):
            return [.told(value.handle, value: value.value, isIndication: false)]
        case .handleValueIndication(let value):
            return [.told(value.handle, value: value.value, isIndication: true)]
        case .multipleHandleValueNotification(let values):
            return values.map { .told($0.handle, value: $0.value, isIndication: false) }
        case .errorResponse, .exchangeMTUResponse, .findInformationResponse,
            .findByTypeValueResponse, .readByTypeResponse, .readResponse, .readBlobResponse,
            .readMultipleResponse, .readByGroupTypeResponse, .readMultipleVariableResponse,
            .writeResponse, .prepareWriteResponse, .executeWriteResponse:
            break
        }
        guard let answered = outstanding, Self.answers(pdu, answered.request.opcode) else {
            return hasSeenRequest ? [.stray(pdu.opcode)] : []
        }
        outstanding = nil
        var findings = [Finding.exchanged(answered.request, pdu, since: answered.since)]
        if let write = answered.write {
            var error: ATTErrorCode?
            if case .errorResponse(_, _, let code) = pdu { error = code }
            findings.append(
                .written(write.handle, value: write.value, error, since: answered.since))
        }
        return findings
    }

    /// The link or the capture ended, and with it what was outstanding.
    mutating func end(_ ending: Happening.Ending) -> [Finding] {
        prepared = nil
        return abandon(ending)
    }

    private mutating func abandon(_ ending: Happening.Ending) -> [Finding] {
        guard let abandoned = outstanding else { return [] }
        outstanding = nil
        return [.unanswered(abandoned.request, since: abandoned.since, ending)]
    }

    /// A response has the number after its request's. Core Vol 3, Part F, 3.4.
    private static func answers(_ pdu: ATTServerPDU, _ request: ATTOpcode) -> Bool {
        if case .errorResponse(let refused, _, _) = pdu { return refused == request }
        return pdu.opcode.rawValue == request.rawValue &+ 1
    }

    /// What a request writes when it is answered.
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
        default: return nil
        }
    }

    /// One value at a time is followed, which is what long writes need.
    private mutating func prepare(_ handle: AttributeHandle, _ offset: Int, _ part: [UInt8]) {
        let before = prepared?.handle == handle ? prepared?.value : []
        guard let before, offset == before.count, offset + part.count <= Self.maximumValue else {
            // A beginning that is not in the capture, or parts out of order.
            prepared = Prepared(handle: handle, value: nil)
            return
        }
        prepared = Prepared(handle: handle, value: before + part)
    }
}
