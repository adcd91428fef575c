internal import ANCS
internal import BluetoothLE

extension CaptureEvent.Ending {
    /// Why an answer can no longer arrive.
    package var text: String {
        switch self {
        case .link: "the link ended"
        case .session: "the session ended"
        case .capture: "the capture ends"
        case .nextRequest: "another request went out instead"
        case .crowded: "too many requests were outstanding"
        }
    }
}

extension ATTOpcode {
    /// The name of a request or a response.
    package var text: String {
        switch self {
        case .exchangeMTURequest, .exchangeMTUResponse: "Exchange MTU"
        case .findInformationRequest, .findInformationResponse: "Find Information"
        case .findByTypeValueRequest, .findByTypeValueResponse: "Find By Type Value"
        case .readByTypeRequest, .readByTypeResponse: "Read By Type"
        case .readRequest, .readResponse: "Read"
        case .readBlobRequest, .readBlobResponse: "Read Blob"
        case .readMultipleRequest, .readMultipleResponse: "Read Multiple"
        case .readByGroupTypeRequest, .readByGroupTypeResponse: "Read By Group Type"
        case .writeRequest, .writeResponse: "Write"
        case .prepareWriteRequest, .prepareWriteResponse: "Prepare Write"
        case .executeWriteRequest, .executeWriteResponse: "Execute Write"
        case .readMultipleVariableRequest, .readMultipleVariableResponse: "Read Multiple Variable"
        case .errorResponse: "Error"
        default: "0x" + String(rawValue, radix: 16)
        }
    }
}

extension ATTErrorCode {
    /// What the error means for a user whose notifications do not arrive.
    package var meaning: String {
        switch self {
        case .invalidHandle: "no such attribute (any more): discover again"
        case .writeNotPermitted:
            "no such write is allowed; a phone says so to commands while Share System Notifications is off"
        case .insufficientAuthentication: "the devices are not paired, or the key is missing"
        case .insufficientAuthorization: "the user has not allowed it"
        case .insufficientEncryption: "the link is not encrypted"
        case .encryptionKeySizeTooShort: "the key is too short"
        case .attributeNotFound: "there is none"
        case .databaseOutOfSync: "the attributes have changed: discover again"
        default: ancsMeaning
        }
    }

    private var ancsMeaning: String {
        switch ControlPointError(rawValue: rawValue) {
        case .unknownCommand: "the phone does not know the command"
        case .invalidCommand: "the command is malformed"
        case .invalidParameter: "no such notification or app (any more)"
        case .actionFailed: "the phone did not carry the command out"
        default: "the server refused it"
        }
    }

    /// The name, which may be one of ANCS (R57 to R60), the number and the meaning of the error.
    package var message: String {
        let name = ControlPointError(rawValue: rawValue).specificationName ?? description
        return "\(name) (0x\(Hexadecimal.text([rawValue]).uppercased())): \(meaning)"
    }
}

extension HCIStatus {
    /// The meaning of the code for people. Some codes occur on BR/EDR only.
    package var captureMessage: String {
        let name: String? =
            switch rawValue {
            case 0x04: "page timeout: the other side did not answer"
            case 0x0E: "the other side refused the connection for security reasons"
            case 0x0F: "the other side refused this address"
            case 0x10: "nobody accepted the connection in time"
            case 0x18: "the other side does not pair now"
            case 0x21: "the role may not be changed"
            case 0x37: "the other side's host does not support Secure Simple Pairing"
            case 0x38: "the other side's host is busy with another pairing"
            default: nil
            }
        return name.map { $0 + " (0x" + Hexadecimal.text([rawValue]) + ")" } ?? message
    }

    /// Why pairing stopped. Over BR/EDR there are no keys yet that could differ.
    package func pairingMessage(over transport: CaptureEvent.Transport) -> String {
        self == .authenticationFailure && transport == .basicRate
            ? "a user refused, or the digits were not the same (0x05)" : captureMessage
    }
}
