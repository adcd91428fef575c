public import Octets

/// A PDU that a client sends: a request, a command or a confirmation. Core Vol 3, Part F, 3.4.
public enum ATTClientPDU: Equatable, Sendable {
    /// `ATT_EXCHANGE_MTU_REQ`: `02`, Client Rx MTU u16. 3.4.2.1.
    case exchangeMTURequest(clientReceiveMTU: UInt16)
    /// `ATT_FIND_INFORMATION_REQ`: `04`, starting handle, ending handle. 3.4.3.1.
    case findInformationRequest(AttributeHandleRange)
    /// `ATT_FIND_BY_TYPE_VALUE_REQ`: `06`, starting handle, ending handle, type u16, value. 3.4.3.3.
    case findByTypeValueRequest(AttributeHandleRange, type: UInt16, value: [UInt8])
    /// `ATT_READ_BY_TYPE_REQ`: `08`, starting handle, ending handle, UUID of 2 or 16. 3.4.4.1.
    case readByTypeRequest(AttributeHandleRange, type: BluetoothUUID)
    /// `ATT_READ_REQ`: `0A`, handle. 3.4.4.3.
    case readRequest(AttributeHandle)
    /// `ATT_READ_BLOB_REQ`: `0C`, handle, offset u16. 3.4.4.5.
    case readBlobRequest(AttributeHandle, offset: UInt16)
    /// `ATT_READ_MULTIPLE_REQ`: `0E`, two handles or more. 3.4.4.7.
    case readMultipleRequest([AttributeHandle])
    /// `ATT_READ_BY_GROUP_TYPE_REQ`: `10`, starting handle, ending handle, UUID of 2 or 16. 3.4.4.9.
    case readByGroupTypeRequest(AttributeHandleRange, type: BluetoothUUID)
    /// `ATT_READ_MULTIPLE_VARIABLE_REQ`: `20`, two handles or more. 3.4.4.11.
    case readMultipleVariableRequest([AttributeHandle])
    /// `ATT_WRITE_REQ`: `12`, handle, value. 3.4.5.1.
    case writeRequest(AttributeHandle, value: [UInt8])
    /// `ATT_WRITE_CMD`: `52`, handle, value. 3.4.5.3.
    case writeCommand(AttributeHandle, value: [UInt8])
    /// `ATT_SIGNED_WRITE_CMD`: `D2`, handle, value, signature of 12. 3.4.5.4.
    case signedWriteCommand(AttributeHandle, value: [UInt8], signature: [UInt8])
    /// `ATT_PREPARE_WRITE_REQ`: `16`, handle, offset u16, part of a value. 3.4.6.1.
    case prepareWriteRequest(AttributeHandle, offset: UInt16, value: [UInt8])
    /// `ATT_EXECUTE_WRITE_REQ`: `18`, `00` to cancel or `01` to write. 3.4.6.3.
    case executeWriteRequest(isCommit: Bool)
    /// `ATT_HANDLE_VALUE_CFM`: `1E`. 3.4.7.3.
    case handleValueConfirmation

    /// The opcode, the first octet on the wire.
    public var opcode: ATTOpcode {
        switch self {
        case .exchangeMTURequest: .exchangeMTURequest
        case .findInformationRequest: .findInformationRequest
        case .findByTypeValueRequest: .findByTypeValueRequest
        case .readByTypeRequest: .readByTypeRequest
        case .readRequest: .readRequest
        case .readBlobRequest: .readBlobRequest
        case .readMultipleRequest: .readMultipleRequest
        case .readByGroupTypeRequest: .readByGroupTypeRequest
        case .readMultipleVariableRequest: .readMultipleVariableRequest
        case .writeRequest: .writeRequest
        case .writeCommand: .writeCommand
        case .signedWriteCommand: .signedWriteCommand
        case .prepareWriteRequest: .prepareWriteRequest
        case .executeWriteRequest: .executeWriteRequest
        case .handleValueConfirmation: .handleValueConfirmation
        }
    }
}

