internal import ANCS
internal import ANCSKit
internal import BluetoothLE

extension Happening.Ending {
    /// Why an answer can no longer arrive.
    var text: String {
        switch self {
        case .link: "the link ended"
        case .session: "the session ended"
        case .capture: "the capture ends"
        case .nextRequest: "another request went out instead"
        case .crowded: "too many requests were outstanding"
        }
    }
}

extension DeviceAddress {
    /// What kind of address it is.
    var kindText: String {
        switch randomKind {
        case nil: "public"
        case .static: "static random"
        case .resolvablePrivate: "resolvable private"
        case .nonResolvablePrivate: "non-resolvable private"
        case .reserved: "reserved"
        }
    }
}

extension ATTOpcode {
    /// The name of a request or a response.
    var text: String {
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
    var meaning: String {
        switch self {
        case .invalidHandle: "no such attribute (any more): discover again"
        case .writeNotPermitted:
            "on a phone: Share System Notifications is off for this accessory"
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

    /// The name, number and meaning of the error.
    var message: String { "\(nameWithCode): \(meaning)" }
}
