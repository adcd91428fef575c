public import Octets

/// The input and output of a device. Core Vol 3, Part H, 2.3.2 and 3.5.1.
public struct IOCapability: RawRepresentable, Hashable, Sendable {
    /// The octet on the wire.
    public var rawValue: UInt8
    /// A capability; it may be a reserved one.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Can display six digits.
    public static let displayOnly = IOCapability(rawValue: 0x00)
    /// Can display six digits, and the user can answer yes or no.
    public static let displayYesNo = IOCapability(rawValue: 0x01)
    /// The user can enter digits; no display.
    public static let keyboardOnly = IOCapability(rawValue: 0x02)
    /// Neither input nor output.
    public static let noInputNoOutput = IOCapability(rawValue: 0x03)
    /// Can display six digits, and the user can enter digits.
    public static let keyboardDisplay = IOCapability(rawValue: 0x04)

    /// Whether the value is defined by the specification.
    public var isDefined: Bool { rawValue <= Self.keyboardDisplay.rawValue }
    /// Whether the device can display six digits.
    var canDisplay: Bool {
        self == .displayOnly || self == .displayYesNo || self == .keyboardDisplay
    }
    /// Whether the user can enter digits.
    var canEnter: Bool { self == .keyboardOnly || self == .keyboardDisplay }
    /// Whether the user can compare six digits and confirm.
    var canCompare: Bool { self == .displayYesNo || self == .keyboardDisplay }
}

/// What a device requires of pairing: the AuthReq octet. Core Vol 3, Part H, 3.5.1.
public struct AuthenticationRequirements: OptionSet, Hashable, Sendable {
    /// The octet on the wire.
    public var rawValue: UInt8
    /// Requirements; reserved bits are kept.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Keys are to be stored.
    public static let bonding = AuthenticationRequirements(rawValue: 0x01)
    /// Requires protection against man-in-the-middle attacks.
    public static let mitmProtection = AuthenticationRequirements(rawValue: 0x04)
    /// LE Secure Connections is supported.
    public static let secureConnections = AuthenticationRequirements(rawValue: 0x08)
    /// Requests keypress notifications during passkey entry.
    public static let keypress = AuthenticationRequirements(rawValue: 0x10)
    /// Supports the function h7 for deriving keys of the other transport.
    public static let ct2 = AuthenticationRequirements(rawValue: 0x20)
}

/// The keys that a device distributes in the third phase. Core Vol 3, Part H, 3.6.1.
public struct KeyDistribution: OptionSet, Hashable, Sendable {
    /// The octet on the wire.
    public var rawValue: UInt8
    /// Keys; reserved bits are kept.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// LE legacy: long term key, EDIV and Rand. Ignored in LE Secure Connections.
    public static let encryptionKey = KeyDistribution(rawValue: 0x01)
    /// Identity resolving key and identity address.
    public static let identityKey = KeyDistribution(rawValue: 0x02)
    /// Connection signature resolving key.
    public static let signingKey = KeyDistribution(rawValue: 0x04)
    /// LE Secure Connections: a BR/EDR link key is derived. It is not sent.
    public static let linkKey = KeyDistribution(rawValue: 0x08)
}

/// The parameters of Pairing Request and Pairing Response. Core Vol 3, Part H, 3.5.1 and 3.5.2.
///
///     octet  0             1         2        3                 4                 5
///            IO capability OOB flag  AuthReq  maximum key size  initiator's keys  responder's keys
public struct PairingFeatures: Equatable, Sendable {
    /// The input and output of the device.
    public var ioCapability: IOCapability
    /// 0x01 if the device has out-of-band data of the peer, otherwise 0x00; other values are reserved.
    public var outOfBandFlag: UInt8
    /// What the device requires of pairing.
    public var authentication: AuthenticationRequirements
    /// The longest encryption key that the device supports in octets; 7 to 16 is valid.
    public var maximumKeySize: UInt8
    /// The keys that the initiator distributes.
    public var initiatorKeys: KeyDistribution
    /// The keys that the responder distributes.
    public var responderKeys: KeyDistribution

    /// The features of a device.
    public init(
        ioCapability: IOCapability, outOfBandFlag: UInt8 = 0,
        authentication: AuthenticationRequirements, maximumKeySize: UInt8 = 16,
        initiatorKeys: KeyDistribution, responderKeys: KeyDistribution
    ) {
        self.ioCapability = ioCapability
        self.outOfBandFlag = outOfBandFlag
        self.authentication = authentication
        self.maximumKeySize = maximumKeySize
        self.initiatorKeys = initiatorKeys
        self.responderKeys = responderKeys
    }

    /// AuthReq, OOB data flag and IO capability: the form in which f6 uses the features.
    var checkOctets: [UInt8] { [authentication.rawValue, outOfBandFlag, ioCapability.rawValue] }
}

extension PairingFeatures: OctetEncodable, PDUStructure {
    package static let layout = inOrder(Self.init) {
        (
            $0.ioCapability, $0.outOfBandFlag, $0.authentication, $0.maximumKeySize,
            $0.initiatorKeys, $0.responderKeys
        )
    }
}

extension IOCapability: PDUCode {}
extension AuthenticationRequirements: PDUCode {}
extension KeyDistribution: PDUCode {}
