/// The role of a device on a link. Core Vol 4, Part E, 7.7.65.1.
public struct LinkRole: RawRepresentable, Hashable, Sendable {
    /// The code.
    public var rawValue: UInt8
    /// A code.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The device that connected.
    public static let central = LinkRole(rawValue: 0x00)
    /// The device that advertised.
    public static let peripheral = LinkRole(rawValue: 0x01)
}

/// The kind of address with which a controller advertises, scans or connects. Core Vol 4, Part E, 7.8.5.
public struct OwnAddressType: RawRepresentable, Hashable, Sendable {
    /// The code.
    public var rawValue: UInt8
    /// A code.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The public address.
    public static let `public` = OwnAddressType(rawValue: 0x00)
    /// The random address that the host set.
    public static let random = OwnAddressType(rawValue: 0x01)
    /// A private address made by the controller; the public address if it cannot make one.
    public static let resolvableOrPublic = OwnAddressType(rawValue: 0x02)
    /// A private address made by the controller; the random address if it cannot make one.
    public static let resolvableOrRandom = OwnAddressType(rawValue: 0x03)

    /// The type for an address that the host has chosen.
    public init(_ kind: DeviceAddress.Kind) { self = kind == .public ? .public : .random }
}

/// A physical layer, as in the fields of events and commands. Core Vol 4, Part E, 7.7.65.12.
public struct PHY: RawRepresentable, Hashable, Sendable {
    /// The code.
    public var rawValue: UInt8
    /// A code.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// LE 1M
    public static let le1M = PHY(rawValue: 0x01)
    /// LE 2M
    public static let le2M = PHY(rawValue: 0x02)
    /// LE Coded
    public static let leCoded = PHY(rawValue: 0x03)
}

/// A set of physical layers. Core Vol 4, Part E, 7.8.48.
public struct PHYs: OptionSet, Hashable, Sendable {
    /// One bit per physical layer.
    public var rawValue: UInt8
    /// One bit per physical layer.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// LE 1M
    public static let le1M = PHYs(rawValue: 1 << 0)
    /// LE 2M
    public static let le2M = PHYs(rawValue: 1 << 1)
    /// LE Coded
    public static let leCoded = PHYs(rawValue: 1 << 2)
}

/// A set of primary advertising channels. Core Vol 4, Part E, 7.8.5.
public struct AdvertisingChannels: OptionSet, Hashable, Sendable {
    /// One bit per channel.
    public var rawValue: UInt8
    /// One bit per channel.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Channels 37, 38 and 39.
    public static let all = AdvertisingChannels(rawValue: 0x07)
}

/// The kind of legacy advertising. Core Vol 4, Part E, 7.8.5.
public struct AdvertisingType: RawRepresentable, Hashable, Sendable {
    /// The code.
    public var rawValue: UInt8
    /// A code.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// ADV_IND: every device may connect and scan.
    public static let connectable = AdvertisingType(rawValue: 0x00)
    /// ADV_DIRECT_IND at a high duty cycle: one device may connect, for 1.28 s.
    public static let directedHighDuty = AdvertisingType(rawValue: 0x01)
    /// ADV_SCAN_IND: every device may scan.
    public static let scannable = AdvertisingType(rawValue: 0x02)
    /// ADV_NONCONN_IND: no device may do either.
    public static let nonConnectable = AdvertisingType(rawValue: 0x03)
    /// ADV_DIRECT_IND at a low duty cycle: one device may connect.
    public static let directed = AdvertisingType(rawValue: 0x04)
}

/// The kind of advertising in extended commands. Core Vol 4, Part E, 7.8.53.
public struct AdvertisingEventProperties: OptionSet, Hashable, Sendable {
    /// The bits.
    public var rawValue: UInt16
    /// The bits.
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// Other devices may connect.
    public static let connectable = AdvertisingEventProperties(rawValue: 1 << 0)
    /// Other devices may request the scan response.
    public static let scannable = AdvertisingEventProperties(rawValue: 1 << 1)
    /// Addressed to one device.
    public static let directed = AdvertisingEventProperties(rawValue: 1 << 2)
    /// At a high duty cycle, for at most 1.28 s.
    public static let highDuty = AdvertisingEventProperties(rawValue: 1 << 3)
    /// Legacy PDUs, which every device can receive.
    public static let legacy = AdvertisingEventProperties(rawValue: 1 << 4)

    /// Without the advertiser's address.
    public static let anonymous = AdvertisingEventProperties(rawValue: 1 << 5)
    /// With the transmit power.
    public static let includesTransmitPower = AdvertisingEventProperties(rawValue: 1 << 6)

    /// ADV_IND through the extended commands: 0x0013.
    public static let legacyConnectable: Self = [.connectable, .scannable, .legacy]
    /// ADV_SCAN_IND through the extended commands: 0x0012.
    public static let legacyScannable: Self = [.scannable, .legacy]
}

/// The features of a link layer. Core Vol 6, Part B, 4.6.
public struct LEFeatures: OptionSet, Hashable, Sendable {
    /// One bit per feature.
    public var rawValue: UInt64
    /// One bit per feature.
    public init(rawValue: UInt64) { self.rawValue = rawValue }

    /// LE Encryption
    public static let encryption = LEFeatures(rawValue: 1 << 0)
    /// Connection Parameters Request Procedure
    public static let connectionParametersRequest = LEFeatures(rawValue: 1 << 1)
    /// Extended Reject Indication
    public static let extendedRejectIndication = LEFeatures(rawValue: 1 << 2)
    /// Peripheral-initiated Features Exchange
    public static let peripheralInitiatedFeaturesExchange = LEFeatures(rawValue: 1 << 3)
    /// LE Ping
    public static let ping = LEFeatures(rawValue: 1 << 4)
    /// LE Data Packet Length Extension
    public static let dataPacketLengthExtension = LEFeatures(rawValue: 1 << 5)
    /// LL Privacy
    public static let privacy = LEFeatures(rawValue: 1 << 6)
    /// LE 2M PHY
    public static let le2MPHY = LEFeatures(rawValue: 1 << 8)
    /// LE Coded PHY
    public static let leCodedPHY = LEFeatures(rawValue: 1 << 11)
    /// LE Extended Advertising
    public static let extendedAdvertising = LEFeatures(rawValue: 1 << 12)
    /// Channel Selection Algorithm #2
    public static let channelSelectionAlgorithm2 = LEFeatures(rawValue: 1 << 14)
}

/// Masks of the events that a host needs. Core Vol 4, Part E, 7.3.1 and 7.8.1.
public enum EventMask: Sendable {
    /// Disconnection, encryption, version, hardware error, overflow, key refresh and the LE events.
    public static let basic: UInt64 =
        1 << 4 | 1 << 7 | 1 << 11 | 1 << 15 | 1 << 25 | 1 << 47 | 1 << 61

    /// The LE events that belong to these features, and those of Bluetooth 4.0, which every controller
    /// supports: one controller is known to work although it reports no features.
    public static func le(_ features: LEFeatures) -> UInt64 {
        var mask: UInt64 = 0x1F
        if features.contains(.connectionParametersRequest) { mask |= 1 << 5 }
        if features.contains(.dataPacketLengthExtension) { mask |= 1 << 6 }
        if features.contains(.privacy) { mask |= 1 << 9 }
        if features.contains(.le2MPHY) || features.contains(.leCodedPHY) { mask |= 1 << 11 }
        if features.contains(.extendedAdvertising) { mask |= 1 << 12 | 1 << 16 | 1 << 17 }
        if features.contains(.channelSelectionAlgorithm2) { mask |= 1 << 19 }
        return mask
    }
}
