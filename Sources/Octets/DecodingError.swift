/// Why a sequence of octets is not a value of the type that was asked for.
///
/// Every case counts octets, so a caller that knows how long the whole value was can say where the
/// fault lies: `total - available` is the offset.
public enum DecodingError: Error, Hashable, Sendable {
    /// The value ends too early: `needed` octets were wanted, `available` were left.
    case truncated(needed: Int, available: Int)
    /// The value is complete, but `count` octets follow it.
    case excess(count: Int)
    /// A field holds what the specification does not allow; `available` octets were left after it.
    case invalid(available: Int)
}
