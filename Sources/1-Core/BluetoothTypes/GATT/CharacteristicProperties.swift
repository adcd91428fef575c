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
