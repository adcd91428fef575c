import Octets

@testable import BluetoothLE

/// The client of an ``ATTBearer`` that runs procedures with a server whose answers are chosen by the input.
struct ATTClientTarget: ~Copyable {
    private var input: FuzzInput
    private var bearer: ATTBearer
    private var table = AttributeTable()
    private var now = MonotonicInstant.zero
    private var running: Set<ProcedureID> = []
    private var request: ATTClientPDU?
    private var isDead = false

    static func run(_ script: [UInt8]) throws {
        var target = Self(FuzzInput(script))
        while !target.input.isAtEnd { try target.event() }
        target.isDead = true
        target.bearer.close()
        try target.drain()
        try check(target.running.isEmpty, "\(target.running.count) procedures do not end")
        try check(target.bearer.nextDeadline == nil, "a closed bearer waits for something")
    }

    private init(_ script: FuzzInput) {
        input = script
        bearer = ATTBearer(
            configuration: ATTBearer.Configuration(
                receiveMTU: 23 + 2 * input.choice(248), maximumQueuedProcedures: input.choice(8)))
    }

    // MARK: Events

    private mutating func event() throws {
        switch input.choice(12) {
        case 0, 1: try start()
        case 2...6: try receive(response())
        case 7: try receive(input.octets(atMost: 600))
        case 8: try receive(notification())
        case 9: try? bearer.writeWithoutResponse(input.octets(), to: ScriptedTable.handle(&input))
        case 10:
            now = now + input.duration()
            bearer.handleTimeout(at: now)
        default:
            guard let request else { break }
            try receive(
                ATTServerPDU.errorResponse(
                    request: input.choice(8) > 0
                        ? request.opcode : ATTOpcode(rawValue: input.octet()),
                    handle: ScriptedTable.handle(&input),
                    ATTErrorCode(rawValue: input.element(of: [0x0A, 0x0A, 0x0B, 0x02, 0x01, 0x0F]))
                ).octets)
        }
        try drain()
    }

    private mutating func start() throws {
        let procedure = procedure()
        trace("start \(procedure)")
        do {
            let id = try bearer.start(procedure, at: now)
            try check(running.insert(id).inserted, "a procedure has the name of another")
        } catch is ATTBearer.UsageError {
            // The queue is full, or the arguments are invalid.
        }
    }

    private mutating func procedure() -> GATTProcedure {
        switch input.choice(17) {
        case 0: .exchangeMTU
        case 1: .discoverPrimaryServices
        case 2:
            .discoverPrimaryServicesByUUID(
                input.element(of: ScriptedTable.uuids), form: input.flag() ? .full : .shortest)
        case 3: .discoverSecondaryServices
        case 4: .discoverIncludedServices(ScriptedTable.range(&input))
        case 5:
            .discoverCharacteristics(
                ScriptedTable.range(&input),
                uuid: input.flag() ? input.element(of: ScriptedTable.uuids) : nil)
        case 6: .discoverDescriptors(ScriptedTable.range(&input))
        case 7...9: .discoverDatabase()
        case 10: .discoverDatabase(service: input.element(of: ScriptedTable.uuids))
        case 11: .readValue(ScriptedTable.handle(&input))
        case 12: .readLongValue(ScriptedTable.handle(&input))
        case 13: .readByUUID(ScriptedTable.range(&input), input.element(of: ScriptedTable.uuids))
        case 14:
            .readMultipleVariable(
                (0..<input.choice(6)).map { _ in ScriptedTable.handle(&input) })
        case 15: .writeValue(ScriptedTable.handle(&input), input.octets(atMost: 600))
        default:
            .writeLongValue(
                ScriptedTable.handle(&input), input.octets(atMost: 600), verifies: input.flag())
        }
    }

    private mutating func receive(_ pdu: [UInt8]) throws {
        trace("server: \(Hexadecimal.text(pdu))")
        // A malformed response ends the request too: no other can follow.
        switch pdu.first {
        case 0x01? where pdu.count == 5 && pdu[1] != request?.opcode.rawValue: break
        case 0x01?: request = nil
        case let opcode where opcode == request.map({ $0.opcode.rawValue + 1 }): request = nil
        case _: break
        }
        bearer.receive(pdu.span, table: &table, security: .none, at: now)
        try drain()
    }

    // MARK: The server

    /// A response to the pending request, with handles that usually advance within the range.
    private mutating func response() -> [UInt8] {
        switch request {
        case .exchangeMTURequest:
            ATTServerPDU.exchangeMTUResponse(serverReceiveMTU: input.number(UInt16.self)).octets
        case .findInformationRequest(let range):
            information(in: range)
        case .findByTypeValueRequest(let range, _, _):
            ATTServerPDU.findByTypeValueResponse(ranges(in: range)).octets
        case .readByGroupTypeRequest(let range, _):
            groups(in: range)
        case .readByTypeRequest(let range, _): values(in: range)
        case .readRequest: ATTServerPDU.readResponse(value()).octets
        case .readBlobRequest: ATTServerPDU.readBlobResponse(value()).octets
        case .readMultipleRequest: ATTServerPDU.readMultipleResponse(value()).octets
        case .readMultipleVariableRequest:
            ATTServerPDU.readMultipleVariableResponse(
                (0..<input.choice(6)).map { _ in
                    .init(length: UInt16(input.choice(64)), value: input.text())
                }
            ).octets
        case .writeRequest: ATTServerPDU.writeResponse.octets
        case .prepareWriteRequest(let handle, let offset, let value):
            ATTServerPDU.prepareWriteResponse(
                handle, offset: offset, value: input.choice(8) > 0 ? value : input.octets()
            ).octets
        case .executeWriteRequest: ATTServerPDU.executeWriteResponse.octets
        case .writeCommand, .signedWriteCommand, .handleValueConfirmation, nil: input.octets()
        }
    }

