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

    private indirect enum State: Sendable {
        case mtuExchange(MTUExchange)
        case services(ServiceSearch)
        case includedServices(IncludedServiceSearch)
        case characteristics(CharacteristicSearch)
        case descriptors(DescriptorSearch)
        case database(DatabaseDiscovery)
        case read(ValueRead)
        case longRead(LongRead)
        case readByUUID(ReadByUUID)
        case write(ValueWrite)
        case longWrite(LongWrite)
        /// Only while a state is being processed.
        case ended
    }

    private var state: State

    /// `receiveMTU` is sent in an Exchange MTU Request; `mtu` limits a Write Request.
    init(_ procedure: GATTProcedure, receiveMTU: Int, mtu: Int) {
        state =
            switch procedure {
            case .exchangeMTU: .mtuExchange(MTUExchange(receiveMTU: receiveMTU))
            case .discoverPrimaryServices: .services(ServiceSearch(.primaryService))
            case .discoverPrimaryServicesByUUID(let uuid, let form):
                .services(ServiceSearch(.primaryService, uuid: uuid, form: form))
            case .discoverSecondaryServices: .services(ServiceSearch(.secondaryService))
            case .discoverIncludedServices(let range):
                .includedServices(IncludedServiceSearch(range))
            case .discoverCharacteristics(let range, let uuid):
                .characteristics(CharacteristicSearch(range, uuid: uuid))
            case .discoverDescriptors(let range): .descriptors(DescriptorSearch(range))
            case .discoverDatabase(let uuid): .database(DatabaseDiscovery(service: uuid))
            case .readValue(let handle): .read(ValueRead(.readRequest(handle)))
            case .readPart(let handle, 0): .read(ValueRead(.readRequest(handle)))
            case .readPart(let handle, let offset):
                .read(ValueRead(.readBlobRequest(handle, offset: offset)))
            case .readMultiple(let handles): .read(ValueRead(.readMultipleRequest(handles)))
            case .readMultipleVariable(let handles):
                .read(ValueRead(.readMultipleVariableRequest(handles)))
            case .readLongValue(let handle): .longRead(LongRead(handle))
            case .readByUUID(let range, let uuid): .readByUUID(ReadByUUID(range, uuid: uuid))
            case .writeValue(let handle, let value) where value.count <= mtu - 3:
                .write(ValueWrite(handle: handle, value: value))
            case .writeValue(let handle, let value):
                .longWrite(LongWrite(handle: handle, value: value, verifies: true))
            case .writeLongValue(let handle, let value, let verifies):
                .longWrite(LongWrite(handle: handle, value: value, verifies: verifies))
            }
    }

    mutating func advance(_ event: Event, mtu: Int) -> Step {
        switch exchange(&state, with: .ended) {
        case .mtuExchange(var part):
            defer { state = .mtuExchange(part) }
            return part.advance(event)
        case .services(var part):
            defer { state = .services(part) }
            return part.advance(event)
        case .includedServices(var part):
            defer { state = .includedServices(part) }
            return part.advance(event)
        case .characteristics(var part):
            defer { state = .characteristics(part) }
            return part.advance(event)
        case .descriptors(var part):
            defer { state = .descriptors(part) }
            return part.advance(event)
        case .database(var part):
            defer { state = .database(part) }
            return part.advance(event)
        case .read(var part):
            defer { state = .read(part) }
            return part.advance(event)
        case .longRead(var part):
            defer { state = .longRead(part) }
            return part.advance(event, mtu: mtu)
        case .readByUUID(var part):
            defer { state = .readByUUID(part) }
            return part.advance(event)
        case .write(var part):
            defer { state = .write(part) }
            return part.advance(event)
        case .longWrite(var part):
            defer { state = .longWrite(part) }
            return part.advance(event, mtu: mtu)
        case .ended: return .malformed
        }
    }
}

/// The Exchange MTU procedure. Core Vol 3, Part G, 4.3.1.
struct MTUExchange: Sendable {
    let receiveMTU: Int

    mutating func advance(_ event: GATTOperation.Event) -> GATTOperation.Step {
        switch event {
        case .started:
            .send(.exchangeMTURequest(clientReceiveMTU: UInt16(clamping: receiveMTU)))
        case .response(.exchangeMTUResponse(let serverReceiveMTU)):
            .finish(
                .success(
                    .mtu(max(ATT.defaultMTU, min(receiveMTU, Int(serverReceiveMTU))))))
        case .response(.errorResponse(_, let handle, let code)): .failure(code, handle)
        case .response, .malformedResponse: .malformed
        }
    }
}
