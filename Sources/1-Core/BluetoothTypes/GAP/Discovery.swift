/// What is known about an advertising device: its advertising data and, once received, its scan response.
public struct Discovery: Equatable, Sendable {
    /// The address on air.
    public var address: DeviceAddress
    /// The identity address of the bonded peer with this address; `nil` for an unknown device.
    public var identity: DeviceAddress?
    /// The strength of the last signal in dBm; `nil` if the controller does not report it.
    public var rssi: Int8?
    /// Whether the device accepts connections; `nil` if that is not known: bluetoothd does not tell it.
    public var isConnectable: Bool?
    /// Whether the advertisement is directed at this device. Such an advertisement has no data.
    public var isDirected: Bool
    /// The structures of the advertising data, followed by those of the scan response. Structures after an
    /// invalid one are missing.
    public var advertisement: AdvertisingData
    /// Whether ``advertisement`` includes the scan response; `nil` if that is not known: bluetoothd does not keep
    /// them apart.
    public var hasScanResponse: Bool?
    /// Whether the controller or a limit truncated the data.
    public var isTruncated: Bool

    /// A discovered device; by default an unknown one without data.
    public init(
        address: DeviceAddress, identity: DeviceAddress? = nil, rssi: Int8? = nil,
        isConnectable: Bool? = true, isDirected: Bool = false,
        advertisement: AdvertisingData = AdvertisingData(), hasScanResponse: Bool? = false,
        isTruncated: Bool = false
    ) {
        self.address = address
        self.identity = identity
        self.rssi = rssi
        self.isConnectable = isConnectable
        self.isDirected = isDirected
        self.advertisement = advertisement
        self.hasScanResponse = hasScanResponse
        self.isTruncated = isTruncated
    }
}
