/// What a device offers, wants and allows when it pairs.
public struct SecurityConfiguration: Hashable, Sendable {
    /// What happens when a peer asks to pair.
    public enum Consent: Hashable, Sendable {
        /// It may.
        case allow
        /// The user is asked, before anything is answered.
        case ask
        /// It may not.
        case never
    }

    /// Where the passkey comes from that is shown here.
    public enum PasskeySource: Hashable, Sendable {
        /// A new one each time, as the specification wants it.
        case random
        /// Printed on the device; anybody who pairs once knows it.
        case fixed(UInt32)
        /// The owner is asked for it.
        case chosenByOwner
    }

    /// The keys that we give to a bonded peer. Those that are missing are made when needed.
    public struct LocalKeys: Hashable, Sendable {
        /// Our identity address, where it differs from the one on air: public or static random.
        public var identityAddress: DeviceAddress?
        /// The key that our private addresses are made with; 0 where we use none.
        public var identityResolvingKey: UInt128
        /// The long term key of LE legacy pairing.
        public var longTermKey: UInt128?
        /// EDIV of the long term key.
        public var ediversifier: UInt16?
        /// Rand of the long term key.
        public var random: UInt64?
        /// The key that we sign with.
        public var signatureResolvingKey: UInt128?

        /// Keys.
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

    /// What we can show and read in.
    public var ioCapability = IOCapability.noInputNoOutput
    /// What we ask for.
    public var authentication: AuthenticationRequirements = [.bonding, .secureConnections]
    /// The shortest key that we accept, in pairing and of a bond, in octets: 7 to 16. Core Vol 3, Part H,
    /// 2.3.4.
    public var minimumKeySize = 7
    /// The longest key that we can use, in octets: 7 to 16.
    public var maximumKeySize = 16
    /// The keys that the initiator may distribute.
    public var initiatorKeys: KeyDistribution = [.encryptionKey, .identityKey]
    /// The keys that the responder may distribute.
    public var responderKeys: KeyDistribution = [.encryptionKey, .identityKey]
    /// Our own keys.
    public var localKeys = LocalKeys()
    /// We say that we hold out-of-band data of the peer.
    public var announcesOutOfBandData = false
    /// The temporary key of LE legacy pairing that came out of band.
    public var outOfBandKey: UInt128?
    /// Where the passkey comes from that is shown here.
    public var passkeySource = PasskeySource.random
    /// What happens when a peer asks to pair that has no bond with us, or has encrypted this link with it.
    public var pairing = Consent.allow
    /// What happens when a peer asks to pair whose identity is bonded, and which has not encrypted this
    /// link with the keys of that bond: it lost them, or it is another device that claims the identity.
    public var rePairing = Consent.never
    /// Pairing again may result in a bond that protects less than the one before.
    public var allowsWeakerBond = false
    /// Keys that were made without protection against a man in the middle are refused, in pairing and of
    /// a bond.
    public var requiresAuthentication = false
    /// LE legacy pairing and its keys are refused: *Secure Connections Only Mode*. Core Vol 3, Part C,
    /// 10.2.4.
    public var requiresSecureConnections = false
    /// A peer may use the key pair that everybody knows. Core Vol 3, Part H, 2.3.5.6.1.
    public var acceptsDebugKeys = false
    /// We use the key pair that everybody knows, so that a link can be followed.
    public var usesDebugKeys = false

    /// Just Works with bonding, LE Secure Connections where the peer has it.
    public init() {}
}
