public import ANCS
public import LinuxIO

/// What a ``NotificationProvider`` is and does by itself.
public struct ProviderConfiguration: Sendable {
    /// When the phone pairs with an accessory that it has no bond with.
    public enum Pairing: Hashable, Sendable {
        /// When the accessory asks for security, or touches something protected: as an iPhone does.
        case whenNeeded
        /// As soon as it is connected.
        case onConnection
        /// Not at all.
        case never
    }

    /// What becomes of a bond whose keys the accessory has lost.
    public typealias LostKeys = AdapterConfiguration.LostKeys

    /// The name of the phone: 1 to 248 octets of UTF-8.
    public var name: String
    /// Where the controller is.
    public var transport: TransportMoniker
    /// Where the phone's identity and its bonds are kept; `nil` forgets them at the end.
    public var store: BondStore?
    /// The accessories that the phone connects to, by the name that they advertise or by an address,
    /// `F0:F1:F2:F3:F4:F5` in either case; empty for every one that solicits ANCS, or is bonded.
    public var allowedAccessories: [String]
    /// How many accessories are connected at once; further ones wait until one leaves.
    public var maximumAccessories: Int
    /// What the user can be shown and asked.
    public var pairingAbility: PairingAbility
    /// When to pair.
    public var pairing: Pairing
    /// How well links have to be protected.
    public var requiredProtection = RequiredProtection()
    /// What to do where an accessory has lost the keys of its bond.
    public var lostKeys: LostKeys
    /// Whether the user agrees to *Share System Notifications* when an accessory pairs (S1);
    /// ``NotificationProvider/setConsent(_:for:)`` changes it later.
    public var grantsConsent: Bool
    /// Whether the phone is on air with resolvable private addresses, as an iPhone is.
    public var usesPrivateAddress: Bool
    /// The largest ATT_MTU that the phone agrees to, 23 to 517 octets.
    public var maximumMTU: Int
    /// How the phone behaves where the specification leaves a choice, or where phones err.
    public var behavior: ProviderBehavior
    /// The time of the phone in its own time zone, for the Current Time service and for calls.
    public var localTime: @Sendable () -> NotificationDate
    /// Records the HCI packets.
    public var capture: BtsnoopWriter?
    /// How many events may wait for a slow reader; further ones are counted and dropped.
    public var maximumPendingEvents: Int

    /// The source of its keys and addresses; a simulation's are no secrets.
    package var toolbox = OpenSSLToolbox()

    /// A phone that behaves as an iPhone does, unless said otherwise.
    public init(
        name: String = "iPhone", transport: TransportMoniker, store: BondStore? = nil,
        allowedAccessories: [String] = [], maximumAccessories: Int = 16,
        pairingAbility: PairingAbility = .keyboardDisplay, pairing: Pairing = .whenNeeded,
        lostKeys: LostKeys = .refuse, grantsConsent: Bool = true, usesPrivateAddress: Bool = true,
        maximumMTU: Int = 517, behavior: ProviderBehavior = ProviderBehavior(),
        localTime: @escaping @Sendable () -> NotificationDate = { .now },
        capture: BtsnoopWriter? = nil, maximumPendingEvents: Int = 20_000
    ) {
        self.name = name
        self.transport = transport
        self.store = store
        self.allowedAccessories = allowedAccessories
        self.maximumAccessories = maximumAccessories
        self.pairingAbility = pairingAbility
        self.pairing = pairing
        self.lostKeys = lostKeys
        self.grantsConsent = grantsConsent
        self.usesPrivateAddress = usesPrivateAddress
        self.maximumMTU = maximumMTU
        self.behavior = behavior
        self.localTime = localTime
        self.capture = capture
        self.maximumPendingEvents = maximumPendingEvents
    }
}

extension ProviderConfiguration {
    /// The adapter of a phone that has one of its own.
    var adapter: AdapterConfiguration {
        var adapter = AdapterConfiguration(
            // Assigned Numbers, 2.6: 0x0040 is a generic phone.
            name: name, transport: transport, store: store, appearance: 0x0040,
            pairingAbility: pairingAbility, pairing: pairing == .never ? .never : .whenNeeded,
            lostKeys: lostKeys, usesPrivateAddress: usesPrivateAddress,
            maximumConnections: maximumAccessories, maximumBonds: max(64, 2 * maximumAccessories),
            maximumMTU: maximumMTU, capture: capture)
        adapter.requiredProtection = requiredProtection
        adapter.toolbox = toolbox
        return adapter
    }

    /// Who is connected is remembered beside those who are on air.
    var finder: AccessoryFinder.Configuration {
        AccessoryFinder.Configuration(
            allowed: allowedAccessories, maximumLinks: maximumAccessories,
            maximumCandidates: maximumAccessories + 64)
    }
}
