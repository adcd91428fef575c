/// What is known of a device that advertises: its advertisement, and its scan response once it came.
public struct Discovery: Hashable, Sendable {
    /// The address that it is on air with.
    public var address: DeviceAddress
    /// The identity address of the bonded peer that this is, or `nil` for a stranger.
    public var identity: DeviceAddress?
    /// The strength of the last signal in dBm, or `nil` where the controller does not know it.
    public var rssi: Int8?
    /// Whether it takes connections.
    public var isConnectable: Bool
    /// Whether it calls this device by its address. Such an advertisement carries no data.
    public var isDirected: Bool
    /// The structures of the advertising data, then those of the scan response. What follows a
    /// structure that cannot be read is missing.
    public var advertisement: AdvertisingData
    /// Whether the scan response is in it.
    public var hasScanResponse: Bool
    /// Whether the controller or a limit cut the data.
    public var isTruncated: Bool

    /// A device that was heard; a stranger with nothing to say, unless said otherwise.
    public init(
        address: DeviceAddress, identity: DeviceAddress? = nil, rssi: Int8? = nil,
        isConnectable: Bool = true, isDirected: Bool = false,
        advertisement: AdvertisingData = AdvertisingData(), hasScanResponse: Bool = false,
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

/// How to look for devices that advertise. Core Vol 3, Part C, 9.2.6.
public struct ScanParameters: Hashable, Sendable {
    /// Whether devices are asked for their scan responses; otherwise nothing is sent.
    public var isActive: Bool
    /// How often to look; at most 0xFFFF units.
    public var interval: AdvertisingInterval
    /// How long to look; at most the interval.
    public var window: AdvertisingInterval
    /// Whether a device is told of again only when it says something else.
    public var filtersDuplicates: Bool

    /// Active scanning for 30 ms of every 60 ms, which leaves time for advertising and links, and
    /// without repetitions, unless said otherwise. Core Vol 3, Part C, Appendix A has 30 ms to 60 ms
    /// and 30 ms for a user who waits.
    public init(
        isActive: Bool = true, interval: AdvertisingInterval = .milliseconds(60),
        window: AdvertisingInterval = .milliseconds(30), filtersDuplicates: Bool = true
    ) {
        self.isActive = isActive
        self.interval = interval
        self.window = window
        self.filtersDuplicates = filtersDuplicates
    }
}
