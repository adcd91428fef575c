internal import ANCS
internal import BluetoothLE
internal import LinuxIO
internal import Octets

// What the configuration means for our own host.
extension ConsumerConfiguration {
    /// The advertisement of an accessory that wants ANCS (S30): flags and the solicitation, which
    /// every phone hears, and the name beside them where it fits: iOS often does not ask for the scan
    /// response, which takes longer names.
    func advertisement() throws(DeviceError) -> AdvertisementData {
        try checkName()
        return AdvertisementData(localName: name, solicitedServiceUUIDs: [.ancs])
    }

    /// An adapter of its own. A phone has to get in while others are there that may turn out to be none.
    func adapter(at controller: HCIConfiguration) -> AdapterConfiguration {
        var adapter = AdapterConfiguration(controller, name: name)
        adapter.maximumConnections = max(adapter.maximumConnections, maximumProviders)
        return adapter
    }
}
