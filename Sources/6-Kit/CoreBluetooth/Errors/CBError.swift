internal import Foundation

/// The domain of ``CBError``.
public let CBErrorDomain = "CBErrorDomain"

/// Why something of Bluetooth failed. As an `NSError`, it has ``CBErrorDomain`` and the number of the code.
public struct CBError: CBFailure, @unchecked Sendable {
    // Unchecked: what a program puts into `userInfo` is its own affair, as with an `NSError`.

    /// The kinds of failure.
    public enum Code: Int, Sendable {
        /// Any other failure; see the description.
        case unknown = 0
        /// An argument is not accepted.
        case invalidParameters = 1
        /// The peripheral does not have the attribute, or no longer has it.
        case invalidHandle = 2
        /// The peripheral is not connected.
        case notConnected = 3
        /// A queue is full.
        case outOfSpace = 4
        /// The operation was cancelled.
        case operationCancelled = 5
        /// The peripheral did not answer in time.
        case connectionTimeout = 6
        /// The peripheral ended the link.
        case peripheralDisconnected = 7
        /// The system publishes the UUID itself.
        case uuidNotAllowed = 8
        /// The manager advertises already.
        case alreadyAdvertising = 9
        /// The link could not be established.
        case connectionFailed = 10
        /// There is no room for another link.
        case connectionLimitReached = 11
        /// The system does not know the device.
        case unknownDevice = 12
        /// Something does not support this.
        case operationNotSupported = 13
        /// The peripheral has lost the keys of its bond.
        case peerRemovedPairingInformation = 14
        /// The link could not be encrypted in time.
        case encryptionTimedOut = 15
        /// There is no room for another bond.
        case tooManyLEPairedDevices = 16
        /// Never on Linux.
        case leGattExceededBackgroundNotificationLimit = 17
        /// Never on Linux.
        case leGattNearBackgroundNotificationLimit = 18

        /// Whether an error is a ``CBError`` with this code: for `catch CBError.connectionFailed`.
        public static func ~= (code: Code, error: any Error) -> Bool { CBError.has(code, error) }
    }

    /// The domain, ``CBErrorDomain``.
    public static var errorDomain: String { CBErrorDomain }
    /// The kind of failure.
    public let code: Code
    /// What else is known, as an `NSError` has it.
    public let userInfo: [String: Any]
    /// The number of the code.
    public var errorCode: Int { code.rawValue }

    /// A failure of this kind.
    public init(_ code: Code, userInfo: [String: Any] = [:]) {
        (self.code, self.userInfo) = (code, userInfo)
    }

    /// `Code.unknown`
    public static var unknown: Code { .unknown }
    /// `Code.invalidParameters`
    public static var invalidParameters: Code { .invalidParameters }
    /// `Code.invalidHandle`
    public static var invalidHandle: Code { .invalidHandle }
    /// `Code.notConnected`
    public static var notConnected: Code { .notConnected }
    /// `Code.outOfSpace`
    public static var outOfSpace: Code { .outOfSpace }
    /// `Code.operationCancelled`
    public static var operationCancelled: Code { .operationCancelled }
    /// `Code.connectionTimeout`
    public static var connectionTimeout: Code { .connectionTimeout }
    /// `Code.peripheralDisconnected`
    public static var peripheralDisconnected: Code { .peripheralDisconnected }
    /// `Code.uuidNotAllowed`
    public static var uuidNotAllowed: Code { .uuidNotAllowed }
    /// `Code.alreadyAdvertising`
    public static var alreadyAdvertising: Code { .alreadyAdvertising }
    /// `Code.connectionFailed`
    public static var connectionFailed: Code { .connectionFailed }
    /// `Code.connectionLimitReached`
    public static var connectionLimitReached: Code { .connectionLimitReached }
    /// `Code.unknownDevice`
    public static var unknownDevice: Code { .unknownDevice }
    /// `Code.operationNotSupported`
    public static var operationNotSupported: Code { .operationNotSupported }
    /// `Code.peerRemovedPairingInformation`
    public static var peerRemovedPairingInformation: Code { .peerRemovedPairingInformation }
    /// `Code.encryptionTimedOut`
    public static var encryptionTimedOut: Code { .encryptionTimedOut }
    /// `Code.tooManyLEPairedDevices`
    public static var tooManyLEPairedDevices: Code { .tooManyLEPairedDevices }
    /// `Code.leGattExceededBackgroundNotificationLimit`
    public static var leGattExceededBackgroundNotificationLimit: Code {
        .leGattExceededBackgroundNotificationLimit
    }
    /// `Code.leGattNearBackgroundNotificationLimit`
    public static var leGattNearBackgroundNotificationLimit: Code {
        .leGattNearBackgroundNotificationLimit
    }
}
