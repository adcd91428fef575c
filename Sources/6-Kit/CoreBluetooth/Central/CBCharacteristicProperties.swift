/// What can be done with the value of a characteristic: Core Vol 3, Part G, 3.3.1.1, and two requirements of those that
/// a program publishes.
public struct CBCharacteristicProperties: OptionSet, Hashable, Sendable {
    /// The bits.
    public let rawValue: UInt
    /// Properties, known or not.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// It may be broadcast.
    public static let broadcast = Self(rawValue: 0x01)
    /// It may be read.
    public static let read = Self(rawValue: 0x02)
    /// It may be written without a response.
    public static let writeWithoutResponse = Self(rawValue: 0x04)
    /// It may be written.
    public static let write = Self(rawValue: 0x08)
    /// It may be notified.
    public static let notify = Self(rawValue: 0x10)
    /// It may be indicated.
    public static let indicate = Self(rawValue: 0x20)
    /// It may be written with a signature.
    public static let authenticatedSignedWrites = Self(rawValue: 0x40)
    /// A descriptor has more properties.
    public static let extendedProperties = Self(rawValue: 0x80)
    /// Only trusted devices may be notified.
    public static let notifyEncryptionRequired = Self(rawValue: 0x100)
    /// Only trusted devices may have it indicated.
    public static let indicateEncryptionRequired = Self(rawValue: 0x200)
}
