/// How much of an answer is kept.
public struct ResponseLimits: Hashable, Sendable {
    /// The octets kept of one value; the rest is skipped and the value marked ``AttributeValue/isCut``.
    public var maximumValueOctets: Int
    /// The longest answer, in octets; a longer one fails. This ends answers that never bring what was
    /// requested.
    public var maximumOctets: Int

    /// Limits; by default 64 KiB in all, far more than any answer of iOS that has been seen.
    public init(maximumValueOctets: Int = 65_535, maximumOctets: Int = 65_536) {
        self.maximumValueOctets = maximumValueOctets
        self.maximumOctets = maximumOctets
    }
}

/// Why octets of the Data Source are not the expected answer.
public enum ResponseFailure: Error, Hashable, Sendable {
    /// They do not start with a command that has answers.
    case unexpectedCommand(CommandID)
    /// They are about something other than what was requested.
    case unexpectedIdentity(ResponseIdentity)
    /// They are longer than ``ResponseLimits/maximumOctets``, or have an app identifier without an end.
    case tooLong
}
