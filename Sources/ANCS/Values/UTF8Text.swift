/// From octets to text, at the edge: values stay octets until somebody reads them (R2, S10).
public enum UTF8Text: Sendable {
    /// The text of some octets, with U+FFFD for what is no UTF-8, such as a character that a maximum
    /// length cut.
    public static func repaired(_ octets: [UInt8]) -> String {
        String(decoding: octets, as: UTF8.self)
    }

    /// Whether some octets are UTF-8 throughout.
    public static func isValid(_ octets: [UInt8]) -> Bool {
        do {
            _ = try UTF8Span(validating: octets.span)
            return true
        } catch {
            return false
        }
    }
}
