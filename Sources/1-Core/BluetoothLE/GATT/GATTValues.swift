/// One request, whose response ends the procedure. Core Vol 3, Part G, 4.3.1, 4.8.1, 4.8.4, 4.8.5 and 4.9.3.
struct SingleRequest: Sendable {
    private let request: ATTClientPDU

    init(_ request: ATTClientPDU) { self.request = request }

    mutating func advance(_ event: GATTOperation.Event) -> GATTOperation.Step {
        switch event {
        case .started: .send(request)
        case .response(.exchangeMTUResponse(let serverReceiveMTU)): finish(serverReceiveMTU)
        case .response(.readResponse(let value)), .response(.readBlobResponse(let value)),
            .response(.readMultipleResponse(let value)):
            .finish(.success(.value(value)))
        case .response(.readMultipleVariableResponse(let values)): finish(values)
        case .response(.writeResponse): .finish(.success(.done))
        case .response(.errorResponse(_, let handle, let code)): .failure(code, handle)
        case .response, .malformedResponse: .malformed
        }
    }

    private func finish(_ serverReceiveMTU: UInt16) -> GATTOperation.Step {
        guard case .exchangeMTURequest(let receiveMTU) = request else { return .malformed }
        return .finish(.success(.mtu(max(ATT.defaultMTU, Int(min(receiveMTU, serverReceiveMTU))))))
    }

    /// A server may omit the last values if they do not fit.
    private func finish(_ values: [ATTServerPDU.LengthValue]) -> GATTOperation.Step {
        guard case .readMultipleVariableRequest(let handles) = request,
            values.count <= handles.count
        else { return .malformed }
        let pairs = zip(handles, values).map { HandleValue(handle: $0, value: $1.value) }
        return .finish(.success(.values(pairs)))
    }
}

/// A Read Request, followed by Read Blob Requests as long as the responses are full. Core Vol 3, Part G,
/// 4.8.3.
struct LongRead: Sendable {
    private let handle: AttributeHandle
    private var value: [UInt8] = []

    init(_ handle: AttributeHandle) { self.handle = handle }

    mutating func advance(_ event: GATTOperation.Event, mtu: Int) -> GATTOperation.Step {
        switch event {
        case .started: return .send(.readRequest(handle))
        case .response(.readResponse(let part)), .response(.readBlobResponse(let part)):
            // Octets beyond ATT_MTU are not part of the PDU.
            value += part.prefix(mtu - 1)
            let isFull = part.count >= mtu - 1
            guard isFull, value.count < AttributeTable.maximumValueLength else {
                return .finish(.success(.value(value)))
            }
            return .send(.readBlobRequest(handle, offset: UInt16(clamping: value.count)))
        case .response(.errorResponse(.readBlobRequest, _, .attributeNotLong)):
            return .finish(.success(.value(value)))
        case .response(.errorResponse(_, let handle, let code)): return .failure(code, handle)
        case .response, .malformedResponse: return .malformed
        }
    }
}

/// Prepare Write Requests and an Execute Write Request. Core Vol 3, Part G, 4.9.4 and 4.9.5.
///
/// If anything fails before the value is written, the queue at the server is cleared, so that no part of this
/// value ends up in the next one.
struct LongWrite: Sendable {
    private let handle: AttributeHandle
    private let value: [UInt8]
    private let verifies: Bool
    private var phase = Phase.preparing(offset: 0, length: 0)

    private enum Phase: Sendable {
        case preparing(offset: Int, length: Int)
        case executing
        case cancelling(GATTFailure)
    }

    init(handle: AttributeHandle, value: [UInt8], verifies: Bool) {
        self.handle = handle
        self.value = value
        self.verifies = verifies
    }

    mutating func advance(_ event: GATTOperation.Event, mtu: Int) -> GATTOperation.Step {
        switch phase {
        case .preparing(let offset, let length):
            switch event {
            case .started: return prepare(from: 0, mtu: mtu)
            case .response(.prepareWriteResponse(let handle, let echoedOffset, let part)):
                let end = offset + length
                let isEcho =
                    handle == self.handle && Int(echoedOffset) == offset
                    && part == Array(value[offset..<end])
                guard isEcho || !verifies else { return cancel(.valueMismatch) }
                guard end == value.count else { return prepare(from: end, mtu: mtu) }
                phase = .executing
                return .send(.executeWriteRequest(isCommit: true))
            case .response(.errorResponse(_, let handle, let code)):
                return cancel(.errorResponse(code, handle))
            case .response, .malformedResponse: return cancel(.malformedResponse)
            }
        case .executing:
            switch event {
            case .response(.executeWriteResponse): return .finish(.success(.done))
            case .response(.errorResponse(_, let handle, let code)): return .failure(code, handle)
            case .started, .response, .malformedResponse: return .malformed
            }
        case .cancelling(let failure): return .finish(.failure(failure))
        }
    }

    private mutating func prepare(from offset: Int, mtu: Int) -> GATTOperation.Step {
        let length = min(mtu - 5, value.count - offset)
        phase = .preparing(offset: offset, length: length)
        return .send(
            .prepareWriteRequest(
                handle, offset: UInt16(clamping: offset),
                value: Array(value[offset..<offset + length])))
    }

    private mutating func cancel(_ failure: GATTFailure) -> GATTOperation.Step {
        phase = .cancelling(failure)
        return .send(.executeWriteRequest(isCommit: false))
    }
}
