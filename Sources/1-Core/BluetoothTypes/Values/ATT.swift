/// The Attribute Protocol: what its client needs to know without a bearer of its own. Core Vol 3, Part F.
public enum ATT: Sendable {
    /// The ATT_MTU on LE before it is exchanged, in octets. Core Vol 3, Part G, 5.2.1.
    public static let defaultMTU = 23
}
