/// Why pairing failed: the reason in Pairing Failed. Core Vol 3, Part H, 3.5.5.
public struct PairingFailureReason: RawRepresentable, Error, Hashable, Sendable {
    /// The octet on the wire.
    public var rawValue: UInt8
    /// A reason; it may be a reserved one.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The user entered no passkey, or cancelled.
    public static let passkeyEntryFailed = PairingFailureReason(rawValue: 0x01)
    /// There is no out-of-band data.
    public static let outOfBandNotAvailable = PairingFailureReason(rawValue: 0x02)
    /// The authentication that one device requires is impossible with the features of both.
    public static let authenticationRequirements = PairingFailureReason(rawValue: 0x03)
    /// The confirm value is wrong: the passkey is wrong, or there is a man in the middle.
    public static let confirmValueFailed = PairingFailureReason(rawValue: 0x04)
    /// The device does not pair, or not now.
    public static let pairingNotSupported = PairingFailureReason(rawValue: 0x05)
    /// The encryption key would be too short.
    public static let encryptionKeySize = PairingFailureReason(rawValue: 0x06)
    /// The command is not supported.
    public static let commandNotSupported = PairingFailureReason(rawValue: 0x07)
    /// Any other reason.
    public static let unspecified = PairingFailureReason(rawValue: 0x08)
    /// Too little time has passed since an attempt that failed.
    public static let repeatedAttempts = PairingFailureReason(rawValue: 0x09)
    /// A command has the wrong length, or a parameter is out of range.
    public static let invalidParameters = PairingFailureReason(rawValue: 0x0A)
    /// The check of the shared secret failed, or a public key is not acceptable.
    public static let dhKeyCheckFailed = PairingFailureReason(rawValue: 0x0B)
    /// The numbers on the two devices differ.
    public static let numericComparisonFailed = PairingFailureReason(rawValue: 0x0C)
    /// Pairing over BR/EDR is in progress.
    public static let brEdrPairingInProgress = PairingFailureReason(rawValue: 0x0D)
    /// A key must not be derived for the other transport.
    public static let crossTransportKeyNotAllowed = PairingFailureReason(rawValue: 0x0E)
    /// A distributed key was rejected.
    public static let keyRejected = PairingFailureReason(rawValue: 0x0F)
    /// The device is busy.
    public static let busy = PairingFailureReason(rawValue: 0x10)

    /// The reason, for people.
    public var message: String {
        switch self {
        case .passkeyEntryFailed: "the passkey was not entered"
        case .outOfBandNotAvailable: "out-of-band data is not available"
        case .authenticationRequirements: "the devices cannot provide the required security"
        case .confirmValueFailed: "the passkey is wrong, or another device interferes"
        case .pairingNotSupported: "pairing is not supported, or not allowed now"
        case .encryptionKeySize: "the encryption key would be too short"
        case .commandNotSupported: "the command is not supported"
        case .unspecified: "an unspecified reason"
        case .repeatedAttempts: "too many attempts; wait a while before the next"
        case .invalidParameters: "a command was malformed"
        case .dhKeyCheckFailed: "the key exchange failed"
        case .numericComparisonFailed: "the numbers did not match"
        case .brEdrPairingInProgress: "pairing over BR/EDR is in progress"
        case .crossTransportKeyNotAllowed: "a key for the other transport is not allowed"
        case .keyRejected: "a key was not accepted"
        case .busy: "the device is busy"
        default: "a reserved reason"
        }
    }

    /// Whether it may be the answer of the peer's user, who was asked: phones send different ones.
    package var mayBeOfUser: Bool {
        switch self {
        case .passkeyEntryFailed, .pairingNotSupported, .unspecified, .numericComparisonFailed: true
        // PairingFailureReason is open: all others are of a device.
        default: false
        }
    }

    /// Whether the failure may have been an attempt to guess, after which the next attempt is delayed. Core
    /// Vol 3, Part H, 2.3.6.
    package var isFailedGuess: Bool {
        switch self {
        case .confirmValueFailed, .dhKeyCheckFailed, .numericComparisonFailed: true
        default: false
        }
    }
}
