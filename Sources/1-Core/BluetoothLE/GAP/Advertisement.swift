/// The contents and timing of advertising. Core Vol 3, Part C, 9.2 and 9.3.
public struct Advertisement: Equatable, Sendable {
    /// The advertising data, which every scanner in range receives.
    public var data: AdvertisingData
    /// The scan response data, which only active scanners receive.
    public var scanResponse: AdvertisingData
    /// The interval, which the controller keeps exactly; it adds 0 to 10 ms at random to each.
    public var interval: AdvertisingInterval
    /// Whether other devices may connect.
    public var isConnectable: Bool
    /// Whether to use legacy PDUs, which every device can receive. Otherwise the controller must support
    /// extended advertising, the data may be longer and there is no scan response.
    public var usesLegacyPDUs: Bool

    /// An advertisement; by default connectable, with legacy PDUs, every 20 ms, as Apple's guidelines ask while
    /// a user is waiting; see ``AdvertisingSchedule``.
    public init(
        data: AdvertisingData, scanResponse: AdvertisingData = AdvertisingData(),
        interval: AdvertisingInterval = .minimum, isConnectable: Bool = true,
        usesLegacyPDUs: Bool = true
    ) {
        self.data = data
        self.scanResponse = scanResponse
        self.interval = interval
        self.isConnectable = isConnectable
        self.usesLegacyPDUs = usesLegacyPDUs
    }
}
