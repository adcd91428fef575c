/// Why octets cannot be decoded as the requested type.
///
/// Every case counts octets, so that a caller who knows the length of the whole value can locate the fault:
/// its offset is `total - available`.
public enum DecodingError: Error, Hashable, Sendable {
    /// The value ends too early: `needed` octets were required, `available` were left.
    case truncated(needed: Int, available: Int)
    /// The value is complete, but `count` octets follow it.
    case excess(count: Int)
    /// A field holds a value that the specification does not allow; `available` octets were left after it.
    case invalid(available: Int)
}
