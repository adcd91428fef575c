/// Why a server refused a request. Core Vol 3, Part F, 3.4.1.1.
///
/// 0x80 to 0x9F belong to the application, 0xE0 to 0xFF to common profiles (Core Specification Supplement,
/// Part B). Some applications also use codes in between.
public struct ATTErrorCode: RawRepresentable, Error, Hashable, Sendable {
    /// The octet on air.
    public var rawValue: UInt8
    /// An error code, known or not.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Invalid Handle
    public static let invalidHandle = ATTErrorCode(rawValue: 0x01)
    /// Read Not Permitted
    public static let readNotPermitted = ATTErrorCode(rawValue: 0x02)
    /// Write Not Permitted
    public static let writeNotPermitted = ATTErrorCode(rawValue: 0x03)
    /// Invalid PDU
    public static let invalidPDU = ATTErrorCode(rawValue: 0x04)
    /// Insufficient Authentication
    public static let insufficientAuthentication = ATTErrorCode(rawValue: 0x05)
    /// Request Not Supported
    public static let requestNotSupported = ATTErrorCode(rawValue: 0x06)
    /// Invalid Offset
    public static let invalidOffset = ATTErrorCode(rawValue: 0x07)
    /// Insufficient Authorization
    public static let insufficientAuthorization = ATTErrorCode(rawValue: 0x08)
    /// Prepare Queue Full
    public static let prepareQueueFull = ATTErrorCode(rawValue: 0x09)
    /// Attribute Not Found
    public static let attributeNotFound = ATTErrorCode(rawValue: 0x0A)
    /// Attribute Not Long
    public static let attributeNotLong = ATTErrorCode(rawValue: 0x0B)
    /// Encryption Key Size Too Short
    public static let encryptionKeySizeTooShort = ATTErrorCode(rawValue: 0x0C)
    /// Invalid Attribute Value Length
    public static let invalidAttributeValueLength = ATTErrorCode(rawValue: 0x0D)
    /// Unlikely Error
    public static let unlikelyError = ATTErrorCode(rawValue: 0x0E)
    /// Insufficient Encryption
    public static let insufficientEncryption = ATTErrorCode(rawValue: 0x0F)
    /// Unsupported Group Type
    public static let unsupportedGroupType = ATTErrorCode(rawValue: 0x10)
    /// Insufficient Resources
    public static let insufficientResources = ATTErrorCode(rawValue: 0x11)
    /// Database Out Of Sync
    public static let databaseOutOfSync = ATTErrorCode(rawValue: 0x12)
    /// Value Not Allowed
    public static let valueNotAllowed = ATTErrorCode(rawValue: 0x13)
    /// Write Request Rejected
    public static let writeRequestRejected = ATTErrorCode(rawValue: 0xFC)
    /// Client Characteristic Configuration Descriptor Improperly Configured
    public static let configurationImproper = ATTErrorCode(rawValue: 0xFD)
    /// Procedure Already in Progress
    public static let procedureAlreadyInProgress = ATTErrorCode(rawValue: 0xFE)
    /// Out of Range
    public static let outOfRange = ATTErrorCode(rawValue: 0xFF)
}

extension ATTErrorCode {
    /// Whether the request would have succeeded on a link with better protection. Core Vol 3, Part C, 10.3.1.
    public var asksForProtection: Bool {
        self == .insufficientAuthentication || self == .insufficientEncryption
            || self == .encryptionKeySizeTooShort
    }
}

extension ATTErrorCode: CustomStringConvertible {
    /// The name of the code in the Core Specification, or that of its range: `Read Not Permitted`.
    public var description: String {
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
        default: rangeName
        }
    }

    /// Core Vol 3, Part F, 3.4.1.1; Core Specification Supplement, Part B.
    private var rangeName: String {
        switch rawValue {
        case 0x80...0x9F: "Application Error"
        case 0xE0...0xFF: "Common Profile Error"
        default: "Reserved Error"
        }
    }
}
