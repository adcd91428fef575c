/// How well a link is protected at the moment: what decides whether a server may serve a request
/// (Core Vol 3, Part C, 10.3.1). The security manager tells the host, the host tells the server.
public struct LinkSecurity: Hashable, Sendable {
    /// The link is encrypted.
    public var isEncrypted: Bool
    /// The key that encrypts it was made with protection against a man in the middle.
    public var isAuthenticated: Bool
    /// The key was made with LE Secure Connections.
    public var usesSecureConnections: Bool
    /// Size of the key in octets, 7 to 16; 0 while the link is not encrypted.
    public var keySize: Int
    /// A long term key for this peer is stored, whether or not it is in use.
    public var isBonded: Bool
    /// The user allows this peer what needs authorization.
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

    /// A new link to a stranger.
    public static let none = LinkSecurity()
}
