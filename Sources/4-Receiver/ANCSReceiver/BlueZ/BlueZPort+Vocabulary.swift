package import ANCSEvents
internal import BlueZ
internal import OpenSSLSecurity

// Conversions between the types of the BlueZ machine and those of this module.

extension BluetoothdFailure {
    /// The same, and whether a switch of the machine blocks the adapter that is off.
    package var withSwitch: BluetoothdFailure {
        guard case .off(let name, _) = self else { return self }
        return .off(adapter: name, isBlocked: RadioSwitch.all().contains { $0.blocks(name) })
    }
}

extension BlueZAccessory.Configuration {
    init(_ configuration: ConsumerConfiguration, at place: BlueZConfiguration) {
        self.init(name: configuration.name, adapter: place.adapter)
        showsNameAlways = configuration.showsNameAlways
        maximumPhones = configuration.maximumProviders
        requiresAuthentication = (place.authentication ?? .standard(with: place.ability)) != .none
        allowsTextsOnBus = place.allowsTextsOnBus
        bonds = place.bonds ?? .any
        ability = place.ability
        pairingWindow = place.window ?? .untilPhoneIsBonded
    }
}
