internal import BluetoothLE
internal import LinuxIO

/// Who a ``BluetoothAdapter`` is on air, and its limits: what a ``Bluetooth`` says, with what suits its user.
struct AdapterConfiguration: Sendable {
    /// The Device Name: 0 to 248 octets of UTF-8.
    var name: String
    /// Where the controller is.
    var transport: TransportMoniker
    /// Where the identity, the bonds and the known peers are kept; `nil` forgets them at the end. The
    /// file is locked as long as the adapter lives.
    var store: BondStore?
    /// The Appearance: Assigned Numbers, 2.6; 0 is unknown.
    var appearance: UInt16
    /// What the user can be shown and asked.
    var pairingAbility: PairingAbility
    /// Which peers may pair.
    var pairing: PairingPolicy
    /// When centrals may pair that connect to this device.
    var pairingWindow: PairingWindow
    /// How well links have to be protected.
    var requiredProtection: RequiredProtection
    /// What to do where a peer, to which this device connected, cannot encrypt with the keys of its bond.
    var lostKeys: LostKeys
    /// Whether this device is on air with resolvable private addresses.
    var usesPrivateAddress: Bool
    /// How many links there may be at once.
    var maximumConnections: Int
    /// How many bonds are kept; another one takes the place of the one that was used longest ago.
    var maximumBonds: Int
    /// The largest ATT_MTU that is agreed to, 23 to 517 octets.
    var maximumMTU: Int
    /// Records the HCI packets.
    var capture: BtsnoopWriter?
    /// How many events of the adapter may wait for a slow reader; further ones are counted and dropped.
    var maximumPendingEvents: Int

    /// The source of its keys, addresses and identifiers; a simulation's are no secrets.
    var toolbox = OpenSSLToolbox()
    /// The test bench that the controller belongs to.
    var hooks: TestHooks?

    /// An adapter that pairs by Just Works and is on air with its identity address, unless said otherwise.
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
