internal import Foundation

/// The domain of ``CBATTError``.
public let CBATTErrorDomain = "CBATTErrorDomain"

/// What the server of a peer refused. As an `NSError`, it has ``CBATTErrorDomain`` and the number of the code.
public struct CBATTError: CBFailure, @unchecked Sendable {
    // Unchecked: what a program puts into `userInfo` is its own affair, as with an `NSError`.

    /// The reasons of the Attribute Protocol: Core Vol 3, Part F, 3.4.1.1.
    public enum Code: Int, Sendable {
        /// No error.
        case success = 0x00
        /// There is no such attribute.
        case invalidHandle = 0x01
        /// The value cannot be read.
        case readNotPermitted = 0x02
        /// The value cannot be written.
        case writeNotPermitted = 0x03
        /// The PDU is invalid.
        case invalidPdu = 0x04
        /// Authentication is needed.
        case insufficientAuthentication = 0x05
        /// The server does not support the request.
        case requestNotSupported = 0x06
        /// The offset is beyond the value.
        case invalidOffset = 0x07
        /// Authorization is needed.
        case insufficientAuthorization = 0x08
        /// Too many parts of values are prepared.
        case prepareQueueFull = 0x09
        /// No attribute was found.
        case attributeNotFound = 0x0A
        /// The value cannot be read or written in parts.
        case attributeNotLong = 0x0B
        /// The key of the encryption is too short.
        case insufficientEncryptionKeySize = 0x0C
        /// The value has the wrong length.
        case invalidAttributeValueLength = 0x0D
        /// Something unlikely, or, if the number of the error is another, a reason of the peer's app.
        case unlikelyError = 0x0E
        /// Encryption is needed.
        case insufficientEncryption = 0x0F
        /// The type is none of groups.
        case unsupportedGroupType = 0x10
        /// The server has too few resources for the request.
        case insufficientResources = 0x11

        /// Whether an error is a ``CBATTError`` with this code: for `catch CBATTError.readNotPermitted`.
        public static func ~= (code: Code, error: any Error) -> Bool { CBATTError.has(code, error) }
    }

    /// The domain, ``CBATTErrorDomain``.
    public static var errorDomain: String { CBATTErrorDomain }
    /// The reason; `unlikelyError` for a number without a name, such as those of apps from 0x80.
    public var code: Code { Code(rawValue: errorCode) ?? .unlikelyError }
    /// The number of the reason.
    public let errorCode: Int
    /// What else is known, as an `NSError` has it.
    public let userInfo: [String: Any]

    /// An error for this reason.
    public init(_ code: Code, userInfo: [String: Any] = [:]) {
        self.init(number: code.rawValue, userInfo: userInfo)
    }

    init(number: Int, userInfo: [String: Any]) { (errorCode, self.userInfo) = (number, userInfo) }

    /// `Code.success`
    public static var success: Code { .success }
    /// `Code.invalidHandle`
    public static var invalidHandle: Code { .invalidHandle }
    /// `Code.readNotPermitted`
    public static var readNotPermitted: Code { .readNotPermitted }
    /// `Code.writeNotPermitted`
    public static var writeNotPermitted: Code { .writeNotPermitted }
    /// `Code.invalidPdu`
    public static var invalidPdu: Code { .invalidPdu }
    /// `Code.insufficientAuthentication`
    public static var insufficientAuthentication: Code { .insufficientAuthentication }
    /// `Code.requestNotSupported`
    public static var requestNotSupported: Code { .requestNotSupported }
    /// `Code.invalidOffset`
    public static var invalidOffset: Code { .invalidOffset }
    /// `Code.insufficientAuthorization`
    public static var insufficientAuthorization: Code { .insufficientAuthorization }
    /// `Code.prepareQueueFull`
    public static var prepareQueueFull: Code { .prepareQueueFull }
    /// `Code.attributeNotFound`
    public static var attributeNotFound: Code { .attributeNotFound }
    /// `Code.attributeNotLong`
    public static var attributeNotLong: Code { .attributeNotLong }
    /// `Code.insufficientEncryptionKeySize`
    public static var insufficientEncryptionKeySize: Code { .insufficientEncryptionKeySize }
    /// `Code.invalidAttributeValueLength`
    public static var invalidAttributeValueLength: Code { .invalidAttributeValueLength }
    /// `Code.unlikelyError`
    public static var unlikelyError: Code { .unlikelyError }
    /// `Code.insufficientEncryption`
    public static var insufficientEncryption: Code { .insufficientEncryption }
    /// `Code.unsupportedGroupType`
    public static var unsupportedGroupType: Code { .unsupportedGroupType }
    /// `Code.insufficientResources`
    public static var insufficientResources: Code { .insufficientResources }
}
