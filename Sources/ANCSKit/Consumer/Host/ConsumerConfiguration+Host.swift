internal import ANCS
internal import BluetoothLE
internal import LinuxIO
internal import Octets

// The configuration for our own host.
extension ConsumerConfiguration {
    /// The advertisement of an accessory that uses ANCS (S30): flags, the solicitation, and as much of the name as
    /// fits beside them, which every phone receives. More of a longer name is in the scan response, which iOS
    /// often does not request. While phones may pair, ``Face`` may change it.
    func advertisement() throws(DeviceError) -> AdvertisementData {
        try checkName()
        return AdvertisementData(localName: name, solicitedServiceUUIDs: [.ancs])
    }

    /// The configuration of an exclusive adapter. It has room for a phone beside other devices, which may
    /// turn out not to be phones.
    func adapter(at controller: HCIConfiguration) -> AdapterConfiguration {
        var adapter = AdapterConfiguration(controller, name: name)
        adapter.maximumConnections = max(adapter.maximumConnections, maximumProviders)
        let authentication = adapter.requiredProtection.authentication
        adapter.requiredProtection.authentication =
            authentication ?? .standard(with: adapter.pairingAbility)
        return adapter
    }
}

extension ConsumerConfiguration.Face {
    /// The service that is in the first packet beside the name; `nil` for the solicitation in its place.
    var leadingService: BluetoothUUID? {
        switch self {
        case .solicitation: nil
        case .heartRate: BluetoothUUID(UInt16(0x180D))
        }
    }
}
