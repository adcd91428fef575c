internal import BluetoothLE
public import LinuxIO

/// Who a ``BluetoothAdapter`` is on air, and its limits.
public struct AdapterConfiguration: Sendable {
    /// Which peers may pair, whether they are bonded already or not.
    public enum PairingPolicy: Hashable, Sendable {
        /// Every peer that needs to, as far as the user confirms what pairing itself asks.
        case whenNeeded
        /// As `whenNeeded`, and the user is asked first whether the peer may pair at all.
        case ask
        /// None; bonds stay in use.
        case never
    }

    /// What to do with a link that this device made, where the peer cannot encrypt it with the keys of its
    /// bond.
    public enum LostKeys: Hashable, Sendable {
        /// End the link and keep the bond, until the user forgets the peer: as an iPhone does.
        case refuse
        /// Pair again at once, as far as ``PairingPolicy`` allows.
        case pairAgain
    }

    /// When centrals may pair that connect to this device. While the window is closed, no central pairs,
    /// not even one with the identity of a bonded peer: whoever has that address could take the place of
    /// the bond otherwise. Core Vol 3, Part C, 9.4: bondable mode.
    public enum PairingWindow: Hashable, Sendable {
        /// Always.
        case open
        /// As long as no bonded peer has ever offered ANCS.
        case untilPhoneIsBonded
        /// Only after ``BluetoothAdapter/openPairingWindow(for:)``.
        case closed
    }

    /// The Device Name: 0 to 248 octets of UTF-8.
    public var name: String
    /// Where the controller is.
    public var transport: TransportMoniker
    /// Where the identity, the bonds and the known peers are kept; `nil` forgets them at the end. The
    /// file is locked as long as the adapter lives.
    public var store: BondStore?
    /// The Appearance: Assigned Numbers, 2.6; 0 is unknown.
    public var appearance: UInt16
    /// What the user can be shown and asked.
    public var pairingAbility: PairingAbility
    /// Which peers may pair.
    public var pairing: PairingPolicy
    /// When centrals may pair that connect to this device.
    public var pairingWindow: PairingWindow
    /// How well links have to be protected.
    public var requiredProtection: RequiredProtection
    /// What to do where a peer, to which this device connected, cannot encrypt with the keys of its bond.
    public var lostKeys: LostKeys
    /// Whether this device is on air with resolvable private addresses.
    public var usesPrivateAddress: Bool
    /// How many links there may be at once.
    public var maximumConnections: Int
    /// How many bonds are kept; another one takes the place of the one that was used longest ago.
    public var maximumBonds: Int
    /// The largest ATT_MTU that is agreed to, 23 to 517 octets.
    public var maximumMTU: Int
    /// Records the HCI packets.
    public var capture: BtsnoopWriter?
    /// How many events of the adapter may wait for a slow reader; further ones are counted and dropped.
    public var maximumPendingEvents: Int

    /// The source of its keys, addresses and identifiers; a simulation's are no secrets.
    package var toolbox = OpenSSLToolbox()

    /// An adapter that pairs by Just Works and is on air with its identity address, unless said otherwise.
    public init(
        name: String, transport: TransportMoniker, store: BondStore? = nil, appearance: UInt16 = 0,
        pairingAbility: PairingAbility = .none, pairing: PairingPolicy = .whenNeeded,
        pairingWindow: PairingWindow = .open,
        requiredProtection: RequiredProtection = RequiredProtection(),
        lostKeys: LostKeys = .refuse, usesPrivateAddress: Bool = false,
        maximumConnections: Int = 8, maximumBonds: Int = 64, maximumMTU: Int = 517,
        capture: BtsnoopWriter? = nil, maximumPendingEvents: Int = 1_000
    ) {
        self.name = name
        self.transport = transport
        self.store = store
        self.appearance = appearance
        self.pairingAbility = pairingAbility
        self.pairing = pairing
        self.pairingWindow = pairingWindow
        self.requiredProtection = requiredProtection
        self.lostKeys = lostKeys
        self.usesPrivateAddress = usesPrivateAddress
        self.maximumConnections = maximumConnections
        self.maximumBonds = maximumBonds
        self.maximumMTU = maximumMTU
        self.capture = capture
        self.maximumPendingEvents = maximumPendingEvents
    }

    /// What it means for the host.
    func host(_ state: DeviceState, isPairable: Bool) -> HostConfiguration {
        var security = SecurityConfiguration(
            ability: pairingAbility, required: requiredProtection)
        switch pairing {
        case .whenNeeded: security.pairing = .allow
        case .ask: security.pairing = .ask
        case .never: security.pairing = .never
        }
        security.rePairing = lostKeys == .pairAgain ? security.pairing : .never
        if usesPrivateAddress {
            security.localKeys.identityResolvingKey = state.identityResolvingKey
        }
        return HostConfiguration(
            deviceName: name, appearance: appearance, identityAddress: state.identityAddress,
            ownAddress: usesPrivateAddress ? .resolvablePrivate() : .identity, security: security,
            isPairable: isPairable, bearer: ATTBearer.Configuration(receiveMTU: maximumMTU),
            maximumConnections: maximumConnections, maximumBonds: maximumBonds)
    }
}
