public import ANCS

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

    /// The name of the phone: 1 to 248 octets of UTF-8.
    public var name: String
    /// The accessories that the phone connects to, by the name that they advertise or by an address,
    /// `F0:F1:F2:F3:F4:F5` in either case; empty for every one that solicits ANCS, or is bonded.
    public var allowedAccessories: [String]
    /// How many accessories are connected at once; further ones wait until one leaves.
    public var maximumAccessories: Int
    /// When to pair.
    public var pairing: Pairing
    /// Whether the user agrees to *Share System Notifications* when an accessory pairs (S1);
    /// ``NotificationProvider/setConsent(_:for:)`` changes it later.
    public var grantsConsent: Bool
    /// The largest ATT_MTU that the phone agrees to, 23 to 517 octets.
    public var maximumMTU: Int
    /// How the phone behaves where the specification leaves a choice, or where phones err.
    public var behavior: ProviderBehavior
    /// What the clock of the machine shows, for the Current Time service and for calls: the phone's goes with
    /// it until ``NotificationProvider/adjustClock(_:)``.
    public var localTime: @Sendable () -> NotificationDate
    /// The zone of that time.
    public var timeZone = PhoneTimeZone.machine
    /// How many events may wait for a slow reader; further ones are counted and dropped.
    public var maximumPendingEvents: Int

    /// A phone that behaves as an iPhone does, unless said otherwise.
    public init(
        name: String = "iPhone", allowedAccessories: [String] = [], maximumAccessories: Int = 16,
        pairing: Pairing = .whenNeeded, grantsConsent: Bool = true, maximumMTU: Int = 517,
        behavior: ProviderBehavior = ProviderBehavior(),
        localTime: @escaping @Sendable () -> NotificationDate = { .now },
        maximumPendingEvents: Int = 20_000
    ) {
        self.name = name
        self.allowedAccessories = allowedAccessories
        self.maximumAccessories = maximumAccessories
        self.pairing = pairing
        self.grantsConsent = grantsConsent
        self.maximumMTU = maximumMTU
        self.behavior = behavior
        self.localTime = localTime
        self.maximumPendingEvents = maximumPendingEvents
    }
}

extension ProviderConfiguration {
    /// The adapter of a phone that has one of its own.
    func adapter(at controller: HCIConfiguration) -> AdapterConfiguration {
        // Assigned Numbers, 2.6: 0x0040 is a generic phone.
        var adapter = AdapterConfiguration(controller, name: name, appearance: 0x0040)
        adapter.pairingAbility = controller.pairing.ability ?? .keyboardDisplay
        if pairing == .never { adapter.pairing = .never }
        adapter.usesPrivateAddress = controller.usesPrivateAddress ?? true
        adapter.maximumConnections = controller.maximumConnections ?? maximumAccessories
        adapter.maximumBonds = controller.maximumBonds ?? max(64, 2 * maximumAccessories)
        adapter.maximumMTU = min(controller.maximumMTU, maximumMTU)
        return adapter
    }

    /// Who is connected is remembered beside those who are on air.
    var finder: AccessoryFinder.Configuration {
        AccessoryFinder.Configuration(
            allowed: allowedAccessories, maximumLinks: maximumAccessories,
            maximumCandidates: maximumAccessories + 64)
    }
}
