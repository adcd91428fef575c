internal import BluetoothLE
internal import HCITransports
internal import LinuxIO
internal import OpenSSLSecurity

/// The identity and limits of a ``BluetoothAdapter``: those of a `Bluetooth`, with the defaults of its
/// user.
struct AdapterConfiguration: Sendable {
    /// The Device Name: 0 to 248 octets of UTF-8.
    var name: String
    /// The place of the controller.
    var transport: TransportMoniker
    /// Where the identity, the bonds and the known peers are stored; `nil` keeps them only in memory. The
    /// file is locked while the adapter exists.
    var store: BondStore?
    /// The Appearance: Assigned Numbers, 2.6; 0 is unknown.
    var appearance: UInt16
    /// The input and output for the user.
    var pairingAbility: PairingAbility
    /// Which peers may pair.
    var pairing: PairingPolicy
    /// When centrals that connect to this device may pair.
    var pairingWindow: PairingWindow
    /// The protection that links need.
    var requiredProtection: RequiredProtection
    /// What to do when a peer to which this device connected cannot encrypt with the keys of its bond.
    var lostKeys: LostKeys
    /// Whether this device uses resolvable private addresses.
    var usesPrivateAddress: Bool
    /// How many links there may be at once.
    var maximumConnections: Int
    /// How many bonds are kept; a new one replaces the one whose last use was longest ago.
    var maximumBonds: Int
    /// The largest ATT_MTU to negotiate, 23 to 517 octets.
    var maximumMTU: Int
    /// Records the HCI packets.
    var capture: BtsnoopWriter?
    /// How many events of the adapter may be queued for a slow reader; further ones are counted and dropped.
    var maximumPendingEvents: Int

    /// How many devices are remembered that were only received while scanning.
    var maximumStrangers = 1024
    /// The source of keys, addresses and identifiers; in a simulation they are predictable.
    var toolbox = OpenSSLToolbox()
    /// The test bench that the controller belongs to.
    var hooks: TestHooks?

    /// A configuration; by default the adapter pairs by Just Works and uses its identity address.
    init(
        name: String, transport: TransportMoniker, store: BondStore? = nil, appearance: UInt16 = 0,
        pairingAbility: PairingAbility = .noInputNoOutput, pairing: PairingPolicy = .whenNeeded,
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

    /// The configuration of the host.
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
