/// The first octet of every ATT PDU. Core Vol 3, Part F, 3.3.1.
///
///     bit  0…5     6                7
///          method  command flag     authentication signature flag
public struct ATTOpcode: RawRepresentable, Hashable, Sendable {
    /// The octet.
    public var rawValue: UInt8
    /// An opcode, known or not.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Whether this is a command. Commands have no response, so a server ignores unknown ones.
    public var isCommand: Bool { rawValue & 0x40 != 0 }

    /// The opcode of the response to this request, which is one higher.
    var response: ATTOpcode { ATTOpcode(rawValue: rawValue &+ 1) }

    /// `ATT_ERROR_RSP`
    public static let errorResponse = ATTOpcode(rawValue: 0x01)
    /// `ATT_EXCHANGE_MTU_REQ`
    public static let exchangeMTURequest = ATTOpcode(rawValue: 0x02)
    /// `ATT_EXCHANGE_MTU_RSP`
    public static let exchangeMTUResponse = ATTOpcode(rawValue: 0x03)
    /// `ATT_FIND_INFORMATION_REQ`
    public static let findInformationRequest = ATTOpcode(rawValue: 0x04)
    /// `ATT_FIND_INFORMATION_RSP`
    public static let findInformationResponse = ATTOpcode(rawValue: 0x05)
    /// `ATT_FIND_BY_TYPE_VALUE_REQ`
    public static let findByTypeValueRequest = ATTOpcode(rawValue: 0x06)
    /// `ATT_FIND_BY_TYPE_VALUE_RSP`
    public static let findByTypeValueResponse = ATTOpcode(rawValue: 0x07)
    /// `ATT_READ_BY_TYPE_REQ`
    public static let readByTypeRequest = ATTOpcode(rawValue: 0x08)
    /// `ATT_READ_BY_TYPE_RSP`
    public static let readByTypeResponse = ATTOpcode(rawValue: 0x09)
    /// `ATT_READ_REQ`
    public static let readRequest = ATTOpcode(rawValue: 0x0A)
    /// `ATT_READ_RSP`
    public static let readResponse = ATTOpcode(rawValue: 0x0B)
    /// `ATT_READ_BLOB_REQ`
    public static let readBlobRequest = ATTOpcode(rawValue: 0x0C)
    /// `ATT_READ_BLOB_RSP`
    public static let readBlobResponse = ATTOpcode(rawValue: 0x0D)
    /// `ATT_READ_MULTIPLE_REQ`
    public static let readMultipleRequest = ATTOpcode(rawValue: 0x0E)
    /// `ATT_READ_MULTIPLE_RSP`
    public static let readMultipleResponse = ATTOpcode(rawValue: 0x0F)
    /// `ATT_READ_BY_GROUP_TYPE_REQ`
    public static let readByGroupTypeRequest = ATTOpcode(rawValue: 0x10)
    /// `ATT_READ_BY_GROUP_TYPE_RSP`
    public static let readByGroupTypeResponse = ATTOpcode(rawValue: 0x11)
    /// `ATT_WRITE_REQ`
    public static let writeRequest = ATTOpcode(rawValue: 0x12)
    /// `ATT_WRITE_RSP`
    public static let writeResponse = ATTOpcode(rawValue: 0x13)
    /// `ATT_PREPARE_WRITE_REQ`
    public static let prepareWriteRequest = ATTOpcode(rawValue: 0x16)
    /// `ATT_PREPARE_WRITE_RSP`
    public static let prepareWriteResponse = ATTOpcode(rawValue: 0x17)
    /// `ATT_EXECUTE_WRITE_REQ`
    public static let executeWriteRequest = ATTOpcode(rawValue: 0x18)
    /// `ATT_EXECUTE_WRITE_RSP`
    public static let executeWriteResponse = ATTOpcode(rawValue: 0x19)
    /// `ATT_HANDLE_VALUE_NTF`
    public static let handleValueNotification = ATTOpcode(rawValue: 0x1B)
    /// `ATT_HANDLE_VALUE_IND`
    public static let handleValueIndication = ATTOpcode(rawValue: 0x1D)
    /// `ATT_HANDLE_VALUE_CFM`
    public static let handleValueConfirmation = ATTOpcode(rawValue: 0x1E)
    /// `ATT_READ_MULTIPLE_VARIABLE_REQ`
    public static let readMultipleVariableRequest = ATTOpcode(rawValue: 0x20)
    /// `ATT_READ_MULTIPLE_VARIABLE_RSP`
    public static let readMultipleVariableResponse = ATTOpcode(rawValue: 0x21)
    /// `ATT_MULTIPLE_HANDLE_VALUE_NTF`
    public static let multipleHandleValueNotification = ATTOpcode(rawValue: 0x23)
    /// `ATT_WRITE_CMD`
    public static let writeCommand = ATTOpcode(rawValue: 0x52)
    /// `ATT_SIGNED_WRITE_CMD`
    public static let signedWriteCommand = ATTOpcode(rawValue: 0xD2)

    /// Whether only a server sends this PDU.
    var comesFromServer: Bool {
        switch self {
        case .errorResponse, .exchangeMTUResponse, .findInformationResponse,
            .findByTypeValueResponse, .readByTypeResponse, .readResponse, .readBlobResponse,
            .readMultipleResponse, .readByGroupTypeResponse, .writeResponse,
            .prepareWriteResponse, .executeWriteResponse, .readMultipleVariableResponse,
            .handleValueNotification, .handleValueIndication, .multipleHandleValueNotification:
            true
        default: false
        }
    }
}
