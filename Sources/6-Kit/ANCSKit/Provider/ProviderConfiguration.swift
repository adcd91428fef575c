public import ANCSProvider

/// The identity and behavior of a ``NotificationProvider``.
public struct ProviderConfiguration: Sendable {
    /// When the phone pairs with an accessory that is not bonded.
    public enum Pairing: Equatable, Sendable {
        /// When the accessory requests security, or accesses something protected, as an iPhone does.
        case whenNeeded
        /// As soon as it is connected.
        case onConnection
        /// Never.
        case never
    }

    /// The name of the phone: 1 to 248 octets of UTF-8.
    public var name: String
    /// The accessories that the phone connects to, by advertised name or by address (`F0:F1:F2:F3:F4:F5`,
    /// upper or lower case); empty for all that solicit ANCS or are bonded.
    public var allowedAccessories: [String]
    /// How many accessories may be connected at once; further ones wait until one disconnects.
    public var maximumAccessories: Int
    /// When to pair.
    public var pairing: Pairing
    /// Whether the user agrees to *Share System Notifications* when an accessory pairs (S1);
    /// ``NotificationProvider/setConsent(_:for:)`` changes it later.
    public var grantsConsent: Bool
    /// The largest ATT_MTU to negotiate, 23 to 517 octets.
    public var maximumMTU: Int
    /// How the phone behaves where the specification leaves room, or where real ones deviate from it.
    public var behavior: ProviderBehavior
    /// The local time of the machine, for the Current Time service and for calls; the phone's clock follows
    /// it until ``NotificationProvider/adjustClock(_:)``.
    public var localTime: @Sendable () -> NotificationDate
    /// The time zone of ``localTime``.
    public var timeZone = PhoneTimeZone.machine
    /// How many events may be queued for a slow reader; further ones are counted and dropped.
    public var maximumPendingEvents: Int

    /// Whether the phone offers the Apple Media Service from the start.
    /// ``NotificationProvider/setMediaService(_:announcing:)`` changes it later.
    public var offersMedia = false

    /// Whether the phone examines links: it connects to any accessory of ``allowedAccessories``, whether it asks
    /// for ANCS or not, and before that measures its advertising, for up to 45 s.
    package var examinesLinks = false

    /// How long an advertiser is listened to before the phone connects, if its interval is wanted.
    package static let longestMeasurement = Duration.seconds(45)

    /// A configuration; by default a phone that behaves like an iPhone.
    public init(
        name: String = "iPhone", allowedAccessories: [String] = [], maximumAccessories: Int = 16,
        pairing: Pairing = .whenNeeded, grantsConsent: Bool = true, maximumMTU: Int = 517,
        behavior: ProviderBehavior = ProviderBehavior(),
        localTime: @escaping @Sendable () -> NotificationDate = { .now },
        maximumPendingEvents: Int = 20_000
    ) {
        (self.name, self.allowedAccessories) = (name, allowedAccessories)
        (self.maximumAccessories, self.pairing) = (maximumAccessories, pairing)
        (self.grantsConsent, self.maximumMTU, self.behavior) = (grantsConsent, maximumMTU, behavior)
        (self.localTime, self.maximumPendingEvents) = (localTime, maximumPendingEvents)
    }
}

extension ProviderConfiguration {
    /// The configuration of the phone's own adapter.
    func adapter(at controller: HCIConfiguration) -> AdapterConfiguration {
        var controller = controller
        controller.pairing.ability = controller.pairing.ability ?? .keyboardDisplay
        if pairing == .never { controller.pairing.policy = .never }
        controller.usesPrivateAddress = controller.usesPrivateAddress ?? true
        controller.maximumConnections = controller.maximumConnections ?? maximumAccessories
        controller.maximumBonds = controller.maximumBonds ?? max(64, 2 * maximumAccessories)
        controller.maximumMTU = min(controller.maximumMTU, maximumMTU)
        // Assigned Numbers, 2.6: 0x0040 is a generic phone. Nobody can read the events of the phone's own adapter.
        return AdapterConfiguration(
            name: name, controller: controller, appearance: 0x0040, maximumPendingEvents: 0,
            maximumStrangers: finder.maximumCandidates)
    }

    /// Connected accessories are remembered in addition to those that advertise.
    var finder: AccessoryFinder.Configuration {
        AccessoryFinder.Configuration(
            allowed: allowedAccessories, acceptsAll: examinesLinks || !allowedAccessories.isEmpty,
            maximumLinks: maximumAccessories, maximumCandidates: maximumAccessories + 64)
    }
}
