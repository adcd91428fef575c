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
    var appearance: UInt16 = 0
    /// The input and output for the user.
    var pairingAbility: PairingAbility = .noInputNoOutput
    /// Which peers may pair.
    var pairing: PairingPolicy = .whenNeeded
    /// When centrals that connect to this device may pair.
    var pairingWindow: PairingWindow = .open
    /// The protection that links need.
    var requiredProtection = RequiredProtection()
    /// What to do when a peer to which this device connected cannot encrypt with the keys of its bond.
    var lostKeys: LostKeys = .refuse
    /// Whether this device uses resolvable private addresses.
    var usesPrivateAddress = false
    /// How many links there may be at once.
    var maximumConnections = 8
    /// How many bonds are kept; a new one replaces the one whose last use was longest ago.
    var maximumBonds = 64
    /// The largest ATT_MTU to negotiate, 23 to 517 octets.
    var maximumMTU = 517
    /// Records the HCI packets.
    var capture: BtsnoopWriter?
    /// Sees the HCI packets.
    var tap: PacketTap?
    /// How many events of the adapter may be queued for a slow reader; further ones are counted and dropped.
    var maximumPendingEvents = 1000

    /// How many devices are remembered that were only received while scanning.
    var maximumStrangers = 1024
    /// The source of keys, addresses and identifiers; in a simulation they are predictable.
    var toolbox = OpenSSLToolbox()
    /// The test bench that the controller belongs to.
    var hooks: TestHooks?

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