extension ATTClientPDU {
    /// The length of the signature that ends a Signed Write Command, in octets. 3.4.5.4.
    private static let signatureLength = 12

    /// Decodes a complete PDU; `nil` for an opcode that clients do not send. Throws if the parameters do not
    /// fit the opcode, which a server answers with Invalid PDU.
    public init?(decoding pdu: Span<UInt8>) throws(DecodingError) {
        var rest = pdu
        switch ATTOpcode(rawValue: try rest.takeUInt8()) {
        case .exchangeMTURequest: self = .exchangeMTURequest(clientReceiveMTU: try rest.take())
        case .findInformationRequest: self = .findInformationRequest(try rest.take())
        case .findByTypeValueRequest:
            self = try .findByTypeValueRequest(
                rest.take(), type: rest.take(), value: rest.takeRest())
        case .readByTypeRequest:
            self = try .readByTypeRequest(rest.take(), type: rest.takeRestAsUUID())
        case .readRequest: self = .readRequest(try rest.take())
        case .readBlobRequest: self = try .readBlobRequest(rest.take(), offset: rest.take())
        case .readMultipleRequest: self = .readMultipleRequest(try rest.takeRestAsHandles())
        case .readByGroupTypeRequest:
            self = try .readByGroupTypeRequest(rest.take(), type: rest.takeRestAsUUID())
        case .readMultipleVariableRequest:
            self = .readMultipleVariableRequest(try rest.takeRestAsHandles())
        case .writeRequest: self = try .writeRequest(rest.take(), value: rest.takeRest())
        case .writeCommand: self = try .writeCommand(rest.take(), value: rest.takeRest())
        case .signedWriteCommand:
            let handle = try rest.take() as AttributeHandle
            try rest.require(Self.signatureLength)
            let value = try rest.takeOctets(rest.count - Self.signatureLength)
            self = .signedWriteCommand(handle, value: value, signature: rest.takeRest())
        case .prepareWriteRequest:
            self = try .prepareWriteRequest(
                rest.take(), offset: rest.take(), value: rest.takeRest())
        case .executeWriteRequest:
            let flags = try rest.takeUInt8()
            guard flags <= 0x01 else { throw .invalid(available: rest.count) }
            self = .executeWriteRequest(isCommit: flags == 0x01)
        case .handleValueConfirmation: self = .handleValueConfirmation
        default: return nil
        }
        try rest.expectEnd()
    }
}

extension ATTClientPDU: PDUWithOpcode {
    package func put(into sink: inout (some PDUFieldSink & ~Copyable & ~Escapable)) {
        sink.put(opcode)
        switch self {
        case .handleValueConfirmation: break
        case .executeWriteRequest(let isCommit): sink.put(isCommit)
        case .exchangeMTURequest(let mtu): sink.put(mtu)
        case .readRequest(let handle): sink.put(handle)
        case .findInformationRequest(let range): sink.put(range)
        case .readBlobRequest(let handle, let offset): sink.put(inOrder(handle, offset))
        case .readByTypeRequest(let range, let type), .readByGroupTypeRequest(let range, let type):
            sink.put(inOrder(range, type))
        case .findByTypeValueRequest(let range, let type, let value):
            sink.put(inOrder(range, type, ATTRest(value)))
        case .readMultipleRequest(let handles), .readMultipleVariableRequest(let handles):
            for handle in handles { sink.put(handle) }
        case .writeRequest(let handle, let value), .writeCommand(let handle, let value):
            sink.put(inOrder(handle, ATTRest(value)))
        case .signedWriteCommand(let handle, let value, let signature):
            sink.put(inOrder(handle, ATTRest(value), ATTRest(signature)))
        case .prepareWriteRequest(let handle, let offset, let value):
            sink.put(inOrder(handle, offset, ATTRest(value)))
        }
    }
}
