internal import BlueZ
// What a device advertises, as a scan reports it.
extension DeviceObject {
    /// What it advertises. bluetoothd does not keep advertising data and scan response apart, and does not say
    /// whether the device accepts connections.
    func discovery(at address: DeviceAddress) -> Discovery {
        var structures: [AdvertisingData.Structure] = []
        if !services.isEmpty { structures.append(.services(services)) }
        if !solicitedServices.isEmpty { structures.append(.solicitedServices(solicitedServices)) }
        if let name { structures.append(.name(name)) }
        if let power = advertising.transmitPower { structures.append(.transmitPower(power)) }
        if let appearance = advertising.appearance { structures.append(.appearance(appearance)) }
        let serviceData = advertising.serviceData.sorted { $0.key.rawValue < $1.key.rawValue }
        for (uuid, octets) in serviceData {
            structures.append(.serviceData(uuid, .shortest(for: [uuid]), octets))
        }
        for (company, octets) in advertising.manufacturerData.sorted(byNumber: { $0.key }) {
            structures.append(.manufacturerData(company: company, octets))
        }
        return Discovery(
            address: address, identity: isPaired ? address : nil, rssi: advertising.rssi,
            isConnectable: nil, advertisement: AdvertisingData(structures), hasScanResponse: nil)
    }

    /// The services that it solicits. Core Specification Supplement, Part A, 1.10.
    var solicitedServices: [BluetoothUUID] {
        [(type: UInt8(0x14), size: 2), (0x1F, 4), (0x15, 16)].flatMap { type, size in
            let octets = advertising.otherData[type] ?? []
            return stride(from: 0, through: octets.count - size, by: size).compactMap { start in
                try? BluetoothUUID(decoding: octets.span.extracting(start..<start + size))
            }
        }
    }
}
