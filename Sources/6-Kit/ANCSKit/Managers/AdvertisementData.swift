/// The contents of an advertisement: the dictionary that Core Bluetooth passes to
/// `centralManager(_:didDiscover:advertisementData:rssi:)` and accepts in `startAdvertising(_:)`. A missing
/// key is `nil` here, or empty.
public struct AdvertisementData: Equatable, Sendable {
    /// The name of the device, possibly shortened. (`CBAdvertisementDataLocalNameKey`)
    public var localName: String?
    /// The services that it advertises. (`CBAdvertisementDataServiceUUIDsKey`)
    public var serviceUUIDs: [BluetoothUUID]
    /// Those services of the scan that the overflow area may contain: a hint, because it holds a hash filter
    /// instead of UUIDs. (`CBAdvertisementDataOverflowServiceUUIDsKey`)
    public var overflowServiceUUIDs: [BluetoothUUID]
    /// The services that it solicits. (`CBAdvertisementDataSolicitedServiceUUIDsKey`)
    public var solicitedServiceUUIDs: [BluetoothUUID]
    /// The manufacturer data, starting with the two octets of the company identifier, least significant
    /// first. (`CBAdvertisementDataManufacturerDataKey`)
    public var manufacturerData: [UInt8]?
    /// Data by service. (`CBAdvertisementDataServiceDataKey`)
    public var serviceData: [BluetoothUUID: [UInt8]]
    /// The advertised transmit power, in dBm. (`CBAdvertisementDataTxPowerLevelKey`)
    public var txPowerLevel: Int?
    /// Whether it accepts connections; `nil` at bluetoothd, which does not tell it.
    /// (`CBAdvertisementDataIsConnectable`)
    public var isConnectable: Bool?
    /// The appearance: Assigned Numbers, 2.6. Not in Core Bluetooth.
    public var appearance: UInt16?

    /// The contents of an advertisement; by default empty.
    public init(
        localName: String? = nil, serviceUUIDs: [BluetoothUUID] = [],
        overflowServiceUUIDs: [BluetoothUUID] = [], solicitedServiceUUIDs: [BluetoothUUID] = [],
        manufacturerData: [UInt8]? = nil, serviceData: [BluetoothUUID: [UInt8]] = [:],
        txPowerLevel: Int? = nil, isConnectable: Bool? = nil, appearance: UInt16? = nil
    ) {
        (self.localName, self.serviceUUIDs) = (localName, serviceUUIDs)
        self.overflowServiceUUIDs = overflowServiceUUIDs
        self.solicitedServiceUUIDs = solicitedServiceUUIDs
        (self.manufacturerData, self.serviceData) = (manufacturerData, serviceData)
        (self.txPowerLevel, self.isConnectable) = (txPowerLevel, isConnectable)
        self.appearance = appearance
    }

    /// The keys in Core Bluetooth's dictionary, in the order of `AdvertisementDataKey.allCases`.
    public var keys: [AdvertisementDataKey] { AdvertisementDataKey.allCases.filter(has) }

    private func has(_ key: AdvertisementDataKey) -> Bool {
        switch key {
        case .localName: localName != nil
        case .serviceUUIDs: !serviceUUIDs.isEmpty
        case .overflowServiceUUIDs: !overflowServiceUUIDs.isEmpty
        case .solicitedServiceUUIDs: !solicitedServiceUUIDs.isEmpty
        case .manufacturerData: manufacturerData != nil
        case .serviceData: !serviceData.isEmpty
        case .txPowerLevel: txPowerLevel != nil
        case .isConnectable: isConnectable != nil
        case .appearance: appearance != nil
        }
    }
}

/// The keys of Core Bluetooth's advertisement data, and one more.
public enum AdvertisementDataKey: String, CaseIterable, Equatable, Sendable {
    /// ``AdvertisementData/localName``
    case localName = "CBAdvertisementDataLocalNameKey"
    /// ``AdvertisementData/serviceUUIDs``
    case serviceUUIDs = "CBAdvertisementDataServiceUUIDsKey"
    /// ``AdvertisementData/overflowServiceUUIDs``
    case overflowServiceUUIDs = "CBAdvertisementDataOverflowServiceUUIDsKey"
    /// ``AdvertisementData/solicitedServiceUUIDs``
    case solicitedServiceUUIDs = "CBAdvertisementDataSolicitedServiceUUIDsKey"
    /// ``AdvertisementData/manufacturerData``
    case manufacturerData = "CBAdvertisementDataManufacturerDataKey"
    /// ``AdvertisementData/serviceData``
    case serviceData = "CBAdvertisementDataServiceDataKey"
    /// ``AdvertisementData/txPowerLevel``
    case txPowerLevel = "CBAdvertisementDataTxPowerLevelKey"
    /// ``AdvertisementData/isConnectable``
    case isConnectable = "CBAdvertisementDataIsConnectable"
    /// ``AdvertisementData/appearance``; not in Core Bluetooth.
    case appearance = "AdvertisementDataAppearance"
}
