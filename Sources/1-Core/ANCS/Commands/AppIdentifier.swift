/// The identifier of an app on the Notification Provider, for example `com.apple.MobileSMS`. It has no NUL,
/// which ends it on the wire (R35).
public struct AppIdentifier: Hashable, Sendable {
    /// UTF-8 without the terminating NUL. Octets that came over the air need not be valid UTF-8.
    public let octets: [UInt8]

    /// An identifier from a text. Throws if the text is empty, has a NUL or is too long for a command.
    public init(_ text: String) throws(ControlPointCommand.UsageError) {
        try self.init(octets: Array(text.utf8))
    }

    /// An identifier from octets. Throws if they are empty, not valid UTF-8, have a NUL or are too long for a
    /// command.
    public init(octets: [UInt8]) throws(ControlPointCommand.UsageError) {
        guard !octets.isEmpty, !octets.contains(0), UTF8Text.isValid(octets) else {
            throw .invalidAppIdentifier
        }
        // A command also holds its identifier, the terminating NUL and at least one attribute identifier.
        let count = octets.count + 3
        guard count <= ControlPointCommand.maximumCount else { throw .tooLong(octets: count) }
        self.octets = octets
    }

    /// An identifier as it was received, without the NUL.
    init(received octets: [UInt8]) { self.octets = octets }
}

extension AppIdentifier: CustomStringConvertible {
    /// The text, with U+FFFD in place of what is not UTF-8.
    public var description: String { UTF8Text.repaired(octets) }
}
