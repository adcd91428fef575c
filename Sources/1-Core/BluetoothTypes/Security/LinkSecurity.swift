/// The current protection of a link, which decides whether a server may serve a request (Core Vol 3, Part C,
/// 10.3.1). The Security Manager reports it to the host, and the host to the server.
public struct LinkSecurity: Equatable, Sendable {
    /// Whether the link is encrypted.
    public var isEncrypted: Bool
    /// Whether the key was made with protection against man-in-the-middle attacks.
    public var isAuthenticated: Bool
    /// Whether the key was made with LE Secure Connections.
    public var usesSecureConnections: Bool
    /// The size of the key in octets, 7 to 16; 0 if the link is not encrypted.
    public var keySize: Int
    /// Whether a long term key for this peer is stored, even if it is not in use.
    public var isBonded: Bool
    /// Whether the user has authorized this peer.
    public var isAuthorized: Bool

    /// A level of protection.
    public init(
        isEncrypted: Bool = false, isAuthenticated: Bool = false,
        usesSecureConnections: Bool = false, keySize: Int = 0, isBonded: Bool = false,
        isAuthorized: Bool = false
    ) {
        self.isEncrypted = isEncrypted
        self.isAuthenticated = isAuthenticated
        self.usesSecureConnections = usesSecureConnections
        self.keySize = keySize
        self.isBonded = isBonded
        self.isAuthorized = isAuthorized
    }

    /// The protection of a new link to an unknown peer: none.
    public static let none = LinkSecurity()
}
