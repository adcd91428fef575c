/// A PDU that a server sends: a response, a notification or an indication. Core Vol 3, Part F, 3.4.
public enum ATTServerPDU: Equatable, Sendable {
    /// A handle and the type of its attribute.
    public struct TypedHandle: Equatable, Sendable {
        /// The handle.
        public var handle: AttributeHandle
        /// The attribute type.
        public var type: BluetoothUUID
        /// A handle and its attribute type.
        public init(handle: AttributeHandle, type: BluetoothUUID) {
            self.handle = handle
            self.type = type
        }
    }

    /// The handles of a group of attributes, and the value of its first attribute.
    public struct GroupValue: Equatable, Sendable {
        /// The handle of the group declaration, and the group end handle.
        public var range: AttributeHandleRange
        /// The value of the group declaration, or its beginning.
        public var value: [UInt8]
        /// A group and the value of its declaration.
        public init(range: AttributeHandleRange, value: [UInt8]) {
            self.range = range
            self.value = value
        }
    }

    /// The length of a value, and as much of the value as the PDU had room for.
    public struct LengthValue: Equatable, Sendable {
        /// How long the attribute value is.
        public var length: UInt16
        /// The value; shorter than `length` if the PDU ended within it.
        public var value: [UInt8]
        /// A value of `length` octets.
        public init(length: UInt16, value: [UInt8]) {
            self.length = length
            self.value = value
        }
    }

    /// `ATT_ERROR_RSP`: `01`, opcode of the request, handle in error, error code. 3.4.1.1.
    case errorResponse(request: ATTOpcode, handle: AttributeHandle, ATTErrorCode)
    /// `ATT_EXCHANGE_MTU_RSP`: `03`, Server Rx MTU u16. 3.4.2.2.
    case exchangeMTUResponse(serverReceiveMTU: UInt16)
    /// `ATT_FIND_INFORMATION_RSP`: `05`, format, pairs of handle and UUID of one size. 3.4.3.2.
    case findInformationResponse([TypedHandle])
    /// `ATT_FIND_BY_TYPE_VALUE_RSP`: `07`, pairs of found handle and group end handle. 3.4.3.4.
    case findByTypeValueResponse([AttributeHandleRange])
    /// `ATT_READ_BY_TYPE_RSP`: `09`, length, pairs of handle and value of one size. 3.4.4.2.
    case readByTypeResponse([HandleValue])
    /// `ATT_READ_RSP`: `0B`, value. 3.4.4.4.
    case readResponse([UInt8])
    /// `ATT_READ_BLOB_RSP`: `0D`, part of a value. 3.4.4.6.
    case readBlobResponse([UInt8])
    /// `ATT_READ_MULTIPLE_RSP`: `0F`, values one after the other. 3.4.4.8.
    case readMultipleResponse([UInt8])
    /// `ATT_READ_BY_GROUP_TYPE_RSP`: `11`, length, groups with values of one size. 3.4.4.10.
    case readByGroupTypeResponse([GroupValue])
    /// `ATT_READ_MULTIPLE_VARIABLE_RSP`: `21`, pairs of length and value. 3.4.4.12.
    case readMultipleVariableResponse([LengthValue])
    /// `ATT_WRITE_RSP`: `13`. 3.4.5.2.
    case writeResponse
    /// `ATT_PREPARE_WRITE_RSP`: `17`, handle, offset u16, part of a value. 3.4.6.2.
    case prepareWriteResponse(AttributeHandle, offset: UInt16, value: [UInt8])
    /// `ATT_EXECUTE_WRITE_RSP`: `19`. 3.4.6.4.
    case executeWriteResponse
    /// `ATT_HANDLE_VALUE_NTF`: `1B`, handle, value. 3.4.7.1.
    case handleValueNotification(HandleValue)
    /// `ATT_HANDLE_VALUE_IND`: `1D`, handle, value. 3.4.7.2.
    case handleValueIndication(HandleValue)
    /// `ATT_MULTIPLE_HANDLE_VALUE_NTF`: `23`, triples of handle, length u16, value. 3.4.7.4.
    case multipleHandleValueNotification([HandleValue])

    /// The opcode, the first octet on the wire.
    public var opcode: ATTOpcode {
        switch self {
        case .errorResponse: .errorResponse
        case .exchangeMTUResponse: .exchangeMTUResponse
        case .findInformationResponse: .findInformationResponse
        case .findByTypeValueResponse: .findByTypeValueResponse
        case .readByTypeResponse: .readByTypeResponse
        case .readResponse: .readResponse
        case .readBlobResponse: .readBlobResponse
        case .readMultipleResponse: .readMultipleResponse
        case .readByGroupTypeResponse: .readByGroupTypeResponse
        case .readMultipleVariableResponse: .readMultipleVariableResponse
        case .writeResponse: .writeResponse
        case .prepareWriteResponse: .prepareWriteResponse
        case .executeWriteResponse: .executeWriteResponse
        case .handleValueNotification: .handleValueNotification
        case .handleValueIndication: .handleValueIndication
        case .multipleHandleValueNotification: .multipleHandleValueNotification
        }
    }
}
