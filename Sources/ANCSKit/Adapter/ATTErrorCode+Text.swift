internal import ANCS
public import BluetoothLE

extension ATTErrorCode {
    /// The name with the code in hexadecimal: `Read Not Permitted (0x02)`.
    public var text: String {
        let digits = String(rawValue, radix: 16, uppercase: true)
        return "\(name) (0x\(digits.count < 2 ? "0" : "")\(digits))"
    }

    /// The name that the specification gives the code.
    public var name: String {
        switch self {
        case .invalidHandle: "Invalid Handle"
        case .readNotPermitted: "Read Not Permitted"
        case .writeNotPermitted: "Write Not Permitted"
        case .invalidPDU: "Invalid PDU"
        case .insufficientAuthentication: "Insufficient Authentication"
        case .requestNotSupported: "Request Not Supported"
        case .invalidOffset: "Invalid Offset"
        case .insufficientAuthorization: "Insufficient Authorization"
        case .prepareQueueFull: "Prepare Queue Full"
        case .attributeNotFound: "Attribute Not Found"
        case .attributeNotLong: "Attribute Not Long"
        case .encryptionKeySizeTooShort: "Encryption Key Size Too Short"
        case .invalidAttributeValueLength: "Invalid Attribute Value Length"
        case .unlikelyError: "Unlikely Error"
        case .insufficientEncryption: "Insufficient Encryption"
        case .unsupportedGroupType: "Unsupported Group Type"
        case .insufficientResources: "Insufficient Resources"
        case .databaseOutOfSync: "Database Out Of Sync"
        case .valueNotAllowed: "Value Not Allowed"
        case .writeRequestRejected: "Write Request Rejected"
        case .configurationImproper: "Configuration Improper"
        case .procedureAlreadyInProgress: "Procedure Already in Progress"
        case .outOfRange: "Out of Range"
        default: ancsName
        }
    }

    /// What kind of code it is. Core Vol 3, Part F, 3.4.1.1; Core Specification Supplement, Part B.
    private var rangeName: String {
        switch rawValue {
        case 0x80...0x9F: "Application Error"
        case 0xE0...0xFF: "Common Profile Error"
        default: "Reserved Error"
        }
    }

    /// The codes of ANCS (R57 to R60).
    private var ancsName: String {
        switch ControlPointError(rawValue: rawValue) {
        case .unknownCommand: "Unknown Command"
        case .invalidCommand: "Invalid Command"
        case .invalidParameter: "Invalid Parameter"
        case .actionFailed: "Action Failed"
        default: rangeName
        }
    }
}
