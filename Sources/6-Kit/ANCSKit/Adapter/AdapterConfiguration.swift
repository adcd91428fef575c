internal import BluetoothLE

/// The identity and limits of a ``BluetoothAdapter``: a controller with its options, and the defaults of a device
/// without a screen.
struct AdapterConfiguration: Sendable {
    /// The Device Name: 0 to 248 octets of UTF-8.
    var name: String
    /// The controller.
    var controller: HCIConfiguration
    /// The Appearance: Assigned Numbers, 2.6; 0 is unknown.
    var appearance: UInt16 = 0
    /// How many events of the adapter may be queued for a slow reader; further ones are counted and dropped.
    var maximumPendingEvents = 1000
    /// How many devices are remembered that were only received while scanning.
    var maximumStrangers = 1024

    /// The input and output for the user.
    var pairingAbility: PairingAbility { controller.pairing.ability ?? .noInputNoOutput }
    /// Whether this device uses resolvable private addresses.
    var usesPrivateAddress: Bool { controller.usesPrivateAddress ?? false }
    /// How many links there may be at once.
    var maximumConnections: Int { controller.maximumConnections ?? 8 }

    /// The configuration of the host.
    func host(_ state: DeviceState, isPairable: Bool) -> HostConfiguration {
        var security = SecurityConfiguration(
            ability: pairingAbility, required: controller.pairing.requiredProtection)
        switch controller.pairing.policy {
        case .whenNeeded: security.pairing = .allow
        case .ask: security.pairing = .ask
        case .never: security.pairing = .never
        }
        security.rePairing = controller.pairing.lostKeys == .pairAgain ? security.pairing : .never
        if usesPrivateAddress {
            security.localKeys.identityResolvingKey = state.identityResolvingKey
        }
        return HostConfiguration(
            deviceName: name, appearance: appearance, identityAddress: state.identityAddress,
            ownAddress: usesPrivateAddress ? .resolvablePrivate() : .identity, security: security,
            isPairable: isPairable,
            bearer: ATTBearer.Configuration(receiveMTU: controller.maximumMTU),
            maximumConnections: maximumConnections, maximumBonds: controller.maximumBonds ?? 64)
    }
}
