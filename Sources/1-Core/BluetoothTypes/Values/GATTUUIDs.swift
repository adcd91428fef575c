/// Attribute types and services that GATT and GAP define (Assigned Numbers, 3.4, 3.6, 3.7, 3.8).
extension BluetoothUUID {
    /// «Primary Service»
    public static let primaryService = BluetoothUUID(UInt16(0x2800))
    /// «Secondary Service»
    public static let secondaryService = BluetoothUUID(UInt16(0x2801))
    /// «Include»
    public static let include = BluetoothUUID(UInt16(0x2802))
    /// «Characteristic»
    public static let characteristic = BluetoothUUID(UInt16(0x2803))
    /// «Characteristic Extended Properties»
    public static let characteristicExtendedProperties = BluetoothUUID(UInt16(0x2900))
    /// «Characteristic User Description»
    public static let characteristicUserDescription = BluetoothUUID(UInt16(0x2901))
    /// «Client Characteristic Configuration»
    public static let clientCharacteristicConfiguration = BluetoothUUID(UInt16(0x2902))

    /// The Generic Access service.
    public static let genericAccess = BluetoothUUID(UInt16(0x1800))
    /// «Device Name»
    public static let deviceName = BluetoothUUID(UInt16(0x2A00))
    /// «Appearance»
    public static let appearance = BluetoothUUID(UInt16(0x2A01))
    /// «Peripheral Preferred Connection Parameters»
    public static let peripheralPreferredConnectionParameters = BluetoothUUID(UInt16(0x2A04))
    /// «Central Address Resolution»
    public static let centralAddressResolution = BluetoothUUID(UInt16(0x2AA6))

    /// The Generic Attribute service.
    public static let genericAttribute = BluetoothUUID(UInt16(0x1801))
    /// «Service Changed»
    public static let serviceChanged = BluetoothUUID(UInt16(0x2A05))
    /// «Client Supported Features»
    public static let clientSupportedFeatures = BluetoothUUID(UInt16(0x2B29))
    /// «Database Hash»
    public static let databaseHash = BluetoothUUID(UInt16(0x2B2A))
    /// «Server Supported Features»
    public static let serverSupportedFeatures = BluetoothUUID(UInt16(0x2B3A))
}

/// The Current Time service and its characteristics (Current Time Service 1.1, 3).
extension BluetoothUUID {
    /// The Current Time service.
    public static let currentTimeService = BluetoothUUID(UInt16(0x1805))
    /// «Current Time»
    public static let currentTime = BluetoothUUID(UInt16(0x2A2B))
    /// «Local Time Information»
    public static let localTimeInformation = BluetoothUUID(UInt16(0x2A0F))
    /// «Reference Time Information»
    public static let referenceTimeInformation = BluetoothUUID(UInt16(0x2A14))
}
