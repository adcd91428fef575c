/// The identifier of an app on the Notification Provider, for example `com.apple.MobileSMS`. It holds
/// no NUL, because NUL ends it on the wire (R35).
public struct AppIdentifier: Hashable, Sendable {
    /// UTF-8 without the terminating NUL. Octets that came over the air need not be valid UTF-8.
    public let octets: [UInt8]

    /// The identifier with a text; throws if the text is empty, has a NUL or does not fit a command.
    public init(_ text: String) throws(ControlPointCommand.UsageError) {
        try self.init(octets: Array(text.utf8))
    }

    /// The identifier with octets of UTF-8; throws if they are empty, no UTF-8, have a NUL or do not
    /// fit a command.
    public init(octets: [UInt8]) throws(ControlPointCommand.UsageError) {
        guard !octets.isEmpty, !octets.contains(0), UTF8Text.isValid(octets) else {
            throw .invalidAppIdentifier
        }
        // Command, terminating NUL and one attribute identifier go with it.
        let count = octets.count + 3
        guard count <= ControlPointCommand.maximumCount else { throw .tooLong(octets: count) }
        self.octets = octets
    }

    /// An identifier as it was received; the reader has taken the NUL off.
    init(received octets: [UInt8]) { self.octets = octets }
}

extension AppIdentifier: CustomStringConvertible {
    /// The text, repaired where it is not UTF-8.
    public var description: String { UTF8Text.repaired(octets) }
}
