public import Octets

extension ATTServerPDU {
    /// Decodes a complete PDU; `nil` for an opcode that servers do not send. Throws if the parameters do not
    /// fit the opcode: empty lists, incomplete tuples, wrong sizes.
    public init?(decoding pdu: Span<UInt8>) throws(DecodingError) {
        var rest = pdu
        switch ATTOpcode(rawValue: try rest.takeUInt8()) {
        case .errorResponse:
            self = try .errorResponse(request: rest.take(), handle: rest.take(), rest.take())
        case .exchangeMTUResponse:
            self = .exchangeMTUResponse(serverReceiveMTU: try rest.takeUInt16())
        case .findInformationResponse:
            self = .findInformationResponse(try rest.takeRestAsTypedHandles())
        case .findByTypeValueResponse:
            try rest.requireTuples(of: 4)
            var ranges = [AttributeHandleRange]()
            while !rest.isEmpty { ranges.append(try rest.take()) }
            self = .findByTypeValueResponse(ranges)
        case .readByTypeResponse: self = .readByTypeResponse(try rest.takeRestAsHandleValues())
        case .readResponse: self = .readResponse(rest.takeRest())
        case .readBlobResponse: self = .readBlobResponse(rest.takeRest())
        case .readMultipleResponse: self = .readMultipleResponse(rest.takeRest())
        case .readByGroupTypeResponse: self = .readByGroupTypeResponse(try rest.takeRestAsGroups())
        case .readMultipleVariableResponse:
            self = .readMultipleVariableResponse(try rest.takeRestAsLengthValues())
        case .writeResponse: self = .writeResponse
        case .prepareWriteResponse:
            self = try .prepareWriteResponse(
                rest.take(), offset: rest.take(), value: rest.takeRest())
        case .executeWriteResponse: self = .executeWriteResponse
        case .handleValueNotification:
            self = .handleValueNotification(
                HandleValue(handle: try rest.take(), value: rest.takeRest()))
        case .handleValueIndication:
            self = .handleValueIndication(
                HandleValue(handle: try rest.take(), value: rest.takeRest()))
        case .multipleHandleValueNotification:
            self = .multipleHandleValueNotification(try rest.takeRestAsNotifications())
        default: return nil
        }
        try rest.expectEnd()
    }
}

extension Span where Element == UInt8 {
    /// Throws unless the rest is one or more tuples of `size` octets.
    fileprivate func requireTuples(of size: Int) throws(DecodingError) {
        guard !isEmpty, count.isMultiple(of: size) else { throw .invalid(available: count) }
    }

    fileprivate mutating func takeRestAsTypedHandles() throws(DecodingError)
        -> [ATTServerPDU.TypedHandle]
    {
        let uuidSize: Int
        switch try takeUInt8() {
        case 0x01: uuidSize = 2
        case 0x02: uuidSize = 16
        default: throw .invalid(available: count)
        }
        try requireTuples(of: 2 + uuidSize)
        var handles = [ATTServerPDU.TypedHandle]()
        while !isEmpty {
            let handle = try take() as AttributeHandle
            let type = try BluetoothUUID(decoding: extracting(first: uuidSize))
            try skip(uuidSize)
            handles.append(ATTServerPDU.TypedHandle(handle: handle, type: type))
        }
        return handles
    }

    fileprivate mutating func takeRestAsHandleValues() throws(DecodingError) -> [HandleValue] {
        let size = Int(try takeUInt8())
        guard size >= 2 else { throw .invalid(available: count) }
        try requireTuples(of: size)
        var values = [HandleValue]()
        while !isEmpty {
            let handle = try take() as AttributeHandle
            values.append(HandleValue(handle: handle, value: try takeOctets(size - 2)))
        }
        return values
    }

    fileprivate mutating func takeRestAsGroups() throws(DecodingError) -> [ATTServerPDU.GroupValue]
    {
        let size = Int(try takeUInt8())
        guard size >= 4 else { throw .invalid(available: count) }
        try requireTuples(of: size)
        var groups = [ATTServerPDU.GroupValue]()
        while !isEmpty {
            let range = try take() as AttributeHandleRange
            groups.append(ATTServerPDU.GroupValue(range: range, value: try takeOctets(size - 4)))
        }
        return groups
    }

    /// The last value may end early, but not within its length field (Core Vol 3, Part F, 3.4.4.12).
    fileprivate mutating func takeRestAsLengthValues() throws(DecodingError)
        -> [ATTServerPDU.LengthValue]
    {
        var values = [ATTServerPDU.LengthValue]()
        while !isEmpty {
            let length = try takeUInt16()
            let value = try takeOctets(Swift.min(Int(length), count))
            values.append(ATTServerPDU.LengthValue(length: length, value: value))
        }
        return values
    }

    fileprivate mutating func takeRestAsNotifications() throws(DecodingError) -> [HandleValue] {
        var values = [HandleValue]()
        while !isEmpty {
            let handle = try take() as AttributeHandle
            let length = Int(try takeUInt16())
            values.append(HandleValue(handle: handle, value: try takeOctets(length)))
        }
        return values
    }
}

extension ATTServerPDU: PDUWithOpcode {
    package func put(into sink: inout (some PDUFieldSink & ~Copyable & ~Escapable)) {
        sink.put(opcode)
        switch self {
        case .writeResponse, .executeWriteResponse: break
        case .exchangeMTUResponse(let mtu): sink.put(mtu)
        case .errorResponse(let request, let handle, let code):
            sink.put(inOrder(request, handle, code))
        case .findInformationResponse(let handles):
            sink.put(handles.first?.type.encodedCount == 2 ? 0x01 as UInt8 : 0x02)
            for handle in handles { sink.put(inOrder(handle.handle, handle.type)) }
        case .findByTypeValueResponse(let ranges): for range in ranges { sink.put(range) }
        case .readByTypeResponse(let values):
            sink.put(UInt8(clamping: 2 + (values.first?.value.count ?? 0)))
            for value in values { sink.put(inOrder(value.handle, ATTRest(value.value))) }
        case .readResponse(let value), .readBlobResponse(let value),
            .readMultipleResponse(let value):
            sink.put(ATTRest(value))
        case .readByGroupTypeResponse(let groups):
            sink.put(UInt8(clamping: 4 + (groups.first?.value.count ?? 0)))
            for group in groups { sink.put(inOrder(group.range, ATTRest(group.value))) }
        case .readMultipleVariableResponse(let values):
            for value in values { sink.put(inOrder(value.length, ATTRest(value.value))) }
        case .prepareWriteResponse(let handle, let offset, let value):
            sink.put(inOrder(handle, offset, ATTRest(value)))
        case .handleValueNotification(let value), .handleValueIndication(let value):
            sink.put(inOrder(value.handle, ATTRest(value.value)))
        case .multipleHandleValueNotification(let values):
            for value in values {
                let length = UInt16(truncatingIfNeeded: value.value.count)
                sink.put(inOrder(value.handle, length, ATTRest(value.value)))
            }
        }
    }
}
