/// A running procedure: each event leads to the next request, or to the result.
struct GATTOperation: Sendable {
    enum Event {
        case started
        case response(ATTServerPDU)
        /// The response has the right opcode, but is not valid.
        case malformedResponse
    }

    enum Step {
        case send(ATTClientPDU)
        case finish(Result<GATTResult, GATTFailure>)

        static let malformed = Step.finish(.failure(.malformedResponse))
        static let tooManyResults = Step.finish(.failure(.tooManyResults))

        static func failure(_ code: ATTErrorCode, _ handle: AttributeHandle) -> Step {
            .finish(.failure(.errorResponse(code, handle)))
        }
    }

    private enum State: Sendable {
        /// Most procedures. It is small, so it needs no storage of its own.
        case request(SingleRequest)
        indirect case search(HandleSearch)
        indirect case database(DatabaseDiscovery)
        indirect case longRead(LongRead)
        indirect case longWrite(LongWrite)
        /// Only while a state is being processed.
        case ended
    }

    private var state: State

    /// `receiveMTU` is sent in an Exchange MTU Request; `mtu` limits a Write Request.
    init(_ procedure: GATTProcedure, receiveMTU: Int, mtu: Int) {
        state =
            switch procedure {
            case .exchangeMTU:
                .request(
                    SingleRequest(
                        .exchangeMTURequest(clientReceiveMTU: UInt16(clamping: receiveMTU))))
            case .discoverPrimaryServices: .search(HandleSearch(.services(.primaryService)))
            case .discoverPrimaryServicesByUUID(let uuid, let form):
                .search(HandleSearch(.servicesByUUID(uuid, form)))
            case .discoverSecondaryServices: .search(HandleSearch(.services(.secondaryService)))
            case .discoverIncludedServices(let range):
                .search(HandleSearch(.includedServices, in: range))
            case .discoverCharacteristics(let range, let uuid):
                .search(HandleSearch(.characteristics(uuid), in: range))
            case .discoverDescriptors(let range): .search(HandleSearch(.descriptors, in: range))
            case .discoverDatabase(let uuid): .database(DatabaseDiscovery(service: uuid))
            case .readValue(let handle), .readPart(let handle, 0):
                .request(SingleRequest(.readRequest(handle)))
            case .readPart(let handle, let offset):
                .request(SingleRequest(.readBlobRequest(handle, offset: offset)))
            case .readMultiple(let handles): .request(SingleRequest(.readMultipleRequest(handles)))
            case .readMultipleVariable(let handles):
                .request(SingleRequest(.readMultipleVariableRequest(handles)))
            case .readLongValue(let handle): .longRead(LongRead(handle))
            case .readByUUID(let range, let uuid): .search(HandleSearch(.values(uuid), in: range))
            case .writeValue(let handle, let value) where value.count <= mtu - 3:
                .request(SingleRequest(.writeRequest(handle, value: value)))
            case .writeValue(let handle, let value):
                .longWrite(LongWrite(handle: handle, value: value, verifies: true))
            case .writeLongValue(let handle, let value, let verifies):
                .longWrite(LongWrite(handle: handle, value: value, verifies: verifies))
            }
    }

    mutating func advance(_ event: Event, mtu: Int) -> Step {
        switch exchange(&state, with: .ended) {
        case .request(var part):
            defer { state = .request(part) }
            return part.advance(event)
        case .search(var part):
            defer { state = .search(part) }
            return part.advance(event)
        case .database(var part):
            defer { state = .database(part) }
            return part.advance(event)
        case .longRead(var part):
            defer { state = .longRead(part) }
            return part.advance(event, mtu: mtu)
        case .longWrite(var part):
            defer { state = .longWrite(part) }
            return part.advance(event, mtu: mtu)
        case .ended: return .malformed
        }
    }
}
