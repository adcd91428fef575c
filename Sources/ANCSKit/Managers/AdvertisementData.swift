public import BluetoothLE

/// What an advertisement says: the dictionary that Core Bluetooth's
/// `centralManager(_:didDiscover:advertisementData:rssi:)` brings and `startAdvertising(_:)` takes.
/// A key that the dictionary would not have is `nil`, or empty, here.
public struct AdvertisementData: Hashable, Sendable {
    /// The name of the device, or its beginning. (`CBAdvertisementDataLocalNameKey`)
    public var localName: String?
    /// The services that it says it has. (`CBAdvertisementDataServiceUUIDsKey`)
    public var serviceUUIDs: [BluetoothUUID]
    /// Of the services that a scan asks for, those that the overflow area seems to hold: best effort,
    /// as it holds no UUIDs but marks that several share. (`CBAdvertisementDataOverflowServiceUUIDsKey`)
    public var overflowServiceUUIDs: [BluetoothUUID]
    /// The services that it wants a Central to have. (`CBAdvertisementDataSolicitedServiceUUIDsKey`)
    public var solicitedServiceUUIDs: [BluetoothUUID]
    /// The data of its manufacturer, which begin with the two octets of the company identifier, least
    /// significant first. (`CBAdvertisementDataManufacturerDataKey`)
    public var manufacturerData: [UInt8]?
    /// Data by service. (`CBAdvertisementDataServiceDataKey`)
    public var serviceData: [BluetoothUUID: [UInt8]]
    /// The power that it says it sends with, in dBm. (`CBAdvertisementDataTxPowerLevelKey`)
    public var txPowerLevel: Int?
    /// Whether it takes connections. (`CBAdvertisementDataIsConnectable`)
    public var isConnectable: Bool?
    /// What it looks like: Assigned Numbers, 2.6. Core Bluetooth does not tell.
    public var appearance: UInt16?

    /// What an advertisement says; nothing unless said otherwise.
    public init(
        localName: String? = nil, serviceUUIDs: [BluetoothUUID] = [],
        overflowServiceUUIDs: [BluetoothUUID] = [], solicitedServiceUUIDs: [BluetoothUUID] = [],
        manufacturerData: [UInt8]? = nil, serviceData: [BluetoothUUID: [UInt8]] = [:],
        txPowerLevel: Int? = nil, isConnectable: Bool? = nil, appearance: UInt16? = nil
    ) {
        self.localName = localName
        self.serviceUUIDs = serviceUUIDs
        self.overflowServiceUUIDs = overflowServiceUUIDs
        self.solicitedServiceUUIDs = solicitedServiceUUIDs
        self.manufacturerData = manufacturerData
        self.serviceData = serviceData
        self.txPowerLevel = txPowerLevel
        self.isConnectable = isConnectable
        self.appearance = appearance
    }

    /// The keys that Core Bluetooth's dictionary would have, in the order of
    /// `AdvertisementDataKey.allCases`.
    public var keys: [AdvertisementDataKey] {
        AdvertisementDataKey.allCases.filter(has)
    }

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

/// The keys of Core Bluetooth's advertisement data, and one of ours.
public enum AdvertisementDataKey: String, CaseIterable, Hashable, Sendable {
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
    /// ``AdvertisementData/appearance``, which Core Bluetooth does not have.
    case appearance = "AdvertisementDataAppearance"
}
