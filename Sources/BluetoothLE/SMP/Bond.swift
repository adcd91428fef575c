/// Everything to be stored about a device after bonding. Core Vol 3, Part H, 2.4.
///
/// A plain value: whoever owns it decides where it is kept, and keeps it secret.
public struct Bond: Hashable, Sendable {
    /// A long term key and how the Central names it when it starts encryption.
    public struct LongTermKey: Hashable, Sendable {
        /// The key; octets beyond the key size are zero.
        public var value: UInt128
        /// EDIV; 0 in LE Secure Connections.
        public var ediversifier: UInt16
        /// Rand; 0 in LE Secure Connections.
        public var random: UInt64

        /// A key and its name.
        public init(value: UInt128, ediversifier: UInt16 = 0, random: UInt64 = 0) {
            self.value = value
            self.ediversifier = ediversifier
            self.random = random
        }
    }

    /// The peer's identity address, or the address that it was on air with where it gave none.
    public var identityAddress: DeviceAddress
    /// The key that the peer's private addresses are made with.
    public var identityResolvingKey: UInt128?
    /// The identity address that we gave, or were on air with.
    public var localIdentityAddress: DeviceAddress
    /// The identity resolving key that we gave.
    public var localIdentityResolvingKey: UInt128?
    /// The key that encrypts while we are Peripheral.
    public var localLongTermKey: LongTermKey?
    /// The key that encrypts while we are Central; in LE Secure Connections the same.
    public var peerLongTermKey: LongTermKey?
    /// Size of the long term keys in octets, 7 to 16.
    public var keySize: Int
    /// The keys were made with protection against a man in the middle.
    public var isAuthenticated: Bool
    /// The keys were made with LE Secure Connections.
    public var usesSecureConnections: Bool
    /// The key that the peer signs with.
    public var signatureResolvingKey: UInt128?
    /// The key that we sign with.
    public var localSignatureResolvingKey: UInt128?

    /// A bond.
    public init(
        identityAddress: DeviceAddress, identityResolvingKey: UInt128? = nil,
        localIdentityAddress: DeviceAddress, localIdentityResolvingKey: UInt128? = nil,
        localLongTermKey: LongTermKey? = nil, peerLongTermKey: LongTermKey? = nil,
        keySize: Int, isAuthenticated: Bool, usesSecureConnections: Bool,
        signatureResolvingKey: UInt128? = nil, localSignatureResolvingKey: UInt128? = nil
    ) {
        self.identityAddress = identityAddress
        self.identityResolvingKey = identityResolvingKey
        self.localIdentityAddress = localIdentityAddress
        self.localIdentityResolvingKey = localIdentityResolvingKey
        self.localLongTermKey = localLongTermKey
        self.peerLongTermKey = peerLongTermKey
        self.keySize = keySize
        self.isAuthenticated = isAuthenticated
        self.usesSecureConnections = usesSecureConnections
        self.signatureResolvingKey = signatureResolvingKey
        self.localSignatureResolvingKey = localSignatureResolvingKey
    }

    /// Whether these keys protect less than those of another bond: a peer that claims the identity of
    /// that bond must not replace it unseen.
    public func isWeaker(than other: Bond) -> Bool {
        other.isAuthenticated && !isAuthenticated
            || other.usesSecureConnections && !usesSecureConnections || other.keySize > keySize
    }

    /// How well a link is protected that these keys encrypt.
    var security: LinkSecurity {
        LinkSecurity(
            isEncrypted: true, isAuthenticated: isAuthenticated,
            usesSecureConnections: usesSecureConnections, keySize: keySize, isBonded: true)
    }
}
