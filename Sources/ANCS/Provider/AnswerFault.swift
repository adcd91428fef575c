/// Something that goes wrong with the next answers of a ``ProviderSession``. Several faults that wait
/// act together; see ``ProviderBehavior`` for what is so all the time.
public struct AnswerFault: Hashable, Sendable {
    /// What goes wrong.
    public enum Effect: Hashable, Sendable {
        /// The write is refused with an ATT error code, and nothing follows (R57 to R61).
        case refuse(ControlPointError)
        /// The write is not even answered: the accessory's ATT transaction times out after 30 s.
        case ignoreWrite
        /// The answer begins only after some time; those after it wait behind it (S26).
        case delay(Duration)
        /// The answer never comes (S26).
        case lose
        /// The answer comes twice.
        case duplicate
        /// The answer waits for the next one, which begins in the last value of this one (S4).
        case joinWithNext
        /// The attributes come in another order (S5).
        case reorder(ProviderBehavior.AttributeOrder)
        /// The answer is cut in other places (S6).
        case fragment(FragmentSizes)
        /// The answer has no attributes, whatever was asked for (S23).
        case headerOnly
        /// The link is dropped once so many octets of the answer are sent.
        case dropLink(afterOctets: Int)
    }

    /// What goes wrong.
    public var effect: Effect
    /// With which commands; `nil` for any.
    public var commandID: CommandID?
    /// With how many of them; `nil` until the faults are cleared.
    public var count: Int?

    /// A fault with the next `count` commands of a kind.
    public init(_ effect: Effect, of commandID: CommandID? = nil, count: Int? = 1) {
        self.effect = effect
        self.commandID = commandID
        self.count = count
    }
}
