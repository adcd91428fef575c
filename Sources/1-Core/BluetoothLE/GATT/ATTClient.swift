internal import Octets

/// The client half of a bearer: it runs one procedure at a time, and one transaction at a time. Core Vol 3,
/// Part F, 3.3.2.
struct ATTClient: ~Copyable, Sendable {
    private struct Running: Sendable {
        var id: ProcedureID
        var operation: GATTOperation
        var request: ATTOpcode
        var deadline: MonotonicInstant
    }

    private struct Waiting: Sendable {
        var id: ProcedureID
        var procedure: GATTProcedure
    }

    private let configuration: ATTBearer.Configuration
    private var running: Running?
    private var waiting = Queue<Waiting>()
    private var lastID: UInt64 = 0

    init(configuration: ATTBearer.Configuration) { self.configuration = configuration }

    var deadline: MonotonicInstant? { running?.deadline }

    mutating func start(
        _ procedure: GATTProcedure, mtu: inout Int, at now: MonotonicInstant,
        outputs: inout Queue<ATTBearer.Output>
    ) throws(ATTBearer.UsageError) -> ProcedureID {
        try procedure.check(mtu: mtu)
        guard waiting.count < configuration.maximumQueuedProcedures else { throw .queueFull }
        lastID += 1
        let id = ProcedureID(rawValue: lastID)
        waiting.append(Waiting(id: id, procedure: procedure))
        startNext(mtu: &mtu, at: now, outputs: &outputs)
        return id
    }

    /// A response, a notification or an indication arrived.
    mutating func receive(
        _ pdu: Span<UInt8>, opcode: ATTOpcode, mtu: inout Int, at now: MonotonicInstant,
        outputs: inout Queue<ATTBearer.Output>
    ) {
        // Every valid indication is confirmed. One with an invalid handle or none is discarded (Core Vol 3,
        // Part F, 3.4.7.2), and so is such a notification (3.4.7.1).
        if opcode == .handleValueIndication {
            outputs.append(.send(ATTClientPDU.handleValueConfirmation.octets))
        }
        let decoded = (try? ATTServerPDU(decoding: pdu)) ?? nil
        switch decoded {
        case .handleValueNotification(let value) where value.handle.rawValue != 0:
            outputs.append(.event(.value(.notification(value.handle, value.value))))
        case .multipleHandleValueNotification(let values):
            for value in values where value.handle.rawValue != 0 {
                outputs.append(.event(.value(.notification(value.handle, value.value))))
            }
        case .handleValueIndication(let value) where value.handle.rawValue != 0:
            outputs.append(.event(.value(.indication(value.handle, value.value))))
        case .errorResponse(let request, _, _):
            guard let running, running.request == request else { return }
            advance(decoded, mtu: &mtu, at: now, outputs: &outputs)
        default:
            guard let running, opcode == running.request.response || opcode == .errorResponse
            else { return }
            advance(decoded, mtu: &mtu, at: now, outputs: &outputs)
        }
    }

    /// Ends the current procedure with `failure`, and the queued ones with `.closed`.
    mutating func close(_ failure: GATTFailure, outputs: inout Queue<ATTBearer.Output>) {
        if let running = exchange(&running, with: nil) {
            outputs.append(.event(.completed(running.id, .failure(failure))))
        }
        while let next = waiting.popFirst() {
            outputs.append(.event(.completed(next.id, .failure(.closed))))
        }
    }

    private mutating func advance(
        _ response: ATTServerPDU?, mtu: inout Int, at now: MonotonicInstant,
        outputs: inout Queue<ATTBearer.Output>
    ) {
        guard var current = exchange(&running, with: nil) else { return }
        let event = response.map { GATTOperation.Event.response($0) } ?? .malformedResponse
        switch current.operation.advance(event, mtu: mtu) {
        case .send(let request):
            current.request = request.opcode
            current.deadline = now + ATTBearer.transactionTimeout
            running = current
            outputs.append(.send(request.octets))
        case .finish(let result):
            finish(current.id, result, mtu: &mtu, outputs: &outputs)
            startNext(mtu: &mtu, at: now, outputs: &outputs)
        }
    }

    private mutating func startNext(
        mtu: inout Int, at now: MonotonicInstant, outputs: inout Queue<ATTBearer.Output>
    ) {
        while running == nil, let next = waiting.popFirst() {
            var operation = GATTOperation(
                next.procedure, receiveMTU: configuration.receiveMTU, mtu: mtu)
            switch operation.advance(.started, mtu: mtu) {
            case .send(let request):
                running = Running(
                    id: next.id, operation: operation, request: request.opcode,
                    deadline: now + ATTBearer.transactionTimeout)
                outputs.append(.send(request.octets))
            case .finish(let result): finish(next.id, result, mtu: &mtu, outputs: &outputs)
            }
        }
    }

    private func finish(
        _ id: ProcedureID, _ result: Result<GATTResult, GATTFailure>, mtu: inout Int,
        outputs: inout Queue<ATTBearer.Output>
    ) {
        if case .success(.mtu(let value)) = result, value != mtu {
            mtu = value
            outputs.append(.event(.mtuChanged(value)))
        }
        outputs.append(.event(.completed(id, result)))
    }
}

extension GATTProcedure {
    /// Refuses a procedure that no server could answer, or that does not make a valid request. The handle
    /// 0x0000 is passed: the server answers it with Invalid Handle.
    fileprivate func check(mtu: Int) throws(ATTBearer.UsageError) {
        switch self {
        case .exchangeMTU, .discoverPrimaryServices, .discoverPrimaryServicesByUUID,
            .discoverSecondaryServices, .discoverDatabase, .readValue, .readLongValue, .readPart:
            break
        case .discoverIncludedServices(let range), .discoverCharacteristics(let range, _),
            .discoverDescriptors(let range), .readByUUID(let range, _):
            guard range.isValid else { throw .invalidArgument }
        case .readMultiple(let handles), .readMultipleVariable(let handles):
            guard handles.count >= 2, 1 + 2 * handles.count <= mtu else { throw .invalidArgument }
        case .writeValue(_, let value), .writeLongValue(_, let value, _):
            guard value.count <= AttributeTable.maximumValueLength else {
                throw .valueTooLong(limit: AttributeTable.maximumValueLength)
            }
        }
    }
}
