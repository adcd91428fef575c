/// The ATT error code with which a phone refuses a request to the Apple Media Service (M13). Codes without a name here
/// are kept.
@frozen public struct MediaServiceError: RawRepresentable, Error, Hashable, Sendable {
    /// The ATT error code.
    public var rawValue: UInt8

    /// The error with this code.
    @inlinable public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// *Invalid State*: the accessory has not set the service up, such as by a subscription to Entity Update.
    public static let invalidState = MediaServiceError(rawValue: 0xA0)
    /// *Invalid Command*: the write is malformed, or the command is not supported.
    public static let invalidCommand = MediaServiceError(rawValue: 0xA1)
    /// *Absent Attribute*: the attribute is empty.
    public static let absentAttribute = MediaServiceError(rawValue: 0xA2)
}

extension MediaServiceError: CustomStringConvertible {
    /// The name, or the code.
    public var description: String {
        switch rawValue {
        case 0xA0: "invalidState"
        case 0xA1: "invalidCommand"
        case 0xA2: "absentAttribute"
        default: "error\(rawValue)"
        }
    }
}
