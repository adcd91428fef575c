/// Who this device is, and the limits of its host.
public struct HostConfiguration: Hashable, Sendable {
    /// The Device Name of the Generic Access service: 0 to 248 octets of UTF-8. Core Vol 3, Part C, 12.1.
    public var deviceName: String
    /// The Appearance of the Generic Access service: Assigned Numbers, 2.6; 0 is unknown.
    public var appearance: UInt16
    /// The address that others know this device by: static random, or the public address of the
    /// controller. It is also the address on air.
    public var identityAddress: DeviceAddress
    /// How to pair.
    public var security: SecurityConfiguration
    /// Limits of each ATT bearer.
    public var bearer: ATTBearer.Configuration
    /// How many connections may stand at once; another one is ended at once.
    public var maximumConnections: Int
    /// How many bonds are kept; another one takes the place of the oldest.
    public var maximumBonds: Int
    /// How many commands in a row a controller may leave unanswered before it is reset.
    public var maximumUnansweredCommands: Int

    /// A device that pairs by Just Works, takes eight connections and keeps 64 bonds, unless said
    /// otherwise.
    public init(
        deviceName: String, appearance: UInt16 = 0, identityAddress: DeviceAddress,
        security: SecurityConfiguration = SecurityConfiguration(),
        bearer: ATTBearer.Configuration = ATTBearer.Configuration(), maximumConnections: Int = 8,
        maximumBonds: Int = 64, maximumUnansweredCommands: Int = 4
    ) {
        self.deviceName = deviceName
        self.appearance = appearance
        self.identityAddress = identityAddress
        self.security = security
        self.bearer = bearer
        self.maximumConnections = maximumConnections
        self.maximumBonds = maximumBonds
        self.maximumUnansweredCommands = maximumUnansweredCommands
    }
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
