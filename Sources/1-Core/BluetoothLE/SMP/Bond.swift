/// The data to store about a bonded device. Core Vol 3, Part H, 2.4.
///
/// A value: its owner decides where to store it, and must keep it secret.
public struct Bond: Equatable, Sendable {
    /// A long term key, and the values that identify it when the Central starts encryption.
    public struct LongTermKey: Equatable, Sendable {
        /// The key; octets beyond the key size are zero.
        public var value: UInt128
        /// EDIV; 0 in LE Secure Connections.
        public var ediversifier: UInt16
        /// Rand; 0 in LE Secure Connections.
        public var random: UInt64

        /// A key and its identifying values.
        public init(value: UInt128, ediversifier: UInt16 = 0, random: UInt64 = 0) {
            self.value = value
            self.ediversifier = ediversifier
            self.random = random
        }
    }

    /// The peer's identity address, or its address on air if it distributed none.
    public var identityAddress: DeviceAddress
    /// The identity resolving key of the peer; `nil` if it uses no private addresses.
    public var identityResolvingKey: UInt128?
    /// The identity address that we distributed, or our address on air.
    public var localIdentityAddress: DeviceAddress
    /// The identity resolving key that we distributed.
    public var localIdentityResolvingKey: UInt128?
    /// The key for encryption while we are the Peripheral.
    public var localLongTermKey: LongTermKey?
    /// The key for encryption while we are the Central; the same one in LE Secure Connections.
    public var peerLongTermKey: LongTermKey?
    /// The size of the long term keys in octets, 7 to 16.
    public var keySize: Int
    /// Whether the keys were made with protection against man-in-the-middle attacks.
    public var isAuthenticated: Bool
    /// Whether the keys were made with LE Secure Connections.
    public var usesSecureConnections: Bool
    /// The key with which the peer signs.
    public var signatureResolvingKey: UInt128?
    /// The key with which we sign.
    public var localSignatureResolvingKey: UInt128?

    /// A bond with these keys.
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

    /// Whether these keys protect less than those of another bond. A peer that only claims the identity of
    /// that bond must not replace it silently.
    public func isWeaker(than other: Bond) -> Bool {
        other.isAuthenticated && !isAuthenticated
            || other.usesSecureConnections && !usesSecureConnections || other.keySize > keySize
    }

    /// The protection of a link that is encrypted with these keys.
    var security: LinkSecurity {
        LinkSecurity(
            isEncrypted: true, isAuthenticated: isAuthenticated,
            usesSecureConnections: usesSecureConnections, keySize: keySize, isBonded: true)
    }
}
