/// The ATT error code with which a Notification Provider refuses a Control Point write (R57 to R60; Core Vol
/// 3, Part F, 3.4.1.1). It is the code of the specification; a driver for a stack that shifts it must shift
/// it back. Codes without a name here are kept.
@frozen public struct ControlPointError: RawRepresentable, Error, Hashable, Sendable {
    /// The ATT error code.
    public var rawValue: UInt8

    /// The error with this code.
    @inlinable public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// *Invalid Handle*: the service has moved; discover it again.
    public static let invalidHandle = ControlPointError(rawValue: 0x01)
    /// *Write Not Permitted*: iOS's error while the user has not allowed access (S1).
    public static let writeNotPermitted = ControlPointError(rawValue: 0x03)
    /// *Insufficient Authentication*
    public static let insufficientAuthentication = ControlPointError(rawValue: 0x05)
    /// *Insufficient Authorization*
    public static let insufficientAuthorization = ControlPointError(rawValue: 0x08)
    /// *Insufficient Encryption*
    public static let insufficientEncryption = ControlPointError(rawValue: 0x0F)
    /// *Unknown command*: the command identifier was not recognized (R57).
    public static let unknownCommand = ControlPointError(rawValue: 0xA0)
    /// *Invalid command*: badly formatted (R58).
    public static let invalidCommand = ControlPointError(rawValue: 0xA1)
    /// *Invalid parameter*: a parameter refers to nothing on the Notification Provider (R59).
    public static let invalidParameter = ControlPointError(rawValue: 0xA2)
    /// *Action failed*: the action was not performed (R60).
    public static let actionFailed = ControlPointError(rawValue: 0xA3)

    /// Whether the error means that the user has not allowed access, or that the link or the bond is not
    /// secure enough: a state of the session rather than a fault of the command (S1).
    public var isAuthorization: Bool {
        switch rawValue {
        case 0x03, 0x05, 0x08, 0x0F: true
        default: false
        }
    }

    /// Whether the error comes from the service itself, which shows that the consumer is authorized.
    public var isFromService: Bool { (0xA0...0xA3).contains(rawValue) }
}

extension ControlPointError: CustomStringConvertible {
    /// The name, or the code in hexadecimal.
    public var description: String {
        switch rawValue {
        case 0x01: "invalidHandle"
        case 0x03: "writeNotPermitted"
        case 0x05: "insufficientAuthentication"
        case 0x08: "insufficientAuthorization"
        case 0x0F: "insufficientEncryption"
        case 0xA0: "unknownCommand"
        case 0xA1: "invalidCommand"
        case 0xA2: "invalidParameter"
        case 0xA3: "actionFailed"
        default: "error\(rawValue)"
        }
    }
}

extension ControlPointError {
    /// The name of the code in the ANCS specification; `nil` for a code of ATT.
    public var specificationName: String? {
        switch self {
        case .unknownCommand: "Unknown Command"
        case .invalidCommand: "Invalid Command"
        case .invalidParameter: "Invalid Parameter"
        case .actionFailed: "Action Failed"
        default: nil
        }
    }
}
