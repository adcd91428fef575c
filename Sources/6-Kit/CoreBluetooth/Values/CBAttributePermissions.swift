/// Who may read and write a value that a program publishes.
public struct CBAttributePermissions: OptionSet, Hashable, Sendable {
    /// The bits.
    public let rawValue: UInt
    /// Permissions, known or not.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// Everybody may read.
    public static let readable = Self(rawValue: 0x01)
    /// Everybody may write.
    public static let writeable = Self(rawValue: 0x02)
    /// Only trusted centrals may read.
    public static let readEncryptionRequired = Self(rawValue: 0x04)
    /// Only trusted centrals may write.
    public static let writeEncryptionRequired = Self(rawValue: 0x08)
}
