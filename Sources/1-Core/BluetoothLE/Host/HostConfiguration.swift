/// The identity of this device, and the limits of its host.
public struct HostConfiguration: Equatable, Sendable {
    /// The Device Name of the Generic Access service: 0 to 248 octets of UTF-8. Core Vol 3, Part C, 12.1.
    public var deviceName: String
    /// The Appearance of the Generic Access service: Assigned Numbers, 2.6; 0 is unknown.
    public var appearance: UInt16
    /// The identity address of this device: static random, or the public address of the controller.
    public var identityAddress: DeviceAddress
    /// The kind of address on air.
    public var ownAddress: OwnAddressPolicy
    /// How to pair. ``SecurityConfiguration/rePairing`` applies to links that this device established.
    public var security: SecurityConfiguration
    /// Whether Centrals that connect to this device may pair initially, within the limits of
    /// ``SecurityConfiguration/pairing``; ``Host/setPairable(_:)`` changes it. Core Vol 3, Part C, 9.4.2 and
    /// 9.4.3.
    public var isPairable: Bool
    /// Limits of each ATT bearer.
    public var bearer: ATTBearer.Configuration
    /// How many octets may be queued on a link before it has no room for more values: enough to keep a
    /// controller busy, few enough that responses are not delayed.
    public var roomThreshold: Int
    /// How many links may exist at once; a further one is ended immediately.
    public var maximumConnections: Int
    /// How many bonds are kept; a new one replaces the one whose last use was longest ago.
    public var maximumBonds: Int
    /// How many commands in a row a controller may leave unanswered before it is reset.
    public var maximumUnansweredCommands: Int
    /// As Central, how to answer a Peripheral that requests connection parameters; `nil` asks the owner, by
    /// ``HostOutput/LinkEvent/parametersRequested(_:)``. ``Host/setParameterAnswer(_:)`` changes it.
    public var parameterAnswer: ParameterAnswer? = .accept

    /// A configuration; by default the device uses its identity address, pairs by Just Works, accepts eight
    /// links and keeps 64 bonds.
    public init(
        deviceName: String, appearance: UInt16 = 0, identityAddress: DeviceAddress,
        ownAddress: OwnAddressPolicy = .identity,
        security: SecurityConfiguration = SecurityConfiguration(), isPairable: Bool = true,
        bearer: ATTBearer.Configuration = ATTBearer.Configuration(), roomThreshold: Int = 4096,
        maximumConnections: Int = 8, maximumBonds: Int = 64, maximumUnansweredCommands: Int = 4
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

/// How a Central answers a Peripheral that requests connection parameters. Core Vol 3, Part A, 4.20 and 4.21.
public enum ParameterAnswer: Equatable, Sendable {
    /// It accepts valid parameters and applies them.
    case accept
    /// It refuses all.
    case refuse
    /// It accepts them and never applies them.
    case acceptOnly
    /// It does not answer. The link layer's own request is refused instead, because one without an answer
    /// ends the link.
    case ignore
}

/// The kind of address with which a device advertises, scans and connects. Core Vol 3, Part C, 10.7.
public enum OwnAddressPolicy: Equatable, Sendable {
    /// The identity address.
    case identity
    /// A resolvable private address, replaced at this interval (at least ``minimumInterval``).
    ///
    /// It is generated with ``SecurityConfiguration/LocalKeys/identityResolvingKey``; if that is 0, with the
    /// key that was distributed to the bonded peers or, without any, with a new one, which is then in
    /// ``Host/configuration``.
    case resolvablePrivate(interval: Duration = PrivateAddress.recommendedInterval)

    /// The shortest interval that controllers accept: 1 s. Core Vol 4, Part E, 7.8.45.
    public static let minimumInterval = Duration.seconds(1)
}

/// What the host stores about a bonded peer: save it whenever it changes, and pass it to the next host.
public struct BondRecord: Equatable, Sendable {
    /// The keys and the identity.
    public var bond: Bond
    /// What the peer has configured at our server. Core Vol 3, Part G, 2.5.2 and 3.3.3.3.
    public var clientConfiguration: ClientConfiguration
    /// The services of the peer as last discovered, with the hash that validates them.
    public var remoteDatabase: RemoteDatabase?

    /// A record; by default without a configuration and without services.
    public init(
        bond: Bond, clientConfiguration: ClientConfiguration = ClientConfiguration(),
        remoteDatabase: RemoteDatabase? = nil
    ) {
        self.bond = bond
        self.clientConfiguration = clientConfiguration
        self.remoteDatabase = remoteDatabase
    }
}

extension [BondRecord] {
    /// The index of the record of the device with this identity address.
    func index(of identity: DeviceAddress?) -> Int? {
        firstIndex { $0.bond.identityAddress == identity }
    }

    /// The record of the device with this identity address.
    func record(of identity: DeviceAddress?) -> BondRecord? { index(of: identity).map { self[$0] } }
}

extension HostConfiguration {
    /// How to pair on a link. A Central has chosen its peer, so a bonded peer that lost its keys is treated
    /// separately. Any device in range can connect to a Peripheral: it pairs while it is pairable, whether
    /// the peer is bonded or not, and otherwise not at all.
    func security(as role: SecurityManager.Role) -> SecurityConfiguration {
        var security = security
        if role == .responder {
            if !isPairable { security.pairing = .never }
            security.rePairing = security.pairing
        }
        return security
    }

    /// The address to start with. Makes the keys that are distributed in pairing match it: a device with a
    /// private address has to distribute its identity (Core Vol 3, Part H, 2.4.2.1).
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
