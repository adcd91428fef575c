/// Who this device is, and the limits of its host.
public struct HostConfiguration: Hashable, Sendable {
    /// The Device Name of the Generic Access service: 0 to 248 octets of UTF-8. Core Vol 3, Part C, 12.1.
    public var deviceName: String
    /// The Appearance of the Generic Access service: Assigned Numbers, 2.6; 0 is unknown.
    public var appearance: UInt16
    /// The address that others know this device by: static random, or the public address of the
    /// controller.
    public var identityAddress: DeviceAddress
    /// Which address is on air.
    public var ownAddress: OwnAddressPolicy
    /// How to pair. ``SecurityConfiguration/rePairing`` is for links that this device made.
    public var security: SecurityConfiguration
    /// Whether Centrals that connect to this device may pair at the start, as far as
    /// ``SecurityConfiguration/pairing`` allows; ``Host/setPairable(_:)`` changes it. Core Vol 3, Part C,
    /// 9.4.2 and 9.4.3.
    public var isPairable: Bool
    /// Limits of each ATT bearer.
    public var bearer: ATTBearer.Configuration
    /// How many octets may wait on a link before it has no room for more values: enough to keep a
    /// controller busy, little enough that answers to the peer do not wait long.
    public var roomThreshold: Int
    /// How many connections may stand at once; another one is ended at once.
    public var maximumConnections: Int
    /// How many bonds are kept; another one takes the place of the one that was used longest ago.
    public var maximumBonds: Int
    /// How many commands in a row a controller may leave unanswered before it is reset.
    public var maximumUnansweredCommands: Int

    /// A device that is on air with its identity address, pairs by Just Works, takes eight connections
    /// and keeps 64 bonds, unless said otherwise.
    public init(
        deviceName: String, appearance: UInt16 = 0, identityAddress: DeviceAddress,
        ownAddress: OwnAddressPolicy = .identity,
        security: SecurityConfiguration = SecurityConfiguration(), isPairable: Bool = true,
        bearer: ATTBearer.Configuration = ATTBearer.Configuration(),
        roomThreshold: Int = 4096, maximumConnections: Int = 8, maximumBonds: Int = 64,
        maximumUnansweredCommands: Int = 4
    ) {
        self.deviceName = deviceName
        self.appearance = appearance
        self.identityAddress = identityAddress
        self.ownAddress = ownAddress
        self.security = security
        self.isPairable = isPairable
        self.bearer = bearer
        self.roomThreshold = roomThreshold
        self.maximumConnections = maximumConnections
        self.maximumBonds = maximumBonds
        self.maximumUnansweredCommands = maximumUnansweredCommands
    }
}

/// Under which address a device advertises, scans and connects. Core Vol 3, Part C, 10.7.
public enum OwnAddressPolicy: Hashable, Sendable {
    /// Under its identity address.
    case identity
    /// Under a resolvable private address, which changes after the interval. It is made with
    /// ``SecurityConfiguration/LocalKeys/identityResolvingKey``; where that is 0, with the one that the
    /// bonded peers were given, or a new one, which is then in ``Host/configuration``.
    /// An interval below ``minimumInterval`` is that.
    case resolvablePrivate(interval: Duration = PrivateAddress.recommendedInterval)

    /// The shortest interval that a controller would take: 1 s. Core Vol 4, Part E, 7.8.45.
    public static let minimumInterval = Duration.seconds(1)
}

/// What the host keeps about a bonded peer, to be stored when it changes and given back at the start.
public struct BondRecord: Hashable, Sendable {
    /// The keys and the identity.
    public var bond: Bond
    /// What the peer has configured at our server. Core Vol 3, Part G, 2.5.2 and 3.3.3.3.
    public var clientConfiguration: ClientConfiguration
    /// The services of the peer as they were last discovered, with the hash that proves them.
    public var remoteDatabase: RemoteDatabase?

    /// A record; a new bond has configured nothing and is not discovered.
    public init(
        bond: Bond, clientConfiguration: ClientConfiguration = ClientConfiguration(),
        remoteDatabase: RemoteDatabase? = nil
    ) {
        self.bond = bond
        self.clientConfiguration = clientConfiguration
        self.remoteDatabase = remoteDatabase
    }
}

extension HostConfiguration {
    /// How to pair on a link. A Central chose whom it connects to, so a bonded peer that lost its keys is a
    /// question of its own. A Peripheral is chosen by anybody in range: it pairs while it is pairable, be
    /// the peer bonded or not, and not at all otherwise.
    func security(as role: SecurityManager.Role) -> SecurityConfiguration {
        var security = security
        if role == .responder {
            if !isPairable { security.pairing = .never }
            security.rePairing = security.pairing
        }
        return security
    }

    /// The address to begin with. Makes the keys that are distributed in pairing fit to it: whoever is
    /// on air with a private address tells its peers whose it is (Core Vol 3, Part H, 2.4.2.1).
    mutating func takeOwnAddress(
        bonds: [BondRecord], toolbox: inout some SecurityToolbox
    ) -> OwnAddress {
        if security.localKeys.identityAddress == nil {
            security.localKeys.identityAddress = identityAddress
        }
        switch ownAddress {
        case .identity: return OwnAddress(identityAddress, interval: nil)
        case .resolvablePrivate(let wanted):
            let interval = max(wanted, OwnAddressPolicy.minimumInterval)
            if security.localKeys.identityResolvingKey == 0 {
                let known = bonds.last { $0.bond.localIdentityResolvingKey ?? 0 != 0 }
                security.localKeys.identityResolvingKey =
                    known?.bond.localIdentityResolvingKey ?? toolbox.random128()
            }
            let address = PrivateAddress.makeResolvable(
                irk: security.localKeys.identityResolvingKey, using: &toolbox)
            return OwnAddress(address, interval: interval)
        }
    }
}
