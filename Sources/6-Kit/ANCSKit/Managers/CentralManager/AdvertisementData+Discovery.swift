internal import BluetoothLE

extension AdvertisementData {
    /// The contents of a discovery, for a scan that asked for `services`.
    init(_ discovery: Discovery, askedFor services: [BluetoothUUID]) {
        let data = discovery.advertisement
        self.init(
            localName: data.localName, serviceUUIDs: data.services,
            solicitedServiceUUIDs: data.solicitedServices, isConnectable: discovery.isConnectable)
        for structure in data.structures { take(structure) }
        if let overflow = data.overflowArea {
            // Services that are advertised are not listed again.
            overflowServiceUUIDs = services.filter {
                overflow.mayContain($0) && !serviceUUIDs.contains($0)
            }
        }
    }

    private mutating func take(_ structure: AdvertisingData.Structure) {
        switch structure {
        case .transmitPower(let level): txPowerLevel = Int(level)
        case .appearance(let value): appearance = value
        case .serviceData(let uuid, _, let octets): serviceData[uuid] = octets
        case .manufacturerData(let company, let octets):
            let identifier = [
                UInt8(truncatingIfNeeded: company), UInt8(truncatingIfNeeded: company >> 8),
            ]
            // The first one, because Core Bluetooth reports only one; the overflow area does not count.
            if manufacturerData == nil, OverflowArea(structure) == nil {
                manufacturerData = identifier + octets
            }
        case .flags, .services, .solicitedServices, .localName, .other: break
        }
    }
}
