internal import BluetoothTypes

/// The protection of the link to a peer.
public struct LinkProtection: Equatable, Sendable {
    /// Whether it is encrypted.
    public var isEncrypted: Bool
    /// Whether the key was made with protection against man-in-the-middle attacks.
    public var isAuthenticated: Bool
    /// Whether the key was made with LE Secure Connections.
    public var usesSecureConnections: Bool

    package init(isEncrypted: Bool, isAuthenticated: Bool, usesSecureConnections: Bool) {
        self.isEncrypted = isEncrypted
        self.isAuthenticated = isAuthenticated
        self.usesSecureConnections = usesSecureConnections
    }
}

extension LinkProtection {
    package init(_ security: LinkSecurity) {
        isEncrypted = security.isEncrypted
        isAuthenticated = security.isAuthenticated
        usesSecureConnections = security.usesSecureConnections
    }
}
