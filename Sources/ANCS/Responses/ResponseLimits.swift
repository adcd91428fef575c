/// How much of an answer is kept.
public struct ResponseLimits: Hashable, Sendable {
    /// Octets kept of one value; the rest is skipped and the value marked ``AttributeValue/isCut``.
    public var maximumValueOctets: Int
    /// Octets of one answer on the air; an answer that goes on beyond them fails. It ends answers that
    /// never bring what was asked for.
    public var maximumOctets: Int

    /// Limits; by default 64 KiB in all, which no answer of iOS has come near.
    public init(maximumValueOctets: Int = 65_535, maximumOctets: Int = 65_536) {
        self.maximumValueOctets = maximumValueOctets
        self.maximumOctets = maximumOctets
    }
}

/// Why the octets of the Data Source are no answer.
public enum ResponseFailure: Error, Hashable, Sendable {
    /// They start with something else than a command that is answered.
    case unexpectedCommand(CommandID)
    /// They answer about something else than what was asked about.
    case unexpectedIdentity(ResponseIdentity)
    /// They go on beyond ``ResponseLimits/maximumOctets``, or an app identifier never ends.
    case tooLong
}
