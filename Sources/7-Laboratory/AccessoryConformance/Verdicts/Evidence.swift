/// What a run showed of a requirement that was not met.
public struct Evidence: Hashable, Sendable, CustomStringConvertible {
    /// What was seen, in a sentence with its times.
    public var message: String
    /// When it was seen, since the start of the run; `nil` if it is of no time, as a count of further evidence is.
    public var time: Duration?

    /// What was written, field by field, if its octets are what is wrong.
    package var octets: [EvidenceOctets] = []

    package init(_ message: String, at time: Duration?, octets: [EvidenceOctets] = []) {
        (self.message, self.time, self.octets) = (message, time, octets)
    }

    /// The sentence.
    public var description: String { message }
}
