internal import Octets

/// How a command ended, or why a link ended. Core Vol 1, Part F.
public struct HCIStatus: RawRepresentable, Error, Hashable, Sendable {
    /// The code.
    public var rawValue: UInt8
    /// A code.
    public init(rawValue: UInt8) { self.rawValue = rawValue }
    private init(_ rawValue: UInt8) { self.rawValue = rawValue }

    /// Success
    public static let success = HCIStatus(0x00)
    /// Unknown HCI Command
    public static let unknownCommand = HCIStatus(0x01)
    /// Unknown Connection Identifier
    public static let unknownConnectionIdentifier = HCIStatus(0x02)
    /// Hardware Failure
    public static let hardwareFailure = HCIStatus(0x03)
    /// Authentication Failure
    public static let authenticationFailure = HCIStatus(0x05)
    /// PIN or Key Missing
    public static let pinOrKeyMissing = HCIStatus(0x06)
    /// Memory Capacity Exceeded
    public static let memoryCapacityExceeded = HCIStatus(0x07)
    /// Connection Timeout: the supervision timeout passed without a packet.
    public static let connectionTimeout = HCIStatus(0x08)
    /// Connection Limit Exceeded
    public static let connectionLimitExceeded = HCIStatus(0x09)
    /// Connection Already Exists
    public static let connectionAlreadyExists = HCIStatus(0x0B)
    /// Command Disallowed
    public static let commandDisallowed = HCIStatus(0x0C)
    /// Connection Rejected Due To Limited Resources
    public static let connectionRejectedLimitedResources = HCIStatus(0x0D)
    /// Unsupported Feature Or Parameter Value
    public static let unsupportedFeatureOrParameterValue = HCIStatus(0x11)
    /// Invalid HCI Command Parameters
    public static let invalidCommandParameters = HCIStatus(0x12)
    /// Remote User Terminated Connection
    public static let remoteUserTerminatedConnection = HCIStatus(0x13)
    /// Remote Device Terminated Connection due to Low Resources
    public static let remoteDeviceLowResources = HCIStatus(0x14)
    /// Remote Device Terminated Connection due to Power Off
    public static let remoteDevicePowerOff = HCIStatus(0x15)
    /// Connection Terminated By Local Host
    public static let connectionTerminatedByLocalHost = HCIStatus(0x16)
    /// Unsupported Remote Feature
    public static let unsupportedRemoteFeature = HCIStatus(0x1A)
    /// Invalid LMP Parameters / Invalid LL Parameters
    public static let invalidLLParameters = HCIStatus(0x1E)
    /// Unspecified Error
    public static let unspecifiedError = HCIStatus(0x1F)
    /// LMP Response Timeout / LL Response Timeout
    public static let llResponseTimeout = HCIStatus(0x22)
    /// LMP Error Transaction Collision / LL Procedure Collision
    public static let llProcedureCollision = HCIStatus(0x23)
    /// Encryption Mode Not Acceptable
    public static let encryptionModeNotAcceptable = HCIStatus(0x25)
    /// Instant Passed
    public static let instantPassed = HCIStatus(0x28)
    /// Pairing With Unit Key Not Supported
    public static let pairingWithUnitKeyNotSupported = HCIStatus(0x29)
    /// Different Transaction Collision
    public static let differentTransactionCollision = HCIStatus(0x2A)
    /// Insufficient Security
    public static let insufficientSecurity = HCIStatus(0x2F)
    /// Parameter Out Of Mandatory Range
    public static let parameterOutOfMandatoryRange = HCIStatus(0x30)
    /// Controller Busy
    public static let controllerBusy = HCIStatus(0x3A)
    /// Unacceptable Connection Parameters
    public static let unacceptableConnectionParameters = HCIStatus(0x3B)
    /// Advertising Timeout
    public static let advertisingTimeout = HCIStatus(0x3C)
    /// Connection Terminated Due To MIC Failure
    public static let micFailure = HCIStatus(0x3D)
    /// Connection Failed To Be Established / Synchronization Timeout
    public static let connectionFailedToBeEstablished = HCIStatus(0x3E)
    /// Unknown Advertising Identifier
    public static let unknownAdvertisingIdentifier = HCIStatus(0x42)
    /// Limit Reached
    public static let limitReached = HCIStatus(0x43)
    /// Operation Cancelled by Host
    public static let operationCancelledByHost = HCIStatus(0x44)
}

extension HCIStatus {
    /// The meaning of the code for people, with the code in hexadecimal.
    public var message: String {
        (name ?? "unknown reason") + " (0x" + Hexadecimal.text([rawValue]) + ")"
    }

    /// The meaning of the code; `nil` if it is not in this list.
    private var name: String? {
        switch self {
        case .success: "success"
        case .unknownCommand: "the controller does not know the command"
        case .unknownConnectionIdentifier: "no such connection"
        case .hardwareFailure: "the controller failed, or is gone"
        case .authenticationFailure: "authentication failed: the two sides hold different keys"
        case .pinOrKeyMissing: "the other side has lost the key: forget the pairing on both sides"
        case .memoryCapacityExceeded: "the controller's memory is full"
        case .connectionTimeout: "supervision timeout: the other side went out of range or silent"
        case .connectionLimitExceeded: "the controller allows no more connections"
        case .connectionAlreadyExists: "connected already"
        case .commandDisallowed: "the controller cannot do that now"
        case .connectionRejectedLimitedResources: "the connection was refused for lack of resources"
        case .unsupportedFeatureOrParameterValue: "the controller does not support that"
        case .invalidCommandParameters: "the controller refused the command's parameters"
        default: linkName
        }
    }

    /// The codes that end or concern a link.
    private var linkName: String? {
        switch self {
        case .remoteUserTerminatedConnection: "the other side ended the connection"
        case .remoteDeviceLowResources: "the other side ended the connection for lack of resources"
        case .remoteDevicePowerOff: "the other side is switching off"
        case .connectionTerminatedByLocalHost: "this side ended the connection"
        case .unsupportedRemoteFeature: "the other side does not support that"
        case .invalidLLParameters: "invalid link layer parameters"
        case .unspecifiedError: "unspecified error"
        case .llResponseTimeout: "the other side's controller did not answer"
        case .llProcedureCollision: "both sides began the same procedure"
        case .encryptionModeNotAcceptable: "the encryption mode is not acceptable"
        case .instantPassed: "a change of the link came too late"
        case .pairingWithUnitKeyNotSupported: "pairing with a unit key is not supported"
        case .differentTransactionCollision: "both sides began different procedures"
        case .insufficientSecurity: "the link is not secure enough"
        case .parameterOutOfMandatoryRange: "a parameter is out of its range"
        case .controllerBusy: "the controller is busy"
        case .unacceptableConnectionParameters: "the connection parameters are not acceptable"
        case .advertisingTimeout: "advertising timed out"
        case .micFailure: "a packet could not be authenticated: the keys may differ"
        case .connectionFailedToBeEstablished: "the connection could not be established"
        case .unknownAdvertisingIdentifier: "no such advertising set"
        case .limitReached: "a limit was reached"
        case .operationCancelledByHost: "cancelled by the host"
        default: nil
        }
    }
}
