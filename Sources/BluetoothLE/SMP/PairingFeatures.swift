public import Octets

/// What a device can show and read in. Core Vol 3, Part H, 2.3.2 and 3.5.1.
public struct IOCapability: RawRepresentable, Hashable, Sendable {
    /// The octet on the wire.
    public var rawValue: UInt8
    /// A capability, possibly one that is reserved.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Shows six digits.
    public static let displayOnly = IOCapability(rawValue: 0x00)
    /// Shows six digits and can be told yes or no.
    public static let displayYesNo = IOCapability(rawValue: 0x01)
    /// Takes digits and shows nothing.
    public static let keyboardOnly = IOCapability(rawValue: 0x02)
    /// Neither.
    public static let noInputNoOutput = IOCapability(rawValue: 0x03)
    /// Shows six digits and takes digits.
    public static let keyboardDisplay = IOCapability(rawValue: 0x04)

    /// Whether the specification gives the value a meaning.
    public var isDefined: Bool { rawValue <= Self.keyboardDisplay.rawValue }
    /// Whether six digits can be shown.
    var canDisplay: Bool {
        self == .displayOnly || self == .displayYesNo || self == .keyboardDisplay
    }
    /// Whether digits can be entered.
    var canEnter: Bool { self == .keyboardOnly || self == .keyboardDisplay }
    /// Whether six digits can be shown and agreed to.
    var canCompare: Bool { self == .displayYesNo || self == .keyboardDisplay }
}

/// What a device asks of pairing: the AuthReq octet. Core Vol 3, Part H, 3.5.1.
public struct AuthenticationRequirements: OptionSet, Hashable, Sendable {
    /// The octet on the wire.
    public var rawValue: UInt8
    /// Requirements; reserved bits are kept.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Keys are to be stored.
    public static let bonding = AuthenticationRequirements(rawValue: 0x01)
    /// Protection against a man in the middle is asked for.
    public static let mitmProtection = AuthenticationRequirements(rawValue: 0x04)
    /// LE Secure Connections is supported.
    public static let secureConnections = AuthenticationRequirements(rawValue: 0x08)
    /// Keypress notifications are wanted during passkey entry.
    public static let keypress = AuthenticationRequirements(rawValue: 0x10)
    /// The function h7 is supported for keys of the other transport.
    public static let ct2 = AuthenticationRequirements(rawValue: 0x20)
}

/// Which keys a device distributes in the third phase. Core Vol 3, Part H, 3.6.1.
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
    /// LE Secure Connections: a BR/EDR link key is derived. Nothing goes over the air for it.
    public static let linkKey = KeyDistribution(rawValue: 0x08)
}

/// What Pairing Request and Pairing Response carry. Core Vol 3, Part H, 3.5.1 and 3.5.2.
///
///     octet  0             1         2        3                 4                 5
///            IO capability OOB flag  AuthReq  maximum key size  initiator's keys  responder's keys
public struct PairingFeatures: Hashable, Sendable {
    /// What the device can show and read in.
    public var ioCapability: IOCapability
    /// 0x01 where the device holds out-of-band data of the other; other values are reserved.
    public var outOfBandFlag: UInt8
    /// What the device asks of pairing.
    public var authentication: AuthenticationRequirements
    /// The longest encryption key that the device can use, in octets; 7 to 16 where valid.
    public var maximumKeySize: UInt8
    /// Which keys the initiator distributes.
    public var initiatorKeys: KeyDistribution
    /// Which keys the responder distributes.
    public var responderKeys: KeyDistribution

    /// The features of one device.
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

    /// Takes six octets from the front.
    init(taking rest: inout Span<UInt8>) throws(DecodingError) {
        ioCapability = IOCapability(rawValue: try rest.takeUInt8())
        outOfBandFlag = try rest.takeUInt8()
        authentication = AuthenticationRequirements(rawValue: try rest.takeUInt8())
        maximumKeySize = try rest.takeUInt8()
        initiatorKeys = KeyDistribution(rawValue: try rest.takeUInt8())
        responderKeys = KeyDistribution(rawValue: try rest.takeUInt8())
    }

    /// AuthReq, OOB data flag and IO capability: how f6 sees the features.
    var checkOctets: [UInt8] {
        [authentication.rawValue, outOfBandFlag, ioCapability.rawValue]
    }
}

extension PairingFeatures: OctetEncodable {
    /// Six.
    public var encodedCount: Int { 6 }

    /// Appends the six octets.
    public func encode(into output: inout OutputSpan<UInt8>) {
        output.append(ioCapability.rawValue)
        output.append(outOfBandFlag)
        output.append(authentication.rawValue)
        output.append(maximumKeySize)
        output.append(initiatorKeys.rawValue)
        output.append(responderKeys.rawValue)
    }
}
