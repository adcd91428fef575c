/// The operations that a characteristic value supports. Core Vol 3, Part G, 3.3.1.1.
public struct CharacteristicProperties: OptionSet, Hashable, Sendable {
    /// The octet in the characteristic declaration.
    public var rawValue: UInt8
    /// Properties, known or not.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The value may be broadcast in advertising data.
    public static let broadcast = CharacteristicProperties(rawValue: 0x01)
    /// The value may be read.
    public static let read = CharacteristicProperties(rawValue: 0x02)
    /// The value may be written with a Write Command.
    public static let writeWithoutResponse = CharacteristicProperties(rawValue: 0x04)
    /// The value may be written with a Write Request.
    public static let write = CharacteristicProperties(rawValue: 0x08)
    /// The value may be notified.
    public static let notify = CharacteristicProperties(rawValue: 0x10)
    /// The value may be indicated.
    public static let indicate = CharacteristicProperties(rawValue: 0x20)
    /// The value may be written with a Signed Write Command.
    public static let authenticatedSignedWrites = CharacteristicProperties(rawValue: 0x40)
    /// There is a Characteristic Extended Properties descriptor.
    public static let extendedProperties = CharacteristicProperties(rawValue: 0x80)
}

/// The subscription of a client. Core Vol 3, Part G, 3.3.3.3.
public struct ClientCharacteristicConfiguration: OptionSet, Hashable, Sendable {
    /// The value of the descriptor.
    public var rawValue: UInt16
    /// A configuration, known or not.
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// Notifications are enabled.
    public static let notification = ClientCharacteristicConfiguration(rawValue: 0x0001)
    /// Indications are enabled.
    public static let indication = ClientCharacteristicConfiguration(rawValue: 0x0002)

    /// The value of the descriptor as octets.
    public var octets: [UInt8] {
        [UInt8(truncatingIfNeeded: rawValue), UInt8(truncatingIfNeeded: rawValue >> 8)]
    }
}
