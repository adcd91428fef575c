public import ANCS

/// A fault injected into the next answers of a ``ProviderSession``. Several faults that apply to one answer
/// act together; ``ProviderBehavior`` has lasting deviations.
public struct AnswerFault: Hashable, Sendable {
    /// What the fault does.
    public enum Effect: Hashable, Sendable {
        /// The write is refused with an ATT error code, and nothing follows (R57 to R61).
        case refuse(ControlPointError)
        /// The write gets no response: the accessory's ATT transaction times out after 30 s.
        case ignoreWrite
        /// The answer begins only after this time; later answers are delayed with it (S26).
        case delay(Duration)
        /// The answer is never sent (S26).
        case lose
        /// The answer is sent twice.
        case duplicate
        /// The answer is held until the next one, which begins in the last value of this one (S4).
        case joinWithNext
        /// The attributes have this order (S5).
        case reorder(ProviderBehavior.AttributeOrder)
        /// The answer is cut into values of these sizes (S6).
        case fragment(FragmentSizes)
        /// The answer has no attributes, whatever was requested (S23).
        case headerOnly
        /// The link is dropped once this many octets of the answer have been sent.
        case dropLink(afterOctets: Int)
    }

    /// What the fault does.
    public var effect: Effect
    /// The commands that it affects; `nil` for any.
    public var commandID: CommandID?
    /// How many commands it affects; `nil` until ``ProviderSession/clearFaults()``.
    public var count: Int?

    /// A fault in the answers to the next `count` commands of a kind.
    public init(_ effect: Effect, of commandID: CommandID? = nil, count: Int? = 1) {
        self.effect = effect
        self.commandID = commandID
        self.count = count
    }
}
