/// How a device pairs: what it supports, requires and allows.
public struct SecurityConfiguration: Equatable, Sendable {
    /// What to do when a peer asks to pair.
    public enum Consent: Equatable, Sendable {
        /// Pair.
        case allow
        /// Ask the user first.
        case ask
        /// Refuse.
        case never
    }

    /// Which keys need protection against man-in-the-middle attacks.
    public enum RequiredAuthentication: Equatable, Sendable {
        /// None: Just Works is accepted.
        case none
        /// The keys of a new pairing. Existing bonds remain valid.
        case inPairing
        /// The keys of a new pairing, and those of a bond.
        case always
    }

    /// The source of the passkey that this device displays.
    public enum PasskeySource: Equatable, Sendable {
        /// A new random one each time, as the specification requires.
        case random
        /// A fixed one, printed on the device; every device that has paired once knows it.
        case fixed(UInt32)
        /// One that the owner chooses each time.
        case chosenByOwner
    }

    /// The keys that we distribute to a bonded peer. Missing ones are generated when needed.
    public struct LocalKeys: Equatable, Sendable {
        /// Our identity address, public or static random; `nil` if it is the one on air.
        public var identityAddress: DeviceAddress?
        /// The identity resolving key of our private addresses; 0 if we use none.
        public var identityResolvingKey: UInt128
        /// The long term key of LE legacy pairing.
        public var longTermKey: UInt128?
        /// EDIV of the long term key.
        public var ediversifier: UInt16?
        /// Rand of the long term key.
        public var random: UInt64?
        /// The key with which we sign.
        public var signatureResolvingKey: UInt128?

        /// Keys to distribute.
        public init(
            identityAddress: DeviceAddress? = nil, identityResolvingKey: UInt128 = 0,
            longTermKey: UInt128? = nil, ediversifier: UInt16? = nil, random: UInt64? = nil,
            signatureResolvingKey: UInt128? = nil
        ) {
            self.identityAddress = identityAddress
            self.identityResolvingKey = identityResolvingKey
            self.longTermKey = longTermKey
            self.ediversifier = ediversifier
            self.random = random
            self.signatureResolvingKey = signatureResolvingKey
        }
    }

    /// Our input and output.
    public var ioCapability = IOCapability.noInputNoOutput
    /// What we require of pairing.
    public var authentication: AuthenticationRequirements = [.bonding, .secureConnections]
    /// The shortest key that we accept, for pairing and for a bond, in octets: 7 to 16. Core Vol 3, Part H,
    /// 2.3.4.
    public var minimumKeySize = 7
    /// The longest key that we support, in octets: 7 to 16.
    public var maximumKeySize = 16
    /// The keys that the initiator may distribute.
    public var initiatorKeys: KeyDistribution = [.encryptionKey, .identityKey]
    /// The keys that the responder may distribute.
    public var responderKeys: KeyDistribution = [.encryptionKey, .identityKey]
    /// Our own keys.
    public var localKeys = LocalKeys()
    /// Whether we announce that we have out-of-band data of the peer.
    public var announcesOutOfBandData = false
    /// The temporary key of LE legacy pairing, transferred out of band.
    public var outOfBandKey: UInt128?
    /// The source of the passkey that this device displays.
    public var passkeySource = PasskeySource.random
    /// What to do when a peer without a bond asks to pair, or one that has encrypted this link with its bond.
    public var pairing = Consent.allow
    /// What to do when a peer asks to pair whose identity is bonded, but which has not encrypted this link
    /// with the keys of that bond: it lost them, or it is another device that claims the identity.
    public var rePairing = Consent.never
    /// Whether pairing again may result in a bond that protects less than the one before.
    public var allowsWeakerBond = false
    /// Which keys made without protection against man-in-the-middle attacks are refused.
    public var requiredAuthentication = RequiredAuthentication.none
    /// Whether to refuse LE legacy pairing and its keys: *Secure Connections Only Mode*. Core Vol 3, Part C,
    /// 10.2.4.
    public var requiresSecureConnections = false
    /// Whether a peer may use the well-known debug key pair. Core Vol 3, Part H, 2.3.5.6.1.
    public var acceptsDebugKeys = false
    /// Whether we use the well-known debug key pair, so that a sniffer can decrypt the link.
    public var usesDebugKeys = false

    /// Just Works with bonding, and LE Secure Connections if the peer supports it.
    public init() {}
}