    /// A value, often as long as a PDU allows.
    private mutating func value() -> [UInt8] {
        input.flag() ? input.octets() : [UInt8](repeating: input.octet(), count: bearer.mtu - 1)
    }

    /// Increasing handles, mostly within the range.
    private mutating func handles(in range: AttributeHandleRange) -> [AttributeHandle] {
        var handle = range.first.rawValue
        return (0..<input.number(in: 1...4)).map { _ in
            defer { handle = handle &+ 1 }
            handle = handle &+ UInt16(input.element(of: [0, 0, 0, 1, 5, 0xFFFF]))
            return AttributeHandle(handle)
        }
    }

    private mutating func ranges(in range: AttributeHandleRange) -> [AttributeHandleRange] {
        var first = range.first.rawValue
        return (0..<input.number(in: 1...3)).map { _ in
            let last = first &+ UInt16(input.element(of: [0, 3, 8, 20, 0xFFFF]))
            defer { first = last &+ 1 }
            return AttributeHandleRange(AttributeHandle(first), AttributeHandle(last))
        }
    }

    private mutating func information(in range: AttributeHandleRange) -> [UInt8] {
        let type = input.element(of: ScriptedTable.uuids)
        return ATTServerPDU.findInformationResponse(
            handles(in: range).map { .init(handle: $0, type: type) }
        ).octets
    }

    private mutating func groups(in range: AttributeHandleRange) -> [UInt8] {
        let uuid = input.element(of: ScriptedTable.uuids).octets
        return ATTServerPDU.readByGroupTypeResponse(
            ranges(in: range).map { .init(range: $0, value: uuid) }
        ).octets
    }

    /// Declarations of characteristics or includes, or arbitrary values, all of the same length.
    private mutating func values(in range: AttributeHandleRange) -> [UInt8] {
        let uuid = input.element(of: ScriptedTable.uuids).octets
        let kind = input.choice(4)
        let length = input.choice(24)
        let values = handles(in: range).map { handle -> HandleValue in
            let next = [
                UInt8(truncatingIfNeeded: handle.rawValue &+ 1), UInt8(handle.rawValue >> 8),
            ]
            switch kind {
            case 0, 1: return .init(handle: handle, value: [input.octet()] + next + uuid)
            case 2: return .init(handle: handle, value: next + next + uuid.prefix(2))
            default:
                return .init(
                    handle: handle, value: [UInt8](repeating: input.octet(), count: length))
            }
        }
        return ATTServerPDU.readByTypeResponse(values).octets
    }

    private mutating func notification() -> [UInt8] {
        let value = HandleValue(
            handle: ScriptedTable.handle(&input), value: input.octets())
        switch input.choice(3) {
        case 0: return ATTServerPDU.handleValueNotification(value).octets
        case 1: return ATTServerPDU.handleValueIndication(value).octets
        default: return ATTServerPDU.multipleHandleValueNotification([value, value]).octets
        }
    }

    // MARK: Outputs

    private mutating func drain() throws {
        var count = 0
        while let output = bearer.pollOutput() {
            trace("\(output)")
            count += 1
            try check(count < 500, "one input brings outputs without end")
            switch output {
            case .send(let pdu): try sent(pdu)
            case .event(.completed(let id, let result)):
                try check(running.remove(id) != nil, "a procedure ends twice")
                try checkResult(result)
            case .event(.mtuChanged(let mtu)):
                try check((23...517).contains(mtu), "an ATT_MTU of \(mtu)")
            case .event(.failed): isDead = true
            case .event(.value(.notification(let handle, _))),
                .event(.value(.indication(let handle, _))):
                try check(handle.rawValue != 0, "a value of handle 0")
            // Arbitrary octets may be a request to the server half.
            case .event(.server), .clientConfigurationChanged: break
            }
        }
    }

    private mutating func sent(_ octets: [UInt8]) throws {
        try check(!isDead, "a dead bearer sends")
        try check(octets.count <= bearer.mtu, "a PDU of \(octets.count) octets is too long")
        guard let pdu = try ATTClientPDU(decoding: octets.span) else {
            // The peer sent a request to the server half.
            let response = try ATTServerPDU(decoding: octets.span)
            return try check(response?.octets == octets, "an unknown PDU is sent")
        }
        try check(pdu.octets == octets, "a PDU does not decode to what it was made of")
        switch pdu {
        case .handleValueConfirmation, .writeCommand: break
        default:
            try check(request == nil, "a request leaves before the last one is answered")
            request = pdu
        }
    }

    /// Results of discovery must be in ascending order and must not overlap.
    private func checkResult(_ result: Result<GATTResult, GATTFailure>) throws {
        switch result {
        case .success(.services(let services)): try checkOrder(services)
        case .success(.database(let database)):
            try checkOrder(database.services)
            let stored = try RemoteDatabase(decoding: database.octets.span)
            try check(stored == database, "a database is stored as another one")
        case .success(.value(let value)):
            try check(value.count <= 512 + 517, "a value of \(value.count) octets")
        case .success, .failure: break
        }
    }

    private func checkOrder(_ services: [RemoteDatabase.Service]) throws {
        for (service, next) in zip(services, services.dropFirst()) {
            try check(service.range.last < next.range.first, "services overlap")
        }
    }
}
