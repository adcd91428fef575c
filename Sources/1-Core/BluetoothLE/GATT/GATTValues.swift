/// Reads one or more values with one request. Core Vol 3, Part G, 4.8.1, 4.8.4, 4.8.5.
struct ValueRead: Sendable {
    private let request: ATTClientPDU

    init(_ request: ATTClientPDU) {
        self.request = request
    }

    mutating func advance(_ event: GATTOperation.Event) -> GATTOperation.Step {
        switch event {
        case .started: .send(request)
        case .response(.readResponse(let value)), .response(.readBlobResponse(let value)),
            .response(.readMultipleResponse(let value)):
            .finish(.success(.value(value)))
        case .response(.readMultipleVariableResponse(let values)): finish(values)
        case .response(.errorResponse(_, let handle, let code)): .failure(code, handle)
        case .response, .malformedResponse: .malformed
        }
    }

    /// A server may omit the last values if they do not fit.
    private func finish(_ values: [ATTServerPDU.LengthValue]) -> GATTOperation.Step {
        guard case .readMultipleVariableRequest(let handles) = request,
            values.count <= handles.count
        else { return .malformed }
        let pairs = zip(handles, values).map {
            HandleValue(handle: $0, value: $1.value)
        }
        return .finish(.success(.values(pairs)))
    }
}

/// A Read Request, followed by Read Blob Requests as long as the responses are full. Core Vol 3, Part G,
/// 4.8.3.
struct LongRead: Sendable {
    private let handle: AttributeHandle
    private var value: [UInt8] = []

    init(_ handle: AttributeHandle) {
        self.handle = handle
    }

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

/// Read By Type Requests until the range is exhausted. Core Vol 3, Part G, 4.8.2.
struct ReadByUUID: Sendable {
    /// The most values, and so 16 KiB: a response has at most 253 octets of each (Core Vol 3, Part F, 3.4.4.2).
    /// What is read by its UUID is on a device a few times.
    static let maximumValues = 64

    private let uuid: BluetoothUUID
    private var cursor: HandleCursor
    private var values: [HandleValue] = []

    init(_ range: AttributeHandleRange, uuid: BluetoothUUID) {
        self.uuid = uuid
        cursor = HandleCursor(range, limit: Self.maximumValues)
    }

    mutating func advance(_ event: GATTOperation.Event) -> GATTOperation.Step {
        switch event {
        case .started: return next()
        case .response(.readByTypeResponse(let found)):
            for value in found {
                guard cursor.pass(value.handle, upTo: value.handle) else { return .malformed }
                guard !cursor.isOverLimit else { return .tooManyResults }
                values.append(value)
            }
            return next()
        case .response(.errorResponse(_, _, .attributeNotFound)) where !values.isEmpty:
            return .finish(.success(.values(values)))
        case .response(.errorResponse(_, let handle, let code)): return .failure(code, handle)
        case .response, .malformedResponse: return .malformed
        }
    }

    private func next() -> GATTOperation.Step {
        guard let rest = cursor.rest else { return .finish(.success(.values(values))) }
        return .send(.readByTypeRequest(rest, type: uuid))
    }
}

/// A Write Request. Core Vol 3, Part G, 4.9.3.
struct ValueWrite: Sendable {
    private let handle: AttributeHandle
    private let value: [UInt8]

    init(handle: AttributeHandle, value: [UInt8]) {
        self.handle = handle
        self.value = value
    }

    mutating func advance(_ event: GATTOperation.Event) -> GATTOperation.Step {
        switch event {
        case .started: .send(.writeRequest(handle, value: value))
        case .response(.writeResponse): .finish(.success(.done))
        case .response(.errorResponse(_, let handle, let code)): .failure(code, handle)
        case .response, .malformedResponse: .malformed
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
